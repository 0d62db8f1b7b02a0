"""What is wrong with the rig is never the gateway's fault: not proven, with the reason."""

from __future__ import annotations

import pytest
from cases import (
    BASELINES,
    CLEAN,
    DOWN,
    LOSS,
    NOT_PROVEN,
    ONE,
    PATH,
    PERMITS,
    READY,
    UP,
    Case,
    prove,
)
from faulty_lab import FaultyLab

CLOCKS = "The Endpoints' Clocks Agree"
BEFORE, AFTER = "The Rig Carries The Tier Without The Gateway", "The Rig Has Not Drifted"

ITSELF = (NOT_PROVEN, "The path without the gateway carried no more than", "330 are needed")
HOST_KEY = (NOT_PROVEN, "client", "another host key", "known_hosts")
LOST = (NOT_PROVEN, "client", "SSH", "198.18.0.11")
BUSY = (NOT_PROVEN, "port 5201 on the server is busy")

CASES = [
    Case(
        ("slow-endpoint",),
        (READY, PATH, BASELINES, ONE, UP),
        {BEFORE: ITSELF, ONE: ITSELF, UP: ITSELF},
    ),
    Case(
        ("endpoint-cpu-busy",),
        (READY, PATH, ONE),
        {ONE: (NOT_PROVEN, "The client's CPU was taken by other programs", "% busy")},
    ),
    Case(
        ("iperf3-down",),
        (READY, PATH, BASELINES, ONE, LOSS, PERMITS),
        dict.fromkeys(
            (READY, BEFORE, ONE, LOSS, AFTER),
            (NOT_PROVEN, "server", "unable to start listener"),
        ),
    ),
    Case(
        ("iperf3-busy",),
        (READY, PATH, BASELINES, ONE, LOSS, PERMITS),
        dict.fromkeys((BEFORE, ONE, LOSS, AFTER), BUSY),
    ),
    Case(
        ("iperf3-missing",),
        (READY, PATH, ONE, PERMITS),
        {READY: (NOT_PROVEN, "client", "lacks iperf3"), ONE: (NOT_PROVEN, "iperf3", "client")},
    ),
    Case(
        ("ssh-lost",),
        (READY, PATH, ONE, LOSS, PERMITS, DOWN),
        dict.fromkeys((ONE, LOSS, PERMITS, DOWN, CLEAN), LOST),
        lost=True,
    ),
    Case(
        ("host-key-changed",),
        (READY, CLOCKS, PATH, ONE, PERMITS),
        dict.fromkeys((READY, CLOCKS, PATH, ONE, PERMITS, CLEAN), HOST_KEY),
        lost=True,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_is_told_and_not_held_against_the_gateway(lab: FaultyLab, case: Case) -> None:
    prove(lab, case)
