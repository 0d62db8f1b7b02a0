"""A study holds the gateway to what was ordered, and knows whether its frames passed it at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import FAIL, Case, alone, cases_of, prove
from faulty_lab import FaultyLab
from study_orders import order_with

TIER = "The Largest Frames Carry The Rate Of The Tier"
PARTS = (
    "Throughput Is Known For Each Frame Size",
    TIER,
    "Latency Is Known At That Throughput",
    "Loss Is Known At Each Load",
    "The Longest Burst Without Loss Is Known",
    "Recovery From An Overload Is Known",
)
TCP = (
    "The Path Is Known Without Load",
    "TCP Is Known For Each Window",
    "TCP Is Known For Several Connections",
)

RUNS = alone(
    Case(
        ("shaper-below-tier",),
        (TIER,),
        {TIER: (FAIL, "frame 1518", "promised is at least 311.918 Mbit/s", "shaper")},
    ),
    Case(
        ("policy-missing",),
        ("*.Published methods.*",),
        {
            **{name: (FAIL, "No frame over IPv", "gets through the gateway") for name in PARTS},
            **{name: (FAIL, "No connection gets through the gateway") for name in TCP},
        },
    ),
)
CASES = cases_of(RUNS)


@pytest.mark.long
@pytest.mark.parametrize("cases", RUNS)
def test_measured(lab: FaultyLab, cases: tuple[Case, ...], tmp_path: Path) -> None:
    prove(lab, *cases, order=order_with(tmp_path, "rfc2544", "rfc6349"))
