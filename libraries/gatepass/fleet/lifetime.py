"""Whether the processes of a fleet live, known for certain: a pid is used again, a lock is not."""

from __future__ import annotations

import ctypes
import fcntl
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

_PR_SET_PDEATHSIG = 1
AT_WORK = "at-work"
"""In the folder of an order's run: locked by its worker and by its run, holds the worker's id."""
STOP = "stop"
"""In the folder of the fleet: a letter for each time that somebody asked it to stop."""


def when_parent_ends(number: int) -> Callable[[], None]:
    """What a process calls, or runs before its program, to get a signal at its parent's end."""
    libc = ctypes.CDLL(None, use_errno=True)
    return lambda: libc.prctl(_PR_SET_PDEATHSIG, number)


def hold(folder: Path, caller: str) -> IO[str]:
    """Say that an order or a fleet is at work for as long as this file, or a copy of it, is open.

    Args:
        folder: of the order's run, or of the fleet; exists.
        caller: the worker's id on the lock server; empty for a fleet.
    """
    file = (folder / AT_WORK).open("w", encoding="utf-8")
    fcntl.flock(file, fcntl.LOCK_EX)
    file.write(caller)
    file.flush()
    return file


def at_work(folder: Path) -> bool | None:
    """Whether worker or run of an order, or a fleet, live; None where it has not begun."""
    try:
        with (folder / AT_WORK).open(encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return None
    except BlockingIOError:
        return True
    return False


def caller_of(folder: Path) -> str:
    """The id on the lock server of an order's worker; empty where it never began."""
    with suppress(OSError):
        return (folder / AT_WORK).read_text(encoding="utf-8")
    return ""


def ask_to_stop(fleet: Path) -> None:
    """Have all workers of a fleet stop; once more, and their runs get a second signal."""
    with (fleet / STOP).open("a", encoding="utf-8") as file:
        file.write("x")


def times_asked_to_stop(fleet: Path) -> int:
    """How often a fleet was asked to stop."""
    with suppress(OSError):
        return (fleet / STOP).stat().st_size
    return 0
