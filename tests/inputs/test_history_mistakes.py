"""Mistakes in a call of history, results or dashboard: one sentence, exit code 64."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import command_line
from gatepass.cli import main
from history_examples import added, outcome

ROOT = Path(__file__).parents[2]

CALLS = [
    (["history", "--gateway", "FGVM0"], ["--gateway", "FGVM0", "FGVM02TM24001234"]),
    (["history", "--tier", "SGW-9"], ["--tier", "SGW-9", "SGW-200"]),
    (["history", "--version", "7.41"], ["--version", "7.41", "v7.4.8"]),
    (["history", "--promise", "speed"], ["--promise", "speed", "Stateful throughput"]),
    (["history", "--since", "yesterday"], ["--since", "yesterday", "2026-11-21"]),
    (["history", "--since", ""], ["--since", "2026-11-21"]),
    (["history", "--since", "0001-01-01"], ["--since", "2026-11-21"]),
    (["history", "--file", "empty"], ["empty", "no record"]),
    (["history", "--since", "2030-01-01"], ["--since", "2030-01-01", "2026-03-02"]),
    (["history", "--gate", "x"], ["--gate"]),
    (["history", "stray"], ["stray"]),
    (["history", "--add"], ["--add"]),
    (["history", "--add", "no-such.xml"], ["no-such.xml", "output.xml"]),
    (["history", "--add", "README.md"], ["README.md", "output.xml"]),
    (["history", "--add", "docs"], ["docs", "output.xml"]),
    (["history", "--add", "foreign.xml"], ["foreign.xml", "no run of Gatepass"]),
    (["history", "--file", ""], ["--file"]),
    (["history", "--file", "no-such.sqlite3"], ["no-such.sqlite3", "--add"]),
    (["history", "--file", "README.md"], ["README.md", "no record"]),
    (["history", "--file", "docs"], ["docs", "GATEPASS_HISTORY"]),
    (["results"], ["OUTPUT.XML"]),
    (["results", "no-such.xml"], ["no-such.xml"]),
    (["results", "foreign.xml"], ["foreign.xml"]),
    (["results", "output.xml", "--fly"], ["--fly"]),
    (["dashboard", "--fly"], ["--fly"]),
    (["dashboard", "--to", ""], ["--to"]),
    (["dashboard", "--to", "output.xml"], ["--to", ".html"]),
    (["dashboard"], ["results", "no run"]),
]
FOREIGN = (
    '<robot generator="Robot 7.5" schemaversion="6"><suite id="s1" name="Other">'
    '<test id="s1-t1" name="One"><status status="PASS"/></test><status status="PASS"/></suite>'
    "<statistics/><errors/></robot>"
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch) -> Path:
    """A folder with a record of one run, a file that is none, and a foreign output.xml."""
    record = tmp_path / "results" / "history.sqlite3"
    record.parent.mkdir()
    added(record, outcome(0))
    (tmp_path / "README.md").write_text("A page, and no record.\n" * 10)
    (tmp_path / "docs").mkdir()
    (tmp_path / "empty").touch()
    (tmp_path / "foreign.xml").write_text(FOREIGN)
    return tmp_path


def _call(place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    own = {
        "PYTHONPATH": str(ROOT / "libraries"),
        "GATEPASS_RESULTS": str(place / "results"),
    }
    return command_line.call(
        "gatepass", *words, folder=place, environment={**os.environ, **own}, patience_s=300
    )


@pytest.mark.parametrize(("words", "telling"), CALLS, ids=lambda value: " ".join(value))
def test_a_wrong_call(place: Path, words: list[str], telling: list[str]) -> None:
    before = (place / "results" / "history.sqlite3").read_bytes()
    done = _call(place, *words)
    assert done.returncode == 64, done.stdout + done.stderr
    (line,) = [line for line in done.stderr.splitlines() if line.strip()]
    assert line.startswith("Mistake: ") and line.endswith((".", "?"))
    for word in telling:
        assert word in line, line
    assert (place / "results" / "history.sqlite3").read_bytes() == before
    assert [path.name for path in (place / "results").iterdir()] == ["history.sqlite3"]


def test_who_has_read_enough_is_no_trouble(place: Path) -> None:
    """As `./run.sh history --json | head -c 1` does it."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "libraries")}
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as nobody:
        done = subprocess.run(
            [sys.executable, "-m", "gatepass", "history", "--json"],
            env=environment | {"GATEPASS_RESULTS": str(place / "results")},
            stdout=nobody,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_connection_that_breaks_is_never_a_success(monkeypatch) -> None:
    """The same error comes from a gateway's or an endpoint's line, and 0 would be a verdict."""

    def breaks(arguments: list[str]) -> int:
        raise BrokenPipeError

    for command in ("run", "restore", "fleet"):
        monkeypatch.setattr(f"gatepass.cli._{command}", breaks)
        assert main([command]) == 70


def test_results_that_cannot_be_written(place: Path, capsys, monkeypatch) -> None:
    monkeypatch.setattr(
        "gatepass.report.results_command.read_digested", lambda path: (outcome(0), "0" * 64)
    )
    assert main(["results", "output.xml", "--to", str(place / "nowhere")]) == 64
    assert "nowhere" in capsys.readouterr().err


def test_the_record_lies_where_the_environment_says(place: Path) -> None:
    moved = place / "kept" / "all.sqlite3"
    moved.parent.mkdir()
    added(moved, outcome(0, serial="FGVM02TM99999999"))
    done = subprocess.run(
        [sys.executable, "-m", "gatepass", "history"],
        cwd=place,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT / "libraries"),
            "GATEPASS_HISTORY": str(moved),
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "Runs of FGVM02TM99999999" in done.stdout, done.stderr
