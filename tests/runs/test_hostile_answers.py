"""No word of a gateway or an endpoint becomes a command, a rule, a link or a key to a terminal.

The whole run that was recorded is carried out once more, with metacharacters in the strings of all
that was answered (see `hostile.hostile_run`): every keyword of every chapter, on whatever code is
behind it; and so are all studies, which `recordings/make_studies.py` has recorded. What the run has
to say to the endpoints is looked at and not run.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from faults.faulty_lab import PROJECT, Ended, of_endpoints
from faults.study_orders import order_with
from fuzz.limits import examples
from gatepass.inputs.studies import STUDIES as NAMES
from hostile.poison import TAG
from recordings.make_studies import CHOSEN, STUDIES

LEAST_ASKED = 0.75
"""Of the commands of the recorded run; the others follow upon what no recording can give again."""


@dataclass(frozen=True)
class Again:
    """The run once more.

    Attributes:
        folder: of its files.
        printed: what it said.
        asked, known: how many kinds of commands it gave, of how many that were recorded.
        attacked: kinds of commands in which words of strangers stand.
        faults: places where such a word is no word.
        reaching: places in answers of which some value reaches an endpoint.
    """

    folder: Path
    printed: str
    asked: int
    known: int
    attacked: list[str]
    faults: list[str]
    reaching: list[str]

    @property
    def output(self) -> str:
        """Of Robot, with what each check ended by."""
        (path,) = self.folder.rglob("output.xml")
        return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def checks(whole_run: Ended, recording: Path) -> dict[str, Any]:
    """What was recorded of all checks, but for the management page, which a browser reads."""
    files = {"gateway": recording, "endpoints": of_endpoints(recording)}
    files |= {"order": recording.with_name("order.yaml")}
    return {**{name: str(path) for name, path in files.items()}, "robot": ["--exclude", "gui"]}


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What was recorded of all studies."""
    files = {"gateway": STUDIES, "endpoints": of_endpoints(STUDIES)}
    files |= {"order": order_with(tmp_path_factory.mktemp("studies"), *NAMES)}
    words = ["--test", CHOSEN]
    return {**{name: str(path) for name, path in files.items()}, "robot": words}


@pytest.fixture(scope="module", params=["checks", "studies"])
def recorded(request: pytest.FixtureRequest) -> dict[str, Any]:
    """What is carried out once more."""
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def again(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Carry it out once more."""

    def once(**job: Any) -> Again:
        folder = tmp_path_factory.mktemp("hostile")
        path = folder / "job.json"
        path.write_text(json.dumps({"folder": str(folder)} | job))
        rooms = (PROJECT / "libraries", PROJECT, PROJECT / "tests")
        own = {
            "PYTHONPATH": os.pathsep.join(map(str, rooms)),
            "GATEPASS_RESULTS": str(folder / "results"),
            "GATEPASS_HISTORY": str(folder / "history.sqlite3"),
            "GATEPASS_PDF": "no",
        }
        done = subprocess.run(
            [sys.executable, "-m", "hostile.hostile_run", str(path)], cwd=PROJECT,
            env={**os.environ, **own}, capture_output=True, text=True, timeout=600, check=False,
        )  # fmt: skip
        seen = folder / "seen.json"
        assert seen.is_file(), done.stdout + done.stderr
        told = json.loads(seen.read_text())
        words = ("asked", "known", "attacked", "faults", "reaching")
        return Again(folder, done.stdout + done.stderr, *(told[word] for word in words))

    return once


@pytest.fixture(scope="module")
def as_recorded(again: Any, recorded: dict[str, Any]) -> Again:
    """Once more as it was."""
    return again(**recorded, seed=0, share=0)


def test_as_it_was_recorded_the_run_asks_the_endpoints_most_of_the_same(as_recorded: Again) -> None:
    assert as_recorded.faults == as_recorded.attacked == []
    anew = "of other commands? That of the studies is made anew by recordings/make_studies.py"
    assert as_recorded.asked > LEAST_ASKED * as_recorded.known, anew
    _no_tool_stopped(as_recorded)


SEEDS = st.integers(0, 10**6)
RUNS = settings(examples(2), phases=[Phase.generate])
"""One example is a whole run, so that none is made smaller."""


@given(seed=SEEDS, share=st.sampled_from([0.002, 0.01]))
@RUNS
def test_a_word_of_an_answer_is_taken_or_refused_in_a_sentence(
    again: Any, recorded: dict[str, Any], as_recorded: Again, seed: int, share: float
) -> None:
    """In each check two words that reach an endpoint are attacked, and a share of all others."""
    run = again(**recorded, seed=seed, share=share, reaching=as_recorded.reaching)
    assert run.faults == []
    _no_tool_stopped(run)
    _nothing_got_out(run)


@given(seed=SEEDS)
@RUNS
def test_without_types_no_word_of_an_answer_stands_outside_quotes(
    again: Any, recorded: dict[str, Any], seed: int
) -> None:
    run = again(**recorded, seed=seed, share=0.3, reaching=[], typed=False)
    assert run.faults == []
    assert TAG in run.output  # with fewer words attacked it may be that none is printed
    _nothing_got_out(run)


def test_a_layer_that_quotes_nothing_is_found(again: Any, checks: dict[str, Any]) -> None:
    """Where an address of the gateway reaches the client, to begin with."""
    jobs = ({**checks, "seed": seed, "share": 0.3, "reaching": []} for seed in range(4))
    assert any(again(**job, typed=False, quoted=False).faults for job in jobs)


def _no_tool_stopped(run: Again) -> None:
    """What was answered is taken, or is refused in a sentence."""
    assert "Traceback" not in run.printed
    assert "a tool stopped" not in run.output  # where no line is broken


def _nothing_got_out(run: Again) -> None:
    """Neither terminal nor table nor page does anything with it where it is shown."""
    assert [one for one in "\x1b\x9b\x07\u202e" if one in run.printed] == []
    for path in run.folder.rglob("*.csv"):
        with path.open(newline="") as file:
            cells = [cell for row in csv.reader(file) for cell in row if TAG in cell]
        assert [cell for cell in cells if cell[0] in "=+-@\t"] == [], path
    for path in run.folder.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert "<script>x()" not in text, path
        assert 'href="javascript:x' not in text, path
