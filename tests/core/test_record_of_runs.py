"""Forgeries beside the runs: in the record of all runs, and in the folder that holds them."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from careful_forger import (
    Content,
    altered,
    as_suites_were_then,
    by_this_copy,
    remade,
    with_files_as_they_are,
)
from forging import edited
from sealed_run import unpacked

from gatepass import cli
from gatepass.base.digests import digest_of
from gatepass.base.paths import HISTORY
from gatepass.history import store
from gatepass.history.earlier import earlier
from gatepass.proof import chain
from gatepass.proof.folder import INPUTS, SUMS
from gatepass.report.results_json import document
from gatepass.results.outcome import read_digested

SERIAL, TIER = "LABGW08130187225", "SGW-200"
FIRST, SECOND, THIRD = "20261125-122019-lab", "20261126-122019-lab", "20261127-122019-lab"
LUCKY = "20261127-132019-lab"


def add(folder: Path) -> None:
    """To the record of its folder of runs, as a run does when it ends."""
    output = folder / "output.xml"
    store.add(folder.parent / HISTORY.name, document(*read_digested(output)), output)


def run_again(first: Path, name: str) -> Path:
    """A run that came after all that are there, and knows what they measured."""
    folder = first.with_name(name)
    known = earlier(first.parent / HISTORY.name, SERIAL, TIER)
    shutil.copytree(first, folder)
    day = f"{name[:4]}-{name[4:6]}-{name[6:8]}"
    edited("2026-11-25", day, every=True)(folder)
    edited(f'"run_id": "{first.name}"', f'"run_id": "{name}"')(folder)
    for path in (folder / "trials").glob("*.json"):
        told = json.loads(path.read_text())
        told["start"]["timestamp"]["timesecs"] += 86400 * (int(day[-2:]) - 25)
        path.write_text(json.dumps(told))
    altered("run", lambda one: one | {"earlier": known} if "order" in one else None)(folder)
    (folder / SUMS).unlink()
    chain.keep(folder)
    with_files_as_they_are(folder)
    remade(folder)
    add(folder)
    return folder


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs of one gateway, as this copy of Gatepass would have left them."""
    first = unpacked(tmp_path_factory.mktemp("three") / "results")
    by_this_copy(first)
    add(first)
    for name in (SECOND, THIRD):
        run_again(first, name)
    return first.parent


