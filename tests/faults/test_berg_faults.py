"""The study of Berg holds the gateway to what was ordered, and knows what passed it, and how."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import ADDED_DELAYS, FAIL, NOT_PROVEN, Case, alone, cases_of, prove
from faulty_lab import FaultyLab
from study_orders import order_with

FIFTY = "Fifty Connections Carry The Rate Of The Tier"
FILTERED = (
    "The Packet Filter's Connections Are Known",
    "The Packet Filter's File Transfers Are Known",
)
ENCRYPTED = ("The VPN's Connections Are Known", "The VPN's File Transfers Are Known")
AGREED = "The VPN Carries What Was Agreed"

RUNS = alone(
    Case(
        ("iperf3-down",),
        (ADDED_DELAYS,),
        {ADDED_DELAYS: (NOT_PROVEN, "server", "unable to start listener")},
    ),
    Case(
        ("policy-missing",),
        (FIFTY, *FILTERED),
        dict.fromkeys((FIFTY, *FILTERED), (FAIL, "No connection gets through the gateway")),
    ),
    Case(
        ("shaper-below-tier",),
        (FIFTY,),
        {FIFTY: (FAIL, "50 TCP connections at once", "promised is at least 300 Mbit/s")},
    ),
    Case(
        ("ipsec-slow",),
        (AGREED,),
        {AGREED: (FAIL, "at least 20 Mbit/s", "The same path without a tunnel carried")},
    ),
    Case(
        ("ipsec-clear-beside",),
        (*ENCRYPTED, AGREED),
        dict.fromkeys((*ENCRYPTED, AGREED), (FAIL, "only encrypted packets are seen: not the")),
    ),
)
CASES = cases_of(RUNS)


@pytest.mark.long
@pytest.mark.parametrize("cases", RUNS)
def test_measured(lab: FaultyLab, cases: tuple[Case, ...], tmp_path: Path) -> None:
    prove(lab, *cases, order=order_with(tmp_path, "berg2005"))
