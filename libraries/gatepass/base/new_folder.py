"""Makes the folder of a run, or of a fleet's, below the results."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from gatepass.base.errors import InputError
from gatepass.base.paths import RESULTS

_MOST = 1000
"""Runs of the same name in one second."""


def new_folder(before: str = "", after: str = "") -> Path:
    """A folder that no other run has; the time stands in its name.

    Args:
        before: what stands before the time.
        after: what stands after it.

    Raises:
        InputError: none can be made there.
    """
    stem = f"{before}{datetime.now().astimezone():%Y%m%d-%H%M%S}{after}"
    for number in range(1, _MOST):
        folder = RESULTS.absolute() / (stem if number == 1 else f"{stem}-{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise InputError(
                f"{RESULTS}: no folder can be made there: {error.strerror}. Name another one in "
                "GATEPASS_RESULTS."
            ) from None
        return folder
    raise InputError(f"{RESULTS} is full of runs of this second; try again.")
