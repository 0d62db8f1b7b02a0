"""Room on the disk for what a run has to write, before it changes anything on a gateway."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from gatepass.base.errors import InputError
from gatepass.base.finding import Finding

LEAST_MIB = 48
"""What a run and its certificate take at most, in trials and outputs."""
_KEPT_MIB = 4
_NAME = ".room"


class Room:
    """Room in a run's folder that is kept for its end.

    Where the disk fills up meanwhile, the journal and what tells of it still have their place.

    Args:
        folder: of the run.

    Raises:
        InputError: there is too little.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / _NAME
        if _free(folder) >= LEAST_MIB:
            try:
                with self._file.open("wb") as file:
                    os.posix_fallocate(file.fileno(), 0, _KEPT_MIB * 2**20)
                return
            except OSError:
                self.give()
        raise InputError(str(too_little(folder.parent)))

    def is_all_that_is_left(self) -> bool:
        """Whether the disk has filled up around it."""
        try:
            return shutil.disk_usage(self._file.parent).free < 2**20
        except OSError:  # the folder itself is gone
            return False

    def give(self) -> None:
        """Let it be used."""
        self._file.unlink(missing_ok=True)


def too_little(results: Path, keeps: tuple[str, ...] = ()) -> Finding:
    """That there is no room for a run.

    Args:
        results: the folder of all results; need not be there yet.
        keeps: the chapters of that run.
    """
    what = f"{results}: {_free(results)} MiB are free there, and a run needs {LEAST_MIB}"
    return Finding("here", what, "Make room, or name another place in GATEPASS_RESULTS.", keeps)


def look(results: Path, keeps: tuple[str, ...]) -> Finding:
    """Whether there is room for a run.

    Args:
        results, keeps: see `too_little`.
    """
    free = _free(results)
    if free < LEAST_MIB:
        return too_little(results, keeps)
    return Finding("here", f"{free:,} MiB are free in {results}")


def _free(folder: Path) -> int:
    """How much is free where a folder lies or will lie, MiB."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    return shutil.disk_usage(there).free // 2**20
