"""How the processes of a fleet end: with the one that started them, or because somebody asked."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

_PR_SET_PDEATHSIG = 1
STOP = "stop"
"""In the folder of the fleet: a letter for each time that somebody asked it to stop."""


def when_parent_ends(number: int) -> Callable[[], None]:
    """What a process calls, or runs before its program, to get a signal at its parent's end."""
    libc = ctypes.CDLL(None, use_errno=True)
    return lambda: libc.prctl(_PR_SET_PDEATHSIG, number)


def ask_to_stop(fleet: Path) -> None:
    """Have all workers of a fleet stop; once more, and their runs get a second signal."""
    with (fleet / STOP).open("a", encoding="utf-8") as file:
        file.write("x")


def times_asked_to_stop(fleet: Path) -> int:
    """How often a fleet was asked to stop."""
    with suppress(OSError):
        return (fleet / STOP).stat().st_size
    return 0
