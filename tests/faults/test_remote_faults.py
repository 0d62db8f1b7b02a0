"""Each fault of remote access is caught by the check that is there for it."""

from __future__ import annotations

import pytest
from cases import FAIL, Case, prove
from faulty_lab import FaultyLab

IN, OUTSIDER = "A User Gets In", "A User Outside The Group Is Refused"
DISABLED, EXPIRED = "A Disabled User Is Refused", "A Session That Has Expired Is Refused"
LOGGED_OUT, GONE = "A Session That Was Logged Out Is Refused", "Logging Out Takes Everything Away"
SPLIT, EVERYTHING = "A Split Tunnel Holds Both Ways", "Without A Split Tunnel Everything*"
FIVE, AT_ONCE = "Five Profiles Give Five Ways", "The Promised Users Are Connected At Once"
UP, DOWN = "Uploads Of One User", "Downloads Of One User"
ROUTES = "A VPN user gets an address of the pool and the routes of the profile: not so"


def chosen(*checks: str) -> tuple[str, ...]:
    """Patterns of these checks of the chapter."""
    return tuple(f"*.Remote Access.{check}" for check in checks)


CASES = [
    Case(
        ("vpn-pool-small", "users=37"),
        chosen(IN, AT_ONCE),
        {
            AT_ONCE: (
                FAIL,
                "Every promised VPN user is connected with an address of their own: not so",
                "37 of 50 users were connected",
            )
        },
    ),
    Case(
        ("split-tunnel-leaks",),
        chosen(IN, SPLIT, EVERYTHING, FIVE),
        {
            IN: (FAIL, ROUTES, "routes 0.0.0.0/0"),
            SPLIT: (FAIL, "everything else past it: not so", "gave the routes 0.0.0.0/0"),
            FIVE: (FAIL, ROUTES, "routes 0.0.0.0/0"),
        },
    ),
    Case(
        ("group-ignored",),
        chosen(IN, DISABLED, OUTSIDER),
        {OUTSIDER: (FAIL, "A user outside the group is refused: not so", "Got address")},
    ),
    Case(
        ("logout-ignored",),
        chosen(IN, LOGGED_OUT, EXPIRED, GONE),
        {
            LOGGED_OUT: (FAIL, "worth nothing after its logout: not so", "it got address"),
            GONE: (FAIL, "lists a VPN user no more after the logout: not so"),
        },
    ),
    Case(
        ("vpn-slow",),
        chosen(IN, UP, DOWN),
        dict.fromkeys(
            (UP, DOWN),
            (FAIL, "at least 50 Mbit/s", "The same path without a tunnel carried"),
        ),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_fault(lab: FaultyLab, case: Case) -> None:
    prove(lab, case)
