"""What a run makes of its output, made again: Robot's pages, JUnit's file, the table of trials."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gatepass.base.environment import without_secrets
from gatepass.base.files import contents
from gatepass.inputs.studies import STUDIES
from gatepass.proof.log_again import in_words
from gatepass.proof.robot_output import STATUSES, RobotOutput
from gatepass.report import results_json, robot_report, trials_csv, xunit
from gatepass.results.outcome import Outcome

_CHOOSE = re.compile(r"-[tsie]|--(test|task|suite|include|exclude)(=.*)?")
"""Options for Robot that choose checks and leave its pages as they are."""
_OF_THE_PLACE = re.compile(
    r'"\*(?:\.\./)+[^"]*"|window\.output\["generated"\] = \d+;|"rpa":(?:null|false)'
    r"| 'sha256-[^']*'"
)
"""Of a page of Robot: where the suites lie from it on, when it was written, by which of its
programs, and the digests of the scripts that tell so."""
_ALL_TESTS = re.compile(r'\{[^{}]*"label":"All Tests"[^{}]*\}')
_PATIENCE_S = 120


def counts(output: RobotOutput, folder: Path) -> Iterator[str]:
    """Totals of Robot's pages that are not those of the output, each in a sentence.

    Args:
        output: of the run.
        folder: of the run.
    """
    for name in (robot_report.LOG, robot_report.REPORT):
        try:
            told = _totals(contents(folder / name).decode("utf-8", errors="replace"))
        except (OSError, ValueError, KeyError, TypeError):
            continue  # the list of files tells of what is missing
        if told and told != output.counts:
            yield f"{name} says {in_words(told)}; output.xml holds {in_words(output.counts)}."


def _totals(page: str) -> dict[str, int] | None:
    found = _ALL_TESTS.search(page)
    return {one: int(json.loads(found[0])[one]) for one in STATUSES} if found else None


def cases(outcome: Outcome, folder: Path) -> Iterator[str]:
    """What JUnit's file counts otherwise than the output, in a sentence.

    Args:
        outcome: of the run.
        folder: of the run.
    """
    try:
        root = ElementTree.fromstring(contents(folder / xunit.NAME))
        failures = int(root.get("failures", 0))
    except (OSError, ValueError, ElementTree.ParseError):
        return  # the list of files has told that
    failed = outcome.count("fail")
    if failures != failed:
        yield f"{xunit.NAME} counts {failures} failures; in output.xml {failed} checks failed."


def documents(outcome: Outcome, digest: str, folder: Path) -> Iterator[str]:
    """Files of a run that are made of its output and are not what that makes, each in a sentence.

    Args:
        outcome: of a run that this copy of Gatepass made.
        digest: SHA-256 of its ``output.xml``.
        folder: of the run.
    """
    with TemporaryDirectory() as place:
        again = Path(place)
        xunit.write(outcome, again)
        trials_csv.write(results_json.document(outcome, digest), again)
        if _only_chooses(outcome.run.get("robot_arguments")):
            _pages(folder, again)
            gravest = robot_report.gravest_first(outcome)
            robot_report.finish(again, outcome.verdict, gravest)
        for path in sorted(again.iterdir()):
            if (folder / path.name).is_file() and _text(folder / path.name) != _text(path):
                yield f"{path.name} is not what output.xml makes of it."


def _only_chooses(arguments: Any) -> bool:
    """Whether what was typed for Robot leaves its pages as they are.

    The report of a study that is carried out alone begins with what the study itself came to.
    """
    words = [str(one) for one in arguments] if isinstance(arguments, list) else []
    of_study = any(name in word for name in STUDIES for word in words)
    options = [word for word in words if word.startswith("-")]
    return not of_study and all(map(_CHOOSE.fullmatch, options))


def _pages(folder: Path, again: Path) -> None:
    """Log and report into another folder; none where Robot cannot make them."""
    words = ["--outputdir", str(again), *robot_report.OPTIONS, str(folder / "output.xml")]
    subprocess.run(
        [sys.executable, "-m", "robot.rebot", *words],
        env=without_secrets(),
        capture_output=True,
        timeout=_PATIENCE_S,
        check=False,
    )


def _text(path: Path) -> str:
    return _OF_THE_PLACE.sub("", contents(path).decode("utf-8", errors="replace"))
