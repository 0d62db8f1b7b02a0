"""A browser is one that answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from gatepass.base import chromium

ANSWERS = "echo Chromium 120.0.1"
STUB = "echo >&2; echo 'Please install it with: snap install chromium' >&2; exit 1"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where browsers are looked for; programs are found there and in the system."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def put(path: Path, does: str) -> None:
    path.write_text(f"#!/bin/sh\n{does}\n")
    path.chmod(0o755)


@pytest.mark.parametrize("name", chromium.BROWSERS)
def test_one_that_answers_is_found_by_each_name(folder: Path, name: str) -> None:
    put(folder / name, ANSWERS)
    assert chromium.look() == chromium.Browser(str(folder / name))
    assert chromium.chromium() == str(folder / name)


def test_a_word_of_where_to_get_one_is_none(folder: Path) -> None:
    put(folder / "chromium-browser", STUB)
    assert chromium.look() == chromium.Browser(
        None, "Please install it with: snap install chromium"
    )
    put(folder / "google-chrome-stable", ANSWERS)
    assert chromium.chromium() == str(folder / "google-chrome-stable")


def test_there_may_be_none(folder: Path) -> None:
    assert chromium.look() == chromium.Browser(None)


def test_one_that_cannot_be_started_complains(folder: Path) -> None:
    (folder / "chromium").write_text("#!/no/such/interpreter\n")
    (folder / "chromium").chmod(0o755)
    assert chromium.look() == chromium.Browser(None, "No such file or directory")


def test_one_that_does_not_answer_is_not_waited_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(folder / "chromium", "exec /bin/sleep 600")
    monkeypatch.setattr(chromium, "_PATIENCE_S", 0.2)
    assert chromium.look().complaint.startswith("it did not tell its version within")


def test_it_gets_no_secret(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEPASS_TOKEN", "secret")
    put(folder / "chromium", '[ -z "$GATEPASS_TOKEN" ]')
    assert chromium.chromium()
