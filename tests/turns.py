"""Turns for tests of several workers: many side by side, some in turns, some give way to all."""

from __future__ import annotations

import fcntl
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from enum import Enum
from functools import cache
from pathlib import Path

from left_over import RUN, give_way
from shared_turns import seated

HERE = Path(__file__).parent
ALONE = (
    "tests/lab/test_dataplane_limits.py",
    "tests/lab/test_dataplane_shaper.py",
    "tests/lab/test_inspection_plane.py",
)
"""What measures by itself, as others at work would be measured as well."""
RUNS = (
    "tests/runs/test_first_failure.py",
    "tests/runs/test_history_run.py",
    "tests/runs/test_recorded_run.py",
    "tests/runs/test_run.py",
)
"""Whose runs measure, and what looks at the same runs."""
MEASURED = re.compile(r"tests/faults/.*::(test_measured|.*(vpn|ipsec)-slow)")
"""Faults that show in a rate."""
BURDENED = re.compile(r"tests/faults/test_endpoints.py::test_measured")
"""Those of them that make the machine busy, also between the checks of a run."""

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


class Manner(Enum):
    """How a test goes beside those of other workers, in the order in which they have their turns.

    Attributes:
        BESIDE: beside others of its kind.
        WITH_RUNS: its runs measure, and take turns with other runs for each check.
        WITH_FAULTS: the same, of a lab that is made faulty.
        ALONE: nothing else may be at work.
        GIVES_WAY: it has what others leave over, whatever they do.
    """

    BESIDE = 0
    WITH_RUNS = 1
    WITH_FAULTS = 2
    ALONE = 3
    GIVES_WAY = 4


IN_TURNS = (Manner.WITH_RUNS, Manner.WITH_FAULTS)
MEASURES = (*IN_TURNS, Manner.ALONE)


def manner(node: str) -> Manner:
    """How a test goes beside others.

    Args:
        node: its id as pytest writes it, from the project's folder on.
    """
    file = node.split("::")[0]
    if file in ALONE or BURDENED.match(node):
        return Manner.ALONE
    if file in RUNS:
        return Manner.WITH_RUNS
    if MEASURED.match(node):
        return Manner.WITH_FAULTS
    computes = node.startswith(COMPUTES) and not SENDS.match(node)
    return Manner.GIVES_WAY if computes else Manner.BESIDE


def place(file: Path, node: str) -> tuple[int, int, bool, str, bool]:
    """When a test has its turn: the longest files first, then what measures, beside which runs what
    gives way.

    Args:
        file: that it is in.
        node: its id.
    """
    name = file.stem.removeprefix("test_")
    length = LONGEST.index(name) if name in LONGEST else len(LONGEST)
    return manner(node).value, length, file.parent not in FIRST, str(file), not MINUTES.search(node)


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
    how = manner(node)
    if how is Manner.GIVES_WAY:
        _give_way_for_good()
        yield
        return
    gate, beside, in_turns = (
        Path(tempfile.gettempdir(), f"gatepass-tests-{run}.{name}")
        for name in ("gate", "beside", "in-turns")
    )
    with ExitStack() as inside:
        with gate.open("w") as waiting:
            # Who waits for others to leave stands in the gate, so that nobody slips past.
            fcntl.flock(waiting, fcntl.LOCK_EX)
            for room, own in ((beside, how is Manner.BESIDE), (in_turns, how in IN_TURNS)):
                held = inside.enter_context(room.open("w"))
                fcntl.flock(held, fcntl.LOCK_SH if own else fcntl.LOCK_EX)
                if not own and how is not Manner.ALONE:  # empty, and nobody comes while we are in
                    fcntl.flock(held, fcntl.LOCK_UN)
        if how in IN_TURNS:
            inside.enter_context(seated(IN_TURNS.index(how), len(IN_TURNS)))
        yield


_give_way_for_good = cache(give_way)
