"""Each fault of remote access is caught by the check that is there for it."""

from __future__ import annotations

import pytest
from cases import FAIL, NOT_PROVEN, Case, alone, cases_of, prove, together
from faulty_lab import FaultyLab

WAY_IN = "SSL VPN Is The Way In"
IN, BEHIND_NAT = "A User Gets In", "A User Behind NAT Is Seen As The Gateway"
WRONG, OUTSIDER = "A Wrong Password Is Refused", "A User Outside The Group Is Refused"
DISABLED, EXPIRED = "A Disabled User Is Refused", "A Session That Has Expired Is Refused"
LOGGED_OUT, GONE = "A Session That Was Logged Out Is Refused", "Logging Out Takes Everything Away"
SPLIT = "A Split Tunnel Holds Both Ways"
EVERYTHING = "Without A Split Tunnel Everything Goes Through It"
FIVE, AT_ONCE = "Five Profiles Give Five Ways", "The Promised Users Are Connected At Once"
UP, DOWN = "Uploads Of One User", "Downloads Of One User"
IN_TIME = "Remote Access Adds Hardly Any Delay"
ROUTES = "A VPN user gets an address of the pool and the routes of the profile: not the case"


def chosen(*checks: str) -> tuple[str, ...]:
    """Patterns of these checks of the chapter."""
    return tuple(f"*.Remote access.{check}" for check in checks)


NO_WAY_OUT = (NOT_PROVEN, "198.18.3.20 port 10443 is not answered on the path without the gateway")
LET_IN = (NOT_PROVEN, "symbol lookup error", "the gateway lets the same user in", "openconnect")
LACKS = (NOT_PROVEN, "lacks openconnect", "Install it there")

RUNS = [
    *alone(
        Case(
            ("client-firewall",),
            chosen(IN, LOGGED_OUT),
            dict.fromkeys((IN, LOGGED_OUT), NO_WAY_OUT),
        ),
        Case(
            ("vpn-client-broken",),
            chosen(IN, OUTSIDER, LOGGED_OUT, AT_ONCE),
            dict.fromkeys((IN, OUTSIDER, LOGGED_OUT, AT_ONCE), LET_IN),
        ),
        Case(("vpn-client-missing",), chosen(IN, SPLIT), dict.fromkeys((IN, SPLIT), LACKS)),
        Case(
            ("server-firewall",),
            chosen(IN, SPLIT, AT_ONCE),
            dict.fromkeys((IN, SPLIT, AT_ONCE), (NOT_PROVEN, "Is there a firewall on the server")),
        ),
    ),
    *alone(
        Case(
            ("vpn-not-served",),
            chosen(WAY_IN),
            {WAY_IN: (FAIL, "A user of the group gets in: not the case", "did not")},
        ),
    ),
    together(
        Case(
            ("vpn-password-ignored",),
            chosen(WRONG, IN),
            {WRONG: (FAIL, "A user with a wrong password is refused: not the", "got the address")},
        ),
        Case(
            ("disabled-users-let-in",),
            chosen(DISABLED, OUTSIDER),
            {DISABLED: (FAIL, "A disabled user is refused: not the case", "got the address")},
        ),
        Case(
            ("nat-not-applied",),
            chosen(BEHIND_NAT),
            {
                BEHIND_NAT: (
                    FAIL,
                    "The server sees the VPN user with the address that the policy should give: "
                    "not the case",
                    "expected is 198.18.2.1, the gateway's",
                )
            },
        ),
        Case(
            ("full-tunnel-split",),
            chosen(EVERYTHING, SPLIT),
            {EVERYTHING: (FAIL, ROUTES, "routes 198.18", "the profile leads to 0.0.0.0/0")},
        ),
        Case(
            ("vpn-session-endless",),
            chosen(EXPIRED, LOGGED_OUT),
            {
                EXPIRED: (
                    FAIL,
                    "The gateway ends a session when its time is over: not the case",
                    "A login lasts 8 s; the tunnel was still up",
                )
            },
        ),
    ),
    together(
        Case(
            ("group-ignored",),
            chosen(IN, DISABLED, OUTSIDER),
            {OUTSIDER: (FAIL, "A user outside the group is refused: not the", "got the address")},
        ),
        Case(
            ("logout-ignored",),
            chosen(LOGGED_OUT, EXPIRED, GONE),
            {
                LOGGED_OUT: (FAIL, "worth nothing after its logout: not the", "it got the address"),
                GONE: (FAIL, "lists a VPN user no more after the logout: not the case"),
            },
        ),
    ),
    together(
        Case(
            ("split-tunnel-leaks",),
            chosen(IN, SPLIT, EVERYTHING, FIVE),
            {
                IN: (FAIL, ROUTES, "routes 0.0.0.0/0"),
                SPLIT: (FAIL, "everything else past it: not the case", "gave the routes 0.0.0.0/0"),
                FIVE: (FAIL, ROUTES, "routes 0.0.0.0/0"),
            },
        ),
        Case(
            ("vpn-pool-small", "users=37"),
            chosen(AT_ONCE),
            {
                AT_ONCE: (
                    FAIL,
                    "Every promised VPN user is connected with an address of their own: not the",
                    "37 of 50 users were connected",
                    "A login without openconnect is granted and gets no address",
                )
            },
        ),
    ),
    *alone(
        Case(
            ("vpn-slow",),
            chosen(IN, UP, DOWN, IN_TIME),
            dict.fromkeys(
                (UP, DOWN),
                (FAIL, "at least 50 Mbit/s", "The same path without a tunnel carried"),
            )
            | {IN_TIME: (FAIL, "99th percentile", "at most 12 ms", "The path without the gateway")},
        ),
    ),
]
CASES = cases_of(RUNS)


@pytest.mark.parametrize("cases", RUNS)
def test_caught(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)
