"""Room on the disk for what a run has to write, before it changes anything on a gateway."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from gatepass.base.errors import InputError

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
        free = shutil.disk_usage(folder).free // 2**20
        if free >= LEAST_MIB:
            try:
                with self._file.open("wb") as file:
                    os.posix_fallocate(file.fileno(), 0, _KEPT_MIB * 2**20)
                return
            except OSError:
                self.give()
        raise InputError(
            f"{folder.parent}: {free} MiB are free there, and a run needs {LEAST_MIB}. Make room, "
            "or name another place in GATEPASS_RESULTS."
        )

    def is_all_that_is_left(self) -> bool:
        """Whether the disk has filled up around it."""
        try:
            return shutil.disk_usage(self._file.parent).free < 2**20
        except OSError:  # the folder itself is gone
            return False

    def give(self) -> None:
        """Let it be used."""
        self._file.unlink(missing_ok=True)
