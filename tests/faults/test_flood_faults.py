"""DoS policies that hold nothing, or too much, are found out."""

from __future__ import annotations

import pytest
from cases import FAIL, Case, alone, cases_of, prove
from faulty_lab import FaultyLab

FLOODS = (
    "A Flood Of SYN Segments Is Held",
    "A Flood Of UDP Datagrams Is Held",
    "A Flood Of ICMP Messages Is Held",
    "A Scan Of TCP Ports Is Held",
    "A Scan Of UDP Ports Is Held",
    "A Sweep By ICMP Is Held",
)
CONNECTIONS = "One Host Has No More Connections Than It May"
CHECKS = ("*.The edge of the network.Floods.*", "*.The edge of the network.Connections.*")
OTHERS = "no part in a flood gets through meanwhile: not the case"

RUNS = alone(
    Case(
        ("flood-ignored",),
        CHECKS,
        {
            **{name: (FAIL, "is held", "600 of 600 arrived with a threshold") for name in FLOODS},
            CONNECTIONS: (FAIL, "than it may: not", "20 of 20 were answered with a limit of 10"),
        },
    ),
    Case(
        ("flood-stops-neighbours",),
        CHECKS,
        {name: (FAIL, OTHERS) for name in (*FLOODS, CONNECTIONS)},
    ),
)
CASES = cases_of(RUNS)


@pytest.mark.parametrize("cases", RUNS)
def test_caught(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)
