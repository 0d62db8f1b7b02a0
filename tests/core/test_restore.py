"""Which runs a restore is about: by name, by folder, all of a fleet; and what cannot be told."""

from __future__ import annotations

from pathlib import Path

import pytest

from gatepass.base.errors import InputError
from gatepass.gateway.journal import NAME, Journal
from gatepass.gateway.restore import restore_all

ALONE, FLEET = "20260101-120000-ab12", "fleet-20260101-130000"


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A run and a fleet of two, all killed; their labs are gone."""
    for name in (ALONE, f"{FLEET}/orders/a", f"{FLEET}/orders/b"):
        folder = tmp_path / "results" / name
        folder.mkdir(parents=True)
        head = {"mark": "gp123abc", "serial": "LAB1", "testbed": "bed.yaml"}
        gone = {"namespace": str(tmp_path / "gone"), "namespace_inode": 1}
        Journal.start(folder / NAME, head | gone).release()
    return tmp_path / "results"


def _restored(results: Path, *names: str) -> list[str]:
    told = restore_all(results, lambda *_: [], list(names))
    assert all(one.done and "its lab is gone" in one.sentence for one in told)
    return sorted(one.run for one in told)


@pytest.mark.parametrize(
    ("name", "runs"),
    [
        (ALONE, [ALONE]),
        (f"{ALONE}/", [ALONE]),
        (f"./{ALONE}", [ALONE]),
        (f"{FLEET}/a", [f"{FLEET}/a"]),
        (f"{FLEET}/orders/a", [f"{FLEET}/a"]),
        (f"{FLEET}/b/", [f"{FLEET}/b"]),
        (FLEET, [f"{FLEET}/a", f"{FLEET}/b"]),
    ],
)
def test_a_run_is_found_however_it_is_named(results: Path, name: str, runs: list[str]) -> None:
    assert _restored(results, name) == runs
    assert _restored(results, name) == []


def test_a_path_is_a_name_too(results: Path) -> None:
    assert _restored(results, str(results / ALONE)) == [ALONE]


@pytest.mark.parametrize(
    "name", ["", ".", "..", "nowhere", "/tmp", f"{FLEET}/c", "x" * 5000, "a\0"]
)
def test_what_is_no_run_is_told(results: Path, name: str) -> None:
    with pytest.raises(InputError, match="has no run"):
        _restored(results, name)


@pytest.mark.parametrize("head", ['{"do": "start"}', "no journal", '{"do": "start", "mark": 1}'])
def test_a_damaged_journal_is_told_and_the_others_are_undone(results: Path, head: str) -> None:
    (results / ALONE / NAME).write_text(head + "\n")
    told = restore_all(results, lambda *_: [], None)
    assert [one.done for one in told] == [True, True, False]
    assert "is damaged" in told[-1].sentence and "gateway-before.conf" in told[-1].sentence
