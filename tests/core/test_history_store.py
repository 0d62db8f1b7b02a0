"""The record's file: runs get into it once, from several processes, and a bad file is told."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

import pytest

from certificate_examples import DIGEST, nothing_known
from gatepass.history import store
from gatepass.history.series import runs, series
from gatepass.report.results_json import document
from gatepass.run import aftermath
from history_examples import SERIAL, added, outcome

ROOT = Path(__file__).parents[2]
WRITERS, EACH = 4, 5


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return tmp_path / "history.sqlite3"


def test_runs_come_back_in_order_of_time(record: Path) -> None:
    added(record, outcome(3), outcome(1), outcome(2, vcpus=4))
    with store.opened(record) as connection:
        told = runs(connection)
        (figures,) = series(connection, told)
    assert [run.started[:10] for run in told] == ["2026-03-03", "2026-03-04", "2026-03-05"]
    assert [run.facts["gateway"]["vcpus"] for run in told] == [2, 4, 2]
    assert told[0].counts == {"pass": 7}
    assert [point.value for point in figures.points] == [309.0] * 3
    assert figures.name == "Stateful throughput, 1 policy, NAT off"


def test_a_run_is_in_it_once(record: Path) -> None:
    added(record, outcome(0), outcome(0, mbps=(308.0,)))
    with store.opened(record) as connection:
        told = runs(connection)
        (figures,) = series(connection, told)
        checks = connection.execute("SELECT count(*) FROM checks").fetchone()[0]
    assert len(told) == 1 and [point.value for point in figures.points] == [308.0]
    assert checks == 7


OTHER = "FGVM02TM24005678"
SAME = {"run_id": "20261127-205707-lab"}


def test_runs_of_one_name_are_kept_apart_by_their_gateways(record: Path) -> None:
    """As of two jobs that began in the same second, each below a folder of its own."""
    told = [
        store.add(record, document(one, DIGEST), record.parent / "output.xml")
        for one in (outcome(0, run=SAME), outcome(0, serial=OTHER, run=SAME))
    ]
    assert told == [SAME["run_id"], f"{SAME['run_id']} {OTHER}"]
    added(record, outcome(0, (308.0,), OTHER, run=SAME), outcome(0, (307.0,), run=SAME))
    with store.opened(record) as connection:
        known = runs(connection)
        figures = {run.serial: series(connection, [run])[0].points[0].value for run in known}
    assert sorted(run.run for run in known) == told
    assert figures == {SERIAL: 307.0, OTHER: 308.0}


def test_runs_that_reached_no_gateway_are_kept_apart_by_their_outputs(record: Path) -> None:
    unreached = outcome(0, run=SAME | {"gateway": {}})
    for digest in (DIGEST, "e" * 64, DIGEST):
        store.add(record, document(unreached, digest), record.parent / "output.xml")
    added(record, outcome(0, run=SAME))
    with store.opened(record) as connection:
        assert sorted(run.serial for run in runs(connection)) == ["", "", SERIAL]


def test_several_processes_add_at_the_same_time(record: Path) -> None:
    """Also to a record that none of them has made yet."""
    program = (
        "import sys; from pathlib import Path; from history_examples import added, outcome\n"
        "first, path = int(sys.argv[1]), Path(sys.argv[2])\n"
        f"for day in range(first, first + {EACH}): added(path, outcome(day))"
    )
    path = os.pathsep.join(str(ROOT / folder) for folder in ("libraries", "tests"))
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(first * EACH), str(record)],
            env={**os.environ, "PYTHONPATH": path},
            stderr=subprocess.PIPE,
            text=True,
        )
        for first in range(WRITERS)
    ]
    said = [writer.communicate(timeout=120)[1] for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * WRITERS, said
    with store.opened(record) as connection:
        assert len(runs(connection)) == WRITERS * EACH
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


def test_a_record_made_while_it_is_looked_at_is_nobody_elses(record: Path, monkeypatch) -> None:
    """Another run makes the record between two looks of this one at the empty file."""
    connect, looks = store._connect, []

    def another_run_comes(statement: str) -> None:
        if "user_version" in statement and not looks:
            looks.append(statement)
            with suppress(store.HistoryTrouble):  # where it has to wait for this one
                added(record, outcome(1))

    def watched(path: Path, write: bool) -> sqlite3.Connection:
        connection = connect(path, write)
        if not looks:
            connection.set_trace_callback(another_run_comes)
        return connection

    monkeypatch.setattr(store, "PATIENCE_S", 0.1)
    monkeypatch.setattr(store, "_connect", watched)
    added(record, outcome(0))
    assert looks
    with store.opened(record) as connection:
        assert runs(connection)[0].started.startswith("2026-03-02")


def test_a_reader_does_not_wait_for_a_writer(record: Path, monkeypatch) -> None:
    added(record, outcome(0))
    monkeypatch.setattr(store, "PATIENCE_S", 0.2)
    with store.opened(record, write=True) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("DELETE FROM runs")
        with store.opened(record) as reader:
            assert len(runs(reader)) == 1
        with pytest.raises(store.HistoryTrouble, match=r"locked\. Try again"):
            added(record, outcome(1))
        writer.execute("ROLLBACK")


def _foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE runs (run TEXT)")


def _newer(path: Path) -> None:
    added(path, outcome(0))
    with closing(sqlite3.connect(path)) as connection:  # what is not closed changes the file later
        connection.execute("PRAGMA user_version = 99")


def _damaged(path: Path) -> None:
    """A record whose pages are overwritten behind the first one."""
    added(path, *(outcome(day) for day in range(20)))
    content = path.read_bytes()
    path.write_bytes(content[:4096] + os.urandom(len(content) - 4096))


BAD = {
    "text": (lambda path: path.write_text("run;verdict\n" * 20), "no record of Gatepass"),
    "foreign": (_foreign, "another program's"),
    "newer": (_newer, "newer Gatepass"),
    "damaged": (_damaged, "damaged"),
    "folder": (lambda path: path.mkdir(), "cannot be opened"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_file_is_one_sentence_and_costs_no_verdict(
    record: Path, tmp_path: Path, capsys, kind: str
) -> None:
    make, telling = BAD[kind]
    make(record)
    before = record.read_bytes() if record.is_file() else b""
    folder = tmp_path / "run"
    folder.mkdir()
    assert aftermath.keep(outcome(50), DIGEST, folder / "output.xml", record) == ""
    (said,) = capsys.readouterr().err.splitlines()
    assert telling in said and str(record) in said and said.endswith(".")
    assert (folder / "results.json").exists() and (folder / "trials.csv").exists()
    assert not before or record.read_bytes() == before


def test_a_fault_in_the_record_costs_no_verdict(
    record: Path, tmp_path: Path, capsys, monkeypatch
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("no such group")

    monkeypatch.setattr(aftermath, "gateway_history", broken)
    assert aftermath.keep(outcome(0), DIGEST, tmp_path / "output.xml", record) == ""
    (said,) = capsys.readouterr().err.splitlines()
    assert said == "Gatepass: the record is not in order (ValueError: no such group)."


def test_a_run_without_a_name_is_told(record: Path, tmp_path: Path, capsys) -> None:
    assert aftermath.keep(nothing_known(), DIGEST, tmp_path / "output.xml", record) == ""
    assert "ended before it knew its own name" in capsys.readouterr().err


def test_an_older_record_is_brought_to_this_version(record: Path, monkeypatch) -> None:
    added(record, outcome(0))
    step = "ALTER TABLE runs ADD COLUMN note TEXT; UPDATE runs SET note = 'older'"
    monkeypatch.setattr(store, "MIGRATIONS", (*store.MIGRATIONS, step))
    added(record, outcome(1))
    with store.opened(record) as connection:
        notes = [row["note"] for row in connection.execute("SELECT note FROM runs ORDER BY run")]
        assert connection.execute("PRAGMA user_version").fetchone()[0] == len(store.MIGRATIONS)
    assert notes == ["older", None]


def test_a_record_of_before_phrases_joins_todays(record: Path, monkeypatch) -> None:
    with monkeypatch.context() as before:
        before.setattr(store, "MIGRATIONS", store.MIGRATIONS[:-1])
        added(record, outcome(0))
    with sqlite3.connect(record) as connection:
        connection.execute(
            "UPDATE measurements SET promise = 'Stateful throughput', "
            "conditions = '1 policy, NAT off'"
        )
    added(record, outcome(1))
    with store.opened(record) as connection:
        (one,) = series(connection, runs(connection))
    assert (one.identity, len(one.points)) == ("stateful_throughput", 2)


def test_a_value_is_the_same_however_it_is_written(record: Path) -> None:
    added(record, outcome(0), outcome(1))
    with sqlite3.connect(record) as connection:
        connection.execute(
            """UPDATE measurements SET conditions = '{"mbps": 225.0, "say": "datagrams"}'"""
        )
        connection.execute(
            """UPDATE measurements SET conditions = '{"mbps": 225, "say": "datagrams"}'
            WHERE run = (SELECT min(run) FROM measurements)"""
        )
    with store.opened(record) as connection:
        (one,) = series(connection, runs(connection))
    assert len(one.points) == 2


def test_a_step_that_fails_leaves_the_record_as_it_was(record: Path, monkeypatch) -> None:
    added(record, outcome(0))
    known = store.MIGRATIONS
    step = "ALTER TABLE runs ADD COLUMN note TEXT; UPDATE nothing SET note = 'older'"
    monkeypatch.setattr(store, "MIGRATIONS", (*known, step))
    with pytest.raises(store.HistoryTrouble):
        added(record, outcome(1))
    monkeypatch.setattr(store, "MIGRATIONS", known)
    with store.opened(record) as connection:
        assert len(runs(connection)) == 1


def test_what_changed_is_a_line_of_the_closing_box(record: Path, tmp_path: Path) -> None:
    output = tmp_path / "output.xml"
    steady = [aftermath.keep(outcome(day), DIGEST, output, record) for day in range(3)]
    changed = aftermath.keep(outcome(3, mbps=(252.0,)), DIGEST, output, record)
    assert steady == ["", "", ""]
    assert changed == (
        "1 figure changed since the run before: ./run.sh history --gateway FGVM02TM24001234"
    )
    assert aftermath.keep(outcome(4, mbps=(252.1,)), DIGEST, output, record) == ""


def test_the_document_alone_makes_the_row(record: Path) -> None:
    """What was not in output.xml is not in the record either."""
    told = document(outcome(0), DIGEST)
    assert store.facts_of(told)["gateway"]["version"] == "v7.4.8"
    assert store.facts_of(told)["endpoints"]["client"]["iperf3"] == "3.12"
