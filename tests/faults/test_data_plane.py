"""Each fault of the gateway's data plane is caught by the check that is there for it."""

from __future__ import annotations

import pytest
from cases import (
    BACKWARDS,
    BACKWARDS6,
    CEILING,
    COUNTS,
    DISABLED,
    DOWN,
    ENFORCEMENT,
    FAIL,
    IN_TIME,
    IPV6,
    LOSS,
    MANY,
    NEIGHBOURS,
    NEIGHBOURS6,
    ONE,
    ONE_NAT,
    ORDER,
    PATH,
    PERMITS,
    READY,
    UDP,
    UP,
    Case,
    alone,
    cases_of,
    prove,
    together,
)
from faulty_lab import FaultyLab

SHAPER = '"sgw-200" is set to 326 Mbit/s'
TOO_SLOW = (FAIL, "at least 300 Mbit/s", "The path without the gateway carried", SHAPER)
LET_THROUGH = "enough for the promise"
TOO_FAST = (FAIL, "at most 330 Mbit/s", SHAPER, "does not hold it")
BLOCKED = (
    "No connection gets through the gateway",
    "198.18.2.10 port 5301",
    "198.18.3.20 port 5301 is answered",
)
NOT_NARROW = (FAIL, "What a policy permits gets through", "198.18.2.10 port 5301")
BLOCKED_WAYS = (NEIGHBOURS, BACKWARDS, NEIGHBOURS6, BACKWARDS6)
IMPLICIT_DENY = "no policy matches it: the implicit deny"
INVISIBLE_DENY = "policy 4294967281, which the policy table does not show, decides: deny"
INVISIBLE_PERMIT = "policy 4294967282, which the policy table does not show, decides: accept"

MEASURED = alone(
    Case(
        ("shaper-below-tier",),
        (PATH, ONE, LOSS, UP),
        {ONE: (*TOO_SLOW, LET_THROUGH), UP: (*TOO_SLOW, LET_THROUGH)},
    ),
    Case(
        ("shaper-missing",),
        (PATH, CEILING),
        {DOWN: TOO_FAST, UP: TOO_FAST, UDP: TOO_FAST},
    ),
    Case(
        ("large-ruleset-slow",),
        (ONE, *MANY),
        {name: (FAIL, f"{name.split()[0]} policies", "at least 300 Mbit/s") for name in MANY},
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
        (ONE,),
        {ONE: (FAIL, "at least 300 Mbit/s", "Likely cause: TCP's segments carried 204 bytes")},
    ),
    Case(
        ("gateway-cpu-busy",),
        (ONE,),
        {ONE: (FAIL, "at least 300 Mbit/s", "Likely cause: the gateway's CPU was at")},
    ),
)

RUNS = [
    together(
        Case(
            ("nat-not-applied",),
            (PATH, ONE_NAT),
            {
                ONE_NAT: (
                    FAIL,
                    "The server sees 198.18.1.10; it should see 198.18.2.1",
                    "NAT is on in the policy and was not applied",
                )
            },
        ),
        Case(
            ("one-way-open",),
            (ENFORCEMENT,),
            {
                BACKWARDS: (FAIL, "server to client over IPv4", "198.18.1.10 port 5301", "4 of 4"),
                BACKWARDS6: (FAIL, "server to client over IPv6", "2001:2:0:1::10 port", "4 of 4"),
            },
        ),
        Case(
            ("implicit-deny-uncounted",),
            (ENFORCEMENT,),
            {COUNTS: (FAIL, "Policy 0 counted nothing while connections were blocked")},
        ),
        Case(
            ("disabled-policy-active",),
            (ENFORCEMENT,),
            {DISABLED: (FAIL, "198.18.2.10 port 5302: answered", "decides: accept", "-p")},
        ),
    ),
    *alone(
        Case(
            ("nat-always",),
            (PATH, PERMITS),
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
            (READY, PATH),
            {PATH: (FAIL, *BLOCKED, IMPLICIT_DENY)},
        ),
        Case(
            ("deny-above",),
            (READY, PATH),
            {PATH: (FAIL, *BLOCKED, INVISIBLE_DENY)},
        ),
        Case(
            ("any-any",),
            (PATH, PERMITS, *BLOCKED_WAYS, IPV6, COUNTS, ORDER),
            {
                NEIGHBOURS: (
                    FAIL,
                    "198.18.2.10 port 5302 was answered",
                    "3 of 3",
                    INVISIBLE_PERMIT,
                ),
                BACKWARDS: (FAIL, "198.18.1.10 port 5301 was answered", "4 of 4"),
                NEIGHBOURS6: (FAIL, "2001:2:0:2::10 port 5301 was answered", "4 of 4"),
                BACKWARDS6: (FAIL, "2001:2:0:1::10 port 5301 was answered", "4 of 4"),
                IPV6: (FAIL, "What no policy permits is blocked over IPv6", "answered"),
                COUNTS: (FAIL, "What no policy permits is blocked: not so", INVISIBLE_PERMIT),
            },
        ),
        Case(
            ("ipv6-open",),
            (PATH, ENFORCEMENT),
            {
                NEIGHBOURS6: (FAIL, "client to server over IPv6", "2001:2:0:2::10 port", "4 of 4"),
                BACKWARDS6: (FAIL, "server to client over IPv6", "2001:2:0:1::10 port", "4 of 4"),
                IPV6: (FAIL, "What no policy permits is blocked over IPv6", "answered"),
            },
        ),
        Case(
            ("ipv6-not-forwarded",),
            (PATH, ENFORCEMENT),
            {
                IPV6: (
                    FAIL,
                    "What a policy permits gets through over IPv6",
                    "2001:2:0:2::10 port 5301: silent",
                    "2001:2:0:3::20 port 5301 is answered",
                )
            },
        ),
        Case(
            ("not-applied",),
            (READY, PERMITS),
            {PERMITS: (*NOT_NARROW, IMPLICIT_DENY)},
        ),
        Case(
            ("applied-late",),
            (IN_TIME,),
            {IN_TIME: (FAIL, "Time until a change is in force", "at most 10 s", "by then")},
        ),
        Case(
            ("counters-zero",),
            (PATH, ONE, PERMITS),
            {ONE: (FAIL, "counted 0 bytes more than before; the receiver got")},
        ),
        Case(
            ("order-reversed",),
            # what this check leaves behind must not be in the way of the next one
            (PATH, PERMITS, ORDER, DISABLED),
            # which of its steps meets it first depends on how fast the gateway follows
            {ORDER: (FAIL, "198.18.2.10 port 5301: ", "decides: ", "-p")},
        ),
    ),
]
CASES = cases_of([*MEASURED, *RUNS])


@pytest.mark.parametrize("cases", MEASURED)
def test_measured(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)


@pytest.mark.parametrize("cases", RUNS)
def test_caught(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)
