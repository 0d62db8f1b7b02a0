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
        {CLOSED: (FAIL, "while the gateway restarts: not so", "ICMP packets arrived")},
    ),
    Case(
        ("policies-forgotten",),
        CHECKS,
        {BACK: (FAIL, "after a restart: not so", "Nothing permitted passed any more")},
    ),
)
CASES = cases_of(RUNS)


@pytest.mark.parametrize("cases", RUNS)
def test_caught(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)
