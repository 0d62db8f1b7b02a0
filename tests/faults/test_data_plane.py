"""Each fault of the gateway's data plane is caught by the check that is there for it."""

from __future__ import annotations

import pytest
from cases import (
    ADDRESSES,
    ANSWERS,
    BLOCKED,
    BY_ONE_BIT,
    CEILING,
    COUNTS,
    DISABLED,
    DOWN,
    FAIL,
    FRAGMENTS,
    HELPERS,
    ICMP,
    IN_TIME,
    IPV6,
    LOSS,
    LOSS6,
    MANY,
    NAT6,
    ONE,
    ONE6,
    ONE_NAT,
    OPTIONS,
    ORDER,
    OTHER_TCP,
    OTHER_UDP,
    PATH,
    PERMITS,
    PROTOCOLS,
    READY,
    SESSIONLESS,
    SOURCE_PORTS,
    SOURCES,
    STORIES,
    UDP,
    UP,
    UP6,
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
TOO_FAST = (FAIL, "at most 330 Mbit/s", SHAPER, "but more gets through")
LOST = (
    *(FAIL, "at most 0.1 %", "The path without the gateway lost 0 %"),
    "Likely cause: packets got lost on the way through the gateway",
)
NO_WAY = (
    "No connection gets through the gateway",
    "198.18.2.10 port 5301",
    "198.18.3.20 port 5301 is answered",
)
NOT_NARROW = (FAIL, "What a policy permits gets through", "198.18.2.10 port 5301")
IMPLICIT_DENY = "no policy matches it: the implicit deny"
INVISIBLE_DENY = "policy 4294967281, which the policy table does not show, decides: deny"
INVISIBLE_PERMIT = "policy 4294967282, which the policy table does not show, decides: accept"

LEAKS = (
    *("rdp-from-outside", "high-udp-port", "syn-fin", "from-port-67", "protocol-253"),
    *("icmp-timestamp", "fragments-ipv6", "router-alert", "other-host", "forged-inside"),
    *("neighbour-source", "ftp-data", "management-outside"),
)
CAUGHT = {
    OTHER_TCP: ("TCP SYN to port 3389, server to client over IPv4", "leaks/tcp_ports.csv"),
    OTHER_UDP: ("UDP to port 60001, client to server over IPv6", "leaks/server.pcap"),
    SESSIONLESS: ("TCP with SYN and FIN to ", "leaks/sessionless.csv"),
    SOURCE_PORTS: ("UDP from port 67 to ", "leaks/client.pcap"),
    PROTOCOLS: ("IP protocol 253, client to server over IPv4",),
    ICMP: ("ICMP type 13, client to server over IPv4",),
    FRAGMENTS: ("fragment of UDP, client to server over IPv6",),
    OPTIONS: ("UDP with a router alert, client to server over IPv4",),
    ADDRESSES: ("TCP SYN to 198.18.2.77 port 5301, client to server over IPv4",),
    SOURCES: ("from 198.18.1.11 (forged), server to client over IPv4",),
    BY_ONE_BIT: ("TCP SYN from 198.18.1.8 (forged), client to server over IPv4",),
    HELPERS: ("an FTP data connection (active), to port 40021, server to client over IPv4",),
    ANSWERS: (
        "TCP port 443 of 198.18.0.2 from the server's side answers, which nothing configures",
    ),
}
"""One leak of each kind that nobody else's check is about, and how it is named."""

OPENED = [name for name in BLOCKED if name != SESSIONLESS]
"""What a policy too many lets through: it, too, wants sessions to begin as they should."""


def slow_by_policies(*checks: str) -> Case:
    """A gateway that is slow where it has many policies, found out by these checks."""
    wanted = {
        name: (FAIL, f"{name.split()[0]} policies", "at least 300 Mbit/s") for name in checks
    }
    return Case(("large-ruleset-slow",), (ONE, *checks), wanted)


MEASURED = alone(
    Case(
        ("shaper-below-tier",),
        (PATH, ONE, LOSS, UP),
        {ONE: (*TOO_SLOW, LET_THROUGH), UP: (*TOO_SLOW, LET_THROUGH)},
    ),
    Case(
        ("shaper-missing",),
        (PATH, CEILING),
        {DOWN: TOO_FAST, UP: TOO_FAST, UDP: TOO_FAST, UP6: TOO_FAST},
    ),
    Case(
        ("packet-loss", "percent=0.5"),
        (PATH, LOSS, LOSS6, PERMITS),
        {LOSS: LOST, LOSS6: (*LOST, "over IPv6")},
    ),
)
MEASURED.append(
    together(
        slow_by_policies(MANY[0], MANY[-1]),
        Case(
            ("ipv6-slow",),
            (ONE, ONE6, UP6),
            {
                ONE6: (FAIL, "over IPv6", "at least 300 Mbit/s", "The path without the gateway"),
                UP6: (FAIL, "over IPv6", "at least 300 Mbit/s", "The path without the gateway"),
            },
        ),
    )
)

RUNS = [
    together(
        Case(
            ("nat-not-applied",),
            (PATH, ONE_NAT, NAT6),
            {
                name: (
                    FAIL,
                    f"The server sees {client}; it should see {gateway}",
                    "NAT is on in the policy and was not applied",
                )
                for name, client, gateway in (
                    (ONE_NAT, "198.18.1.10", "198.18.2.1"),
                    (NAT6, "2001:2:0:1::10", "2001:2:0:2::1"),
                )
            },
        ),
        Case(
            ("one-way-open",),
            (*BLOCKED, *STORIES),
            dict.fromkeys(OPENED, (FAIL, "server to client over IPv", ".csv lists them")),
        ),
        Case(
            ("implicit-deny-uncounted",),
            STORIES,
            {COUNTS: (FAIL, "Policy 0 counted nothing while connections were blocked")},
        ),
        Case(
            ("disabled-policy-active",),
            STORIES,
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
            {PATH: (FAIL, *NO_WAY, IMPLICIT_DENY)},
        ),
        Case(
            ("deny-above",),
            (READY, PATH),
            {PATH: (FAIL, *NO_WAY, INVISIBLE_DENY)},
        ),
        Case(
            ("any-any",),
            (PATH, PERMITS, IPV6, COUNTS, ORDER),
            {
                IPV6: (FAIL, "What no policy permits is blocked over IPv6", "answered"),
                COUNTS: (FAIL, "What no policy permits is blocked: not the case", INVISIBLE_PERMIT),
            },
        ),
        Case(
            ("leak", "of=" + "+".join(LEAKS)),
            (*BLOCKED, ANSWERS),
            {name: (FAIL, *words) for name, words in CAUGHT.items()},
        ),
        Case(
            ("ipv6-open",),
            (PATH, *STORIES),
            {
                IPV6: (FAIL, "What no policy permits is blocked over IPv6", "answered"),
            },
        ),
        Case(
            ("ipv6-not-forwarded",),
            (PATH, *STORIES),
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
OTHERS = alone(
    slow_by_policies(*MANY[1:-1]),
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
"""Rows between the first and the last of a table, and other causes of what the first row tells:
they are tried where long tests are."""
CASES = cases_of([*MEASURED, *RUNS, *OTHERS])


@pytest.mark.parametrize("cases", MEASURED)
def test_measured(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)


@pytest.mark.parametrize("cases", RUNS)
def test_caught(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)


@pytest.mark.long
@pytest.mark.parametrize("cases", OTHERS)
def test_measured_others(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)
