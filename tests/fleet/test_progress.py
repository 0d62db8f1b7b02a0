"""What a run tells its fleet about how far it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gatepass.run.progress import FILE, tell


def test_each_event_is_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "progress.jsonl"
    monkeypatch.setenv(FILE, str(file))
    tell("chapter", name="Wärmeprüfung\nzwei")
    tell("goes on")
    chapter, goes_on = map(json.loads, file.read_text().splitlines())
    assert (chapter["event"], chapter["name"]) == ("chapter", "Wärmeprüfung\nzwei")
    assert goes_on["at"] >= chapter["at"]


def test_what_cannot_be_written_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FILE, str(tmp_path / "nowhere" / "progress.jsonl"))
    tell("goes on")
    monkeypatch.delenv(FILE)
    tell("goes on")
    assert not list(tmp_path.iterdir())
