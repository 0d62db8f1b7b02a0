"""Turns for tests of several workers: many side by side, some in turns, some give way to all."""

from __future__ import annotations

import fcntl
import os
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TextIO

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
    "tests/runs/test_hostile_answers.py",
    "tests/runs/test_promises_of_a_run.py",
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
    r"tests/core/test_(added_delay|clock|clock_agreement|datagram_breaks|datagrams|delay_line|"
    r"delay_probes|dialup_client|download|fail_closed|failure_data|failure_exchanges|forged|"
    r"host_changes|iperf|iperf_breaks|iperf_intervals|odd_endpoints|open_ports|portal|probe|"
    r"processor_time|proxy_users|pulse|rig_watch|room|self_test|shell|site_vpn|ssl_vpn_client|"
    r"stand_in|stream|"
    r"strongswan|study_trials|talk|transactions|visits|vpn_traffic|where_lost|wire_count)\.py"
)
"""What sends packets, or is at work on a host of its own."""
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
def turn(node: str, then: str | None) -> Iterator[None]:
    """Hold a turn for as long as the block lasts; what gives way takes none.

    Those beside each other go first: a worker keeps their turn until none of its tests is left that
    is of their kind. Between two of them what measures would begin, for minutes, and have the
    second wait. A worker that dies gives its turn back, as the kernel lets go of its locks.

    Args:
        node: the test's id.
        then: that of the worker's next one; None where there is none.
    """
    if RUN not in os.environ:  # one process has all turns
        yield
        return
    how = manner(node)
    if how is Manner.GIVES_WAY:
        _give_way_for_good()
        yield
        return
    room = _ROOMS[how]
    room.enter()
    try:
        with seated(IN_TURNS.index(how), len(IN_TURNS)) if how in IN_TURNS else nullcontext():
            yield
    finally:
        if how is not Manner.BESIDE or then is None or manner(then) is not how:
            room.leave()


class _Room:
    """Where workers of one kind are at work at the same time, and no others.

    Args:
        name: of the kind.
        alone: whether it holds no more than one.
    """

    def __init__(self, name: str, alone: bool = False) -> None:
        self._name, self._alone = name, alone
        self._door: TextIO | None = None

    def enter(self) -> None:
        """Be in it, as soon as nobody is in another one."""
        others = [one for one in _ROOMS.values() if one is not self or self._alone]
        while not self._door:
            with _open("gate") as gate:
                fcntl.flock(gate, fcntl.LOCK_EX)
                if all(one._is_empty() for one in others):
                    self._door = _open(self._name)
                    fcntl.flock(self._door, fcntl.LOCK_SH)
                    return
            time.sleep(_LOOK_S)

    def leave(self) -> None:
        """Be in it no more."""
        if self._door:
            self._door.close()
            self._door = None

    def _is_empty(self) -> bool:
        with _open(self._name) as door:
            try:
                fcntl.flock(door, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
            return True


def _open(name: str) -> TextIO:
    run = os.environ[RUN]
    return Path(tempfile.gettempdir(), f"gatepass-tests-{run}.{name}").open("w")


_TURNS = _Room("in-turns")
_ROOMS = {
    Manner.BESIDE: _Room("beside"),
    Manner.WITH_RUNS: _TURNS,
    Manner.WITH_FAULTS: _TURNS,
    Manner.ALONE: _Room("alone", alone=True),
}
_LOOK_S = 0.1
_give_way_for_good = cache(give_way)
