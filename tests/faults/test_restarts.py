"""A gateway that is open while it starts, or closed after, is found out."""

from __future__ import annotations

import pytest
from cases import FAIL, Case, alone, cases_of, prove
from faulty_lab import FaultyLab

CLOSED = "Nothing Else Passes While The Gateway Restarts"
BACK = "What Is Permitted Passes Again By Itself After A Restart"
CHECKS = ("*.The edge of the network.Restart.*",)

RUNS = alone(
    Case(
        ("boots-open",),
        CHECKS,
        {CLOSED: (FAIL, "while the gateway restarts: not the case", "ICMP packets arrived")},
    ),
    Case(
        ("policies-forgotten",),
        CHECKS,
        {BACK: (FAIL, "after a restart: not the case", "Nothing permitted passed any more")},
    ),
)
CASES = cases_of(RUNS)


STANDING = """
import os, pathlib, select, signal, sys
while not select.select([sys.stdin], [], [], 0.1)[0]:
    found = []
    for place in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = place.read_bytes().split(b"\\0")
        except OSError:
            continue
        if any(word.endswith(b"/stream.py") for word in words) and b"take" in words:
            found.append(int(place.parent.name))
    for what in (signal.SIGSTOP, signal.SIGCONT):
        for number in found:
            try:
                os.kill(number, what)
            except ProcessLookupError:
                pass
        if what == signal.SIGSTOP:
            select.select([sys.stdin], [], [], 0.15)
"""
"""The receiver of the permitted packets stands still again and again, as on a busy machine."""


@pytest.mark.parametrize("cases", RUNS[1:])
def test_caught_by_a_receiver_that_stands_still(
    lab: FaultyLab, cases: tuple[Case, ...]
) -> None:
    """What it reads after the restart was sent before the gateway went down."""
    with lab.at_work("server", "python3", "-c", STANDING):
        prove(lab, *cases)


@pytest.mark.parametrize("cases", RUNS)
def test_caught(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)
