"""Turns for tests of several workers: many side by side, one alone, and what gives way to all."""

from __future__ import annotations

import fcntl
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from left_over import RUN, give_way

HERE = Path(__file__).parent
ALONE = (
    "tests/lab/test_dataplane_limits.py",
    "tests/lab/test_dataplane_shaper.py",
    "tests/lab/test_inspection_plane.py",
    "tests/runs/test_first_failure.py",
    "tests/runs/test_history_run.py",
    "tests/runs/test_recorded_run.py",
    "tests/runs/test_run.py",
)
"""What measures, as others at work would be measured as well, and what looks at the same run."""
MEASURED = re.compile(r"tests/faults/.*::(test_measured|.*(vpn|ipsec)-slow)")
"""Faults that show in a rate."""

COMPUTES = (
    *("tests/conformity/", "tests/core/", "tests/fleet/", "tests/fuzz/", "tests/inputs/"),
    *("tests/faults/test_doctor_in_a_lab.py", "tests/faults/test_management.py"),
    *("tests/faults/test_provisioning_faults.py", "tests/recordings/"),
    *("tests/runs/test_accidents.py", "tests/runs/test_bad_calls.py", "tests/runs/test_kill"),
    *("tests/runs/test_secrets.py", "tests/lab/test_network_lifecycle.py"),
    *("tests/lab/test_api_", "tests/test_"),
)
"""What has the processors that tests which measure leave over, but for what is named next: it
computes, or talks to a gateway for as long as it takes."""
SENDS = re.compile(
    r"tests/core/test_(added_delay|clock_agreement|datagrams|delay_line|delay_probes|"
    r"dialup_client|download|fail_closed|failure_data|forged|host_changes|iperf|open_ports|"
    r"portal|probe|proxy_users|pulse|rig_watch|shell|site_vpn|ssl_vpn_client|stand_in|stream|"
    r"strongswan|study_trials|talk|transactions|vpn_traffic)\.py"
)
"""What sends packets."""
MINUTES = re.compile(r"where_it_takes_minutes|applied-late|told_apart")
"""Tests that wait for long; each is the first of its file."""
LONGEST = (
    *("data_plane", "remote_faults", "services", "site_faults", "management"),
    *("fleet_in_labs", "endpoints", "kill", "fleet_engine", "bad_calls"),
)
"""Files that take minutes, by their length, longest first, without ``test_``."""
FIRST = (HERE / "faults", HERE / "runs")
"""The others that take long; a worker that began one of them last would be waited for."""


def place(file: Path, node: str) -> tuple[int, int, bool, str, bool]:
    """When a test has its turn: the longest files first, then what must be alone, beside which
    runs what gives way.

    Args:
        file: that it is in.
        node: its id.
    """
    name = file.stem.removeprefix("test_")
    length = LONGEST.index(name) if name in LONGEST else len(LONGEST)
    kind = 1 if must_be_alone(node) else 2 if gives_way(node) else 0
    return kind, length, file.parent not in FIRST, str(file), not MINUTES.search(node)


def gives_way(node: str) -> bool:
    """Whether a test may run beside one that must be alone.

    Args:
        node: its id.
    """
    return node.startswith(COMPUTES) and not SENDS.match(node)


def must_be_alone(node: str) -> bool:
    """Whether nothing else may be at work beside a test.

    Args:
        node: its id as pytest writes it, from the project's folder on.
    """
    return node.split("::")[0] in ALONE or bool(MEASURED.match(node))


@contextmanager
def turn(node: str) -> Iterator[None]:
    """Hold a turn for as long as the block lasts; what gives way takes none.

    A worker that dies gives its turn back, as the kernel lets go of its locks.

    Args:
        node: the test's id.
    """
    run = os.environ.get(RUN)
    if run is None:  # one process has all turns
        yield
        return
    if gives_way(node):
        _give_way_for_good()
        yield
        return
    alone = must_be_alone(node)
    gate, room = (Path(tempfile.gettempdir(), f"gatepass-tests-{run}.{name}") for name in
                  ("gate", "room"))
    with room.open("w") as inside:
        with gate.open("w") as waiting:
            # Who waits to be alone stands in the gate, so that nobody slips past.
            fcntl.flock(waiting, fcntl.LOCK_EX)
            fcntl.flock(inside, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield


_give_way_for_good = cache(give_way)
