"""Turns for tests of several workers: many side by side, or one alone."""

from __future__ import annotations

import fcntl
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ALONE = (
    "tests/lab/test_dataplane_limits.py",
    "tests/lab/test_inspection_plane.py",
    "tests/runs/test_first_failure.py",
    "tests/runs/test_history_run.py",
    "tests/runs/test_run.py",
)
"""What measures: others at work at the same time would be measured as well."""
MEASURED = re.compile(r"tests/faults/.*::(test_measured|.*(vpn|ipsec)-slow)")
"""Faults that show in a rate."""


def must_be_alone(node: str) -> bool:
    """Whether nothing else may be at work beside a test.

    Args:
        node: its id as pytest writes it, from the project's folder on.
    """
    return node.split("::")[0] in ALONE or bool(MEASURED.match(node))


@contextmanager
def turn(alone: bool) -> Iterator[None]:
    """Hold a turn for as long as the block lasts.

    A worker that dies gives its turn back, as the kernel lets go of its locks.

    Args:
        alone: whether nobody else may have one at the same time.
    """
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if run is None:  # one process has all turns
        yield
        return
    gate, room = (Path(tempfile.gettempdir(), f"gatepass-tests-{run}.{name}") for name in
                  ("gate", "room"))
    with room.open("w") as inside:
        with gate.open("w") as waiting:
            # Who waits to be alone stands in the gate, so that nobody slips past.
            fcntl.flock(waiting, fcntl.LOCK_EX)
            fcntl.flock(inside, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield
