"""Each fault of the gateway's data plane is caught by the check that is there for it."""

from __future__ import annotations

import pytest
from cases import (
    CEILING,
    COUNTS,
    DISABLED,
    DOWN,
    ENFORCEMENT,
    FAIL,
    LOSS,
    NOTHING_BACK,
    NOTHING_ELSE,
    ONE,
    ONE_NAT,
    ORDER,
    PATH,
    PERMITS,
    READY,
    UDP,
    UP,
    Case,
    prove,
)
from faulty_lab import FaultyLab

SHAPER = '"sgw-200" is set to 320 Mbit/s'
TOO_SLOW = (FAIL, "at least 300 Mbit/s", "The path without the gateway carried", SHAPER)
LET_THROUGH = "enough for the promise"
TOO_FAST = (FAIL, "at most 315 Mbit/s", SHAPER, "does not hold it")
BLOCKED = ("No connection gets through the gateway", "198.18.2.10 port 5301")
NOT_NARROW = (FAIL, "What a policy permits gets through", "198.18.2.10 port 5301")
IMPLICIT_DENY = "no policy matches it: the implicit deny"
INVISIBLE_DENY = "policy 4294967281, which the policy table does not show, decides: deny"
INVISIBLE_PERMIT = "policy 4294967282, which the policy table does not show, decides: accept"

CASES = [
    Case(
        ("shaper-below-tier",),
        (PATH, ONE, LOSS, UP),
        {ONE: (*TOO_SLOW, LET_THROUGH), UP: (*TOO_SLOW, LET_THROUGH)},
    ),
    Case(
        ("shaper-missing",),
        (PATH, ONE, CEILING),
        {DOWN: TOO_FAST, UP: TOO_FAST, UDP: TOO_FAST},
    ),
    Case(
        ("nat-not-applied",),
        (PATH, ONE, ONE_NAT, PERMITS),
        {
            ONE_NAT: (
                FAIL,
                "The server sees 198.18.1.10; it should see 198.18.2.1",
                "NAT is on in the policy and was not applied",
            )
        },
    ),
    Case(
        ("nat-always",),
        (PATH, ONE_NAT),
        {
            PATH: (
                FAIL,
                "The server sees 198.18.2.1; it should see 198.18.1.10",
                "NAT is off in the policy and was applied all the same",
            )
        },
    ),
    Case(
        ("policy-missing",),
        (READY, PATH, ONE),
        {PATH: (FAIL, *BLOCKED, IMPLICIT_DENY), ONE: (FAIL, *BLOCKED, IMPLICIT_DENY)},
    ),
    Case(
        ("deny-above",),
        (READY, PATH),
        {PATH: (FAIL, *BLOCKED, INVISIBLE_DENY)},
    ),
    Case(
        ("any-any",),
        (PATH, ONE, PERMITS, NOTHING_ELSE, NOTHING_BACK, COUNTS, ORDER),
        {
            NOTHING_ELSE: (FAIL, "198.18.2.10 port 5302 was answered", "7 of 7", INVISIBLE_PERMIT),
            NOTHING_BACK: (FAIL, "198.18.1.10 port 5301 was answered", "8 of 8"),
            COUNTS: (FAIL, "What no policy permits is blocked: not so", INVISIBLE_PERMIT),
        },
    ),
    Case(
        ("one-way-open",),
        (PATH, ENFORCEMENT),
        {NOTHING_BACK: (FAIL, "server to client", "198.18.1.10 port 5301 was answered", "8 of 8")},
    ),
    Case(
        ("packet-loss", "percent=5"),
        (PATH, LOSS, PERMITS),
        {
            LOSS: (
                FAIL,
                "at most 0.1 %",
                "The path without the gateway lost 0 %",
                "Likely cause: packets got lost on the way through the gateway",
            )
        },
    ),
    Case(
        ("mss-small",),
        (PATH, ONE),
        {ONE: (FAIL, "at least 300 Mbit/s", "Likely cause: TCP's segments carried 204 bytes")},
    ),
    Case(
        ("gateway-cpu-busy",),
        (PATH, ONE),
        {ONE: (FAIL, "at least 300 Mbit/s", "Likely cause: the gateway's CPU was at")},
    ),
    Case(
        ("not-applied",),
        (READY, PERMITS),
        {PERMITS: (*NOT_NARROW, IMPLICIT_DENY)},
    ),
    Case(
        ("counters-zero",),
        (PATH, ONE, PERMITS),
        {ONE: (FAIL, "counted 0 bytes more than before; the receiver got")},
    ),
    Case(
        ("disabled-policy-active",),
        (PATH, PERMITS, ORDER, DISABLED),
        {DISABLED: (FAIL, "198.18.2.10 port 5302: answered", "decides: accept", "-p")},
    ),
    Case(
        ("order-reversed",),
        # what this check leaves behind must not be in the way of the next one
        (PATH, PERMITS, ORDER, DISABLED),
        # which of its steps meets it first depends on how fast the gateway follows
        {ORDER: (FAIL, "198.18.2.10 port 5301: ", "decides: ", "-p")},
    ),
    Case(
        ("implicit-deny-uncounted",),
        (PATH, PERMITS, COUNTS, ORDER),
        {COUNTS: (FAIL, "Policy 0 counted nothing while connections were blocked")},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_is_caught(lab: FaultyLab, case: Case) -> None:
    prove(lab, case)
