"""Whether a run's processes live, known for certain: a pid is used again, a lock is not."""

from __future__ import annotations

import fcntl
from contextlib import suppress
from pathlib import Path
from typing import IO

AT_WORK = ".at-work"
"""In the folder of a run, locked for as long as it lasts; in a fleet by its worker as well, whose
id it holds."""


def hold(folder: Path, caller: str = "") -> IO[str]:
    """Say that a run or a fleet is at work for as long as this file, or a copy of it, is open.

    Args:
        folder: of the run, or of the fleet; exists.
        caller: the worker's id on the lock server; empty for a run of its own and for a fleet.

    Raises:
        OSError: it cannot be written.
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
