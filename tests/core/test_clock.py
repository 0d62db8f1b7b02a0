"""The time of an endpoint, whatever its `date` can do."""

from __future__ import annotations

from pathlib import Path

import pytest
from local_shell import LocalShell

from gatepass.base.errors import NotProven
from gatepass.endpoint import clock


def _shell(folder: Path, date: str, python: str = "") -> LocalShell:
    """An endpoint with other programs; in its scripts `real` is this machine's date."""
    programs = folder / "programs"
    programs.mkdir()
    for name, text in (("date", date), ("python3", python)):
        if text:
            (programs / name).write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{text}\n")
            (programs / name).chmod(0o755)
    return LocalShell("client", folder, inside=("env", f"PATH={programs}:/usr/bin:/bin"))


@pytest.mark.parametrize(
    ("date", "python"),
    [
        ('exec date "$@"', ""),
        ('exec date "$(echo "$1" | sed s/%N/%%N/)"', ""),  # BusyBox with glibc
        ('exec date "$(echo "$1" | sed s/%N//)"', ""),  # BusyBox with musl
        ('exec date "$(echo "$1" | sed s/%N/N/)"', "exit 127"),
        ("exit 1", ""),
    ],
)
def test_a_clock_that_agrees(tmp_path: Path, date: str, python: str) -> None:
    offset, found = clock.look(_shell(tmp_path, date, python), ("preflight",))
    assert abs(offset) < clock._SAME_CLOCK_S and not found.keeps


def test_a_clock_that_differs(tmp_path: Path) -> None:
    shell = _shell(tmp_path, "echo $(($(date +%s)+100)).5")
    offset, found = clock.look(shell, ("preflight",))
    assert 98 < offset < 102 and found.keeps == ("preflight",)
    assert str(found).startswith("the client's clock differs by +")


@pytest.mark.parametrize("words", ["", "Welcome\n1.5", "1e9", "nan", "1.5; rm", "-1.5", "x" * 999])
def test_what_is_no_time_is_told(tmp_path: Path, words: str) -> None:
    (tmp_path / "words").write_text(words)
    shell = _shell(tmp_path, f"cat {tmp_path}/words", f"cat {tmp_path}/words")
    with pytest.raises(NotProven, match=r"the client does not report its time \(.{0,80}\)\.$"):
        clock.look(shell, ("preflight",))
