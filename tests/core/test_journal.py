"""The journal: what a kill at any moment leaves of it, and who may write it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gatepass.gateway.journal import NAME, Journal, pending

HEAD = {"mark": "gp123abc", "serial": "LAB1", "testbed": "bed.yaml"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "run-1"
    folder.mkdir()
    return folder / NAME


@pytest.fixture
def journal(path: Path) -> Journal:
    return Journal.start(path, HEAD)


def test_what_is_announced_is_on_disk_at_once(journal: Journal) -> None:
    journal.creates("firewall/policy", [7, 8])
    journal.changes("firewall.shaper/traffic-shaper", "s", {"maximum-bandwidth": 1})
    read = Journal.read(journal.path)
    assert read.entries == journal.entries
    assert [entry["do"] for entry in read.entries] == ["create", "change"]
    assert read.head["mark"] == HEAD["mark"]
    assert not read.closed


def test_a_line_cut_off_anywhere_costs_that_line_and_no_more(journal: Journal) -> None:
    journal.creates("firewall/address", ["gp123abc-a"])
    kept = journal.path.read_bytes()
    journal.creates("firewall/policy", [7])
    whole = journal.path.read_bytes()
    journal.release()
    for end in range(len(kept), len(whole) - 2):
        journal.path.write_bytes(whole[:end])
        left = Journal.read(journal.path)
        assert [entry["path"] for entry in left.entries] == ["firewall/address"]
        assert left.adopt()
        left.close()
        assert Journal.read(journal.path).closed
        assert pending(journal.path.parent.parent) == []


def test_closed_means_nothing_is_pending(journal: Journal) -> None:
    results = journal.path.parent.parent
    assert [one.path for one in pending(results)] == [journal.path]
    journal.close()
    journal.close()
    assert pending(results) == []


def test_released_stays_pending_and_takes_nothing(journal: Journal) -> None:
    journal.release()
    assert pending(journal.path.parent.parent)
    with pytest.raises(RuntimeError, match="nothing may be changed"):
        journal.creates("firewall/policy", [1])


@pytest.mark.parametrize("text", ["", '{"do": "sta', "\n"])
def test_a_journal_without_its_first_line_may_be_of_any_gateway(path: Path, text: str) -> None:
    path.write_text(text)
    (left,) = pending(path.parent.parent)
    assert left.damaged


def test_a_kill_before_the_first_line_leaves_no_journal(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Journal, "_write", killed)
    with pytest.raises(KeyboardInterrupt):
        Journal.start(path, HEAD)
    assert pending(path.parent.parent) == []


def damaged(kept: bytes, place: int) -> bytes:
    """A journal with one bit turned round."""
    return kept[:place] + bytes([kept[place] ^ 4]) + kept[place + 1 :]


def test_a_bit_that_turns_round_costs_its_line_and_is_counted(journal: Journal) -> None:
    journal.creates("firewall/address", ["gp123abc-a"])
    journal.creates("firewall/policy", [7])
    journal.changes("system/dns", None, {"primary": "1.1.1.1"})
    journal.release()
    whole = journal.path.read_bytes()
    starts = [0, *(at + 1 for at, byte in enumerate(whole[:-1]) if byte == ord("\n"))]
    for place in range(len(whole)):
        journal.path.write_bytes(damaged(whole, place))
        left = Journal.read(journal.path)
        line = sum(start <= place for start in starts) - 1
        if whole[place] == ord("\n"):  # two lines are one, or the last one was cut off
            assert len(left.entries) >= 1
            continue
        assert left.lost_lines == 1, place
        assert left.damaged == (line == 0)
        wanted = [entry for number, entry in enumerate(journal.entries, 1) if number != line]
        assert left.entries == wanted


def test_a_journal_of_the_version_before_is_read(path: Path) -> None:
    path.write_text(
        '{"do": "start", "mark": "gp0a1b2c", "serial": "s", "testbed": "t"}\n'
        '{"do": "create", "path": "firewall/policy", "mkeys": [7]}\n'
    )
    left = Journal.read(path)
    assert (left.head["mark"], left.entries[0]["mkeys"], left.lost_lines) == ("gp0a1b2c", [7], 0)


@pytest.mark.parametrize(
    "line",
    [
        '{"do": "create", "path": 5, "mkeys": [1]}',
        '{"do": "create", "path": "firewall/policy"}',
        '{"do": "create", "path": "firewall/policy", "mkeys": [[1]]}',
        '{"do": "change", "path": "system/dns", "mkey": {}, "before": {}}',
        '{"do": "change", "path": "system/dns", "mkey": null, "before": []}',
        '{"do": ["close"]}',
        '{"do": "else"}',
        "[]",
    ],
)
def test_an_entry_that_says_nothing_is_stepped_over(path: Path, line: str) -> None:
    head = '{"do": "start", "mark": "gp0a1b2c", "serial": "s", "testbed": "t"}'
    path.write_text(f"{head}\n{line}\n")
    left = Journal.read(path)
    assert (left.entries, left.lost_lines, left.damaged) == ([], 1, False)


def test_newest_first(tmp_path: Path) -> None:
    for name in ("2026-01-02", "2026-01-10", "2025-12-31"):
        (tmp_path / name).mkdir()
        Journal.start(tmp_path / name / NAME, HEAD).release()
    found = [one.path.parent.name for one in pending(tmp_path)]
    assert found == ["2026-01-10", "2026-01-02", "2025-12-31"]


def test_a_run_has_one_journal(journal: Journal) -> None:
    with pytest.raises(FileExistsError):
        Journal.start(journal.path, HEAD)


@pytest.mark.parametrize(
    "content", [b"\x80\xff\x00\n", b"[1]\n", b'{"do": "start"}\n', b'{"do": "start", "mark": 5}\n']
)
def test_what_others_made_of_it_hides_no_other_journal(
    tmp_path: Path, path: Path, content: bytes
) -> None:
    path.write_bytes(content)
    (tmp_path / "run-2" / NAME).mkdir(parents=True)
    (tmp_path / "run-3").mkdir()
    Journal.start(tmp_path / "run-3" / NAME, HEAD | {"testbed": "bed.yaml"}).release()
    told = {one.path.parent.name: one.damaged for one in pending(tmp_path)}
    assert told == {"run-1": True, "run-3": False}


def test_a_living_run_keeps_its_journal_and_a_killed_one_loses_it(path: Path) -> None:
    program = (
        "import sys, time; from pathlib import Path; from gatepass.gateway.journal import Journal\n"
        "journal = Journal.start(Path(sys.argv[1]), {'mark': 'm'})\n"
        "journal.creates('firewall/policy', [1]); print('ready', flush=True); time.sleep(60)"
    )
    words = [sys.executable, "-c", program, str(path)]
    environment = {"PYTHONPATH": str(Path(__file__).parents[2] / "libraries")}
    with subprocess.Popen(words, stdout=subprocess.PIPE, env=environment) as run:
        try:
            assert run.stdout is not None and run.stdout.readline() == b"ready\n"
            assert not Journal.read(path).adopt()
        finally:
            run.kill()
    left = Journal.read(path)
    assert left.adopt()
    assert left.entries[0]["mkeys"] == [1]
    left.release()
