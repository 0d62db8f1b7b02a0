"""A DHCP server that is silent, or gives out what it should not, is found out."""

from __future__ import annotations

import pytest
from cases import FAIL, NOT_PROVEN, Case, cases_of, prove, together
from faulty_lab import FaultyLab

FIFTY = "Fifty Hosts Get Addresses At Once"
RESERVED = "A Reserved Address Goes To Its Host Alone"
USED_UP = "When The Range Is Used Up Nobody Loses An Address, And Every Lease Is Listed"
STARVED = "Hosts That Are Not Listed Cannot Use Up The Addresses"
CHECKS = ("*.The edge of the network.Dhcp.*",)

RUNS = [
    together(
        Case(
            ("dhcp-option-wrong", "of=router+lease-time"),
            CHECKS,
            {FIFTY: (FAIL, "router, 198.18.1.254 instead of 198.18.1.1", "186 s instead of 1860")},
        ),
        Case(
            ("dhcp-beyond-range",),
            CHECKS,
            {USED_UP: (FAIL, "A host too many", "which is not of the range")},
        ),
        Case(
            ("dhcp-list-ignored",),
            CHECKS,
            {STARVED: (FAIL, "of 200 hosts that are not on the list were answered")},
        ),
    ),
    together(
        Case(("dhcp-same-address",), CHECKS, {FIFTY: (FAIL, "was given to 02:", " and to 02:")}),
        Case(
            ("dhcp-reservation-ignored",),
            CHECKS,
            {
                RESERVED: (FAIL, "instead of 198.18.1.", "reserved for it. It was given to 02:"),
                USED_UP: (NOT_PROVEN, "the range was not used up: 48 of its 50 addresses"),
            },
        ),
    ),
    together(
        Case(
            ("dhcp-silent",),
            CHECKS,
            {
                FIFTY: (FAIL, "50 of 50 hosts got no address", "answered the ARP"),
                RESERVED: (FAIL, "got no address, although 198.18.1."),
                USED_UP: (NOT_PROVEN, "the range was not used up: 0 of its 50 addresses"),
                STARVED: (NOT_PROVEN, "the gateway gave no host an address"),
            },
        ),
    ),
]
CASES = cases_of(RUNS)


@pytest.mark.parametrize("cases", RUNS)
def test_caught(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)
