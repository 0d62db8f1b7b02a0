"""Faults of address translation, and of what the gateway itself answers, are found out."""

from __future__ import annotations

import pytest
from cases import FAIL, Case, cases_of, prove, together
from faulty_lab import FaultyLab

PORT, ADDRESS = "A Published Port Leads To Its Host", "A Published Address Leads To Its Host"
POOL, HAIRPIN = (
    "Sources Leave By Their Pool",
    "Inside Hosts Reach A Published Port By Its Outside Address",
)
OWN = "A Local-In Policy Closes The Gateway's Own Address To A Host"
IDLE = "An Idle UDP Session Ends When Its Service Says"
CHECKS = tuple(f"*.{name}" for name in (PORT, ADDRESS, POOL, HAIRPIN, OWN, IDLE))

RUNS = (
    together(
        Case(
            ("vip-every-port",),
            CHECKS,
            {PORT: (FAIL, "a published port lead to no host", "port 39502", "with the rules in")},
        ),
        Case(
            ("vip-one-way",),
            CHECKS,
            {ADDRESS: (FAIL, "leave by its published address: not the", "and not from 198.18.2.")},
        ),
        Case(
            ("pool-ignored",),
            CHECKS,
            {POOL: (FAIL, "by the addresses of their pool", "was seen from 198.18.2.1, and not")},
        ),
        Case(
            ("vip-not-from-inside",),
            CHECKS,
            {HAIRPIN: (FAIL, "reaches another by its outside address", "arrived nowhere with")},
        ),
        Case(
            ("local-in-ignored",),
            CHECKS,
            {OWN: (FAIL, "silent to its host", "was answered with the rules in force")},
        ),
        Case(
            ("idle-sessions-stay",),
            CHECKS,
            {IDLE: (FAIL, "does not pass once the time", "and again after 6 s without a packet")},
        ),
    ),
    together(
        Case(
            ("vip-wrong-port",),
            CHECKS,
            {
                PORT: (FAIL, "a published port arrives at its host", "port 39402, and not at"),
                # the same port is published to hosts inside
                HAIRPIN: (FAIL, "reaches another by its outside address", "port 39402, and not"),
            },
        ),
        Case(
            ("vip-stays",),
            CHECKS,
            {ADDRESS: (FAIL, "a published address leads nowhere: not the", "after the rules were")},
        ),
    ),
)
CASES = cases_of(RUNS)


@pytest.mark.parametrize("cases", RUNS)
def test_caught(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)
