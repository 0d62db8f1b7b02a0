"""Gatepass's own turns for runs of several workers, each in a lab: what measures is alone.

The runs of two workers take turns check by check, as those of a fleet do on one machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gatepass.run import turns
from left_over import RUN

PROJECT = Path(__file__).resolve().parents[1]
MACHINE = "this machine"
"""What all labs on it share."""


def socket_of(run: str) -> Path:
    """Of the lock server of a run of several workers.

    Args:
        run: value of `RUN` in its workers.
    """
    return Path(tempfile.gettempdir(), f"gatepass-tests-{run}.turns")


def serve(socket: Path) -> subprocess.Popen[bytes]:
    """Start a lock server; it ends with the process that starts it.

    Args:
        socket: where it listens.
    """
    return subprocess.Popen(
        [
            *("setpriv", "--pdeathsig", "TERM"),
            *(sys.executable, "-m", "gatepass", "turns-server", str(socket)),
        ],
        env=os.environ | {"PYTHONPATH": str(PROJECT / "libraries")},
        stdout=subprocess.DEVNULL,
    )


@contextmanager
def seated(slot: int, slots: int) -> Iterator[None]:
    """Have the runs that this worker starts take part, for as long as the block lasts.

    Args:
        slot: of this worker's runs among those that take turns.
        slots: how many there are.
    """
    run = os.environ[RUN]
    place = {"socket": str(socket_of(run)), "caller": f"{run}-{slot}", "order": f"tests {slot}"}
    place |= {"resources": [MACHINE], "slot": slot, "slots": slots}
    os.environ[turns.PLACE] = json.dumps(place)
    try:
        yield
    finally:
        del os.environ[turns.PLACE]


@contextmanager
def nobody_measures() -> Iterator[None]:
    """Have this worker's turn to be at work, where its runs take turns with others."""
    with turns.joined():
        if turns.current:
            turns.current.take(measuring=False)
        yield