@pytest.fixture
def results(three: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of them to be forged."""
    as_suites_were_then(three / FIRST, monkeypatch)
    copy = shutil.copytree(three, tmp_path / "results")
    with closing(sqlite3.connect(copy / HISTORY.name)) as record, record:
        record.execute("UPDATE runs SET output = replace(output, ?, ?)", (str(three), str(copy)))
    return copy


def changed(statement: str) -> Callable[[Path], None]:
    """Something else stands in the record of all runs."""

    def forge(results: Path) -> None:
        with closing(sqlite3.connect(results / HISTORY.name)) as record, record:
            record.execute("PRAGMA foreign_keys = ON")
            assert record.execute(statement).rowcount > 0

    return forge


def deleted(results: Path) -> None:
    """A bad run is gone."""
    shutil.rmtree(results / SECOND)


def forgotten(results: Path) -> None:
    """A bad run is gone, and the one after it names the one before it."""
    deleted(results)
    later = results / THIRD
    digest = digest_of(results / FIRST / SUMS)
    links = [{"run": FIRST, "sha256": digest}]
    (later / INPUTS / chain.BEFORE).write_text(json.dumps(links))
    with_files_as_they_are(later)
    remade(later)
    add(later)


def forgotten_everywhere(results: Path) -> None:
    """So does the record of all runs."""
    forgotten(results)
    changed(f"DELETE FROM runs WHERE run = '{SECOND}'")(results)


def swapped(results: Path) -> None:
    """The bad run lies where the good one lay, and the other way round."""
    (results / FIRST).rename(results / "swapped")
    (results / SECOND).rename(results / FIRST)
    (results / "swapped").rename(results / SECOND)


def moved_in(results: Path) -> None:
    """A run that was made in another folder of runs, until it was a lucky one."""
    lucky = results / LUCKY
    shutil.copytree(results / FIRST, lucky)
    edited("2026-11-25", "2026-11-27", every=True)(lucky)
    edited(f'"run_id": "{FIRST}"', f'"run_id": "{lucky.name}"')(lucky)
    for path in (lucky / "trials").glob("*.json"):
        told = json.loads(path.read_text())
        told["start"]["timestamp"]["timesecs"] += 2 * 86400
        path.write_text(json.dumps(told))
    with_files_as_they_are(lucky)
    remade(lucky)


def better_before(results: Path) -> None:
    """The record was better when the last run began, and is what it was again."""
    later = results / THIRD

    def better(content: Content) -> Content | None:
        if "earlier" not in content:
            return None
        known = [one | {"values": [317.2] * len(one["values"])} for one in content["earlier"]]
        return content | {"earlier": known}

    altered("run", better)(later)
    remade(later)
    add(later)


OTHERWISE = "is recorded otherwise than its output.xml makes it: "
FORGERIES: dict[str, tuple[Callable[[Path], None], int, str]] = {
    # what is done to the folder of all runs; how `verify` of it ends, and what it says
    "09a a lucky run is moved in": (moved_in, 3, f"does not have {LUCKY}, which lies"),
    "09b a run is deleted": (deleted, 1, f"Run {SECOND} is missing: {THIRD} came after it"),
    "09b1 and the next one forgets it": (forgotten, 1, f"{SECOND} is missing: by history.sqlite3"),
    "09b1 and the record of all runs": (
        forgotten_everywhere, 3, f"no run here has, those of {THIRD} (",
    ),
    "09c two runs change places": (swapped, 1, f"The folder is called {FIRST}; the run in it is"),
    "12 a verdict in the record": (
        changed("UPDATE runs SET verdict = 'approved'"),
        1,
        f"history.sqlite3: run {FIRST} {OTHERWISE}verdict approved, not rejected",
    ),
    "another gateway in the record": (
        changed("UPDATE runs SET serial = 'FGVM02TM24005678'"),
        1,
        f"run {FIRST} {OTHERWISE}serial FGVM02TM24005678, not {SERIAL}",
    ),
    "12 figures in the record": (
        changed("UPDATE measurements SET value = value * 1.3"), 1, f"{OTHERWISE}",
    ),
    "12 a check in the record": (
        changed("UPDATE checks SET verdict = 'pass' WHERE verdict = 'fail'"),
        1,
        f"{OTHERWISE}One Policy, Without NAT: verdict pass, not fail",
    ),
    "a figure is gone from the record": (
        changed("DELETE FROM measurements WHERE promise = 'stateful_throughput'"),
        1,
        "measurements; its output.xml makes",
    ),
    "a run is gone from the record": (
        changed(f"DELETE FROM runs WHERE run = '{SECOND}'"), 3, f"does not have {SECOND}, which",
    ),
    "the record was better when a run began": (
        better_before, 3, f"earlier figures that no run here has, those of {THIRD} (stateful",
    ),
    "no record": (lambda results: (results / HISTORY.name).write_text("none"), 3, "not looked at"),
}


def test_what_nobody_forged(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["verify", str(results)]) == 3
    told = capsys.readouterr().out
    assert "3 of them in history.sqlite3" in told
    assert "earlier figures" not in told and "not here" not in told


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forgery(results: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    forge, code, sentence = FORGERIES[name]
    forge(results)
    assert cli.main(["verify", str(results)]) == code
    told = capsys.readouterr().out
    assert sentence in told, told


def test_a_run_whose_name_another_gateways_has_in_the_record(
    results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """That one lay elsewhere, and was added first."""
    changed(
        f"UPDATE runs SET serial = 'FGVM02TM24005678', output = '/elsewhere' WHERE run = '{FIRST}'"
    )(results)
    add(results / FIRST)
    assert cli.main(["verify", str(results)]) == 3
    told = capsys.readouterr().out
    assert "3 of them in history.sqlite3" in told
    assert f"history.sqlite3 has runs that are not here: {FIRST}" in told


def test_of_a_copy_the_runs_that_it_lacks_are_elsewhere(
    three: Path, results: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The record tells where they lay, which is not here."""
    with closing(sqlite3.connect(results / HISTORY.name)) as record, record:
        record.execute("UPDATE runs SET output = '/elsewhere/' || run || '/output.xml'")
    shutil.rmtree(results / THIRD)
    assert cli.main(["verify", str(results)]) == 3
    assert f"history.sqlite3 has runs that are not here: {THIRD}" in capsys.readouterr().out
