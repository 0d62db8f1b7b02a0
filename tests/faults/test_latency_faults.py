"""A gateway that holds packets up is found out, by the checks of what it holds them up with."""

from __future__ import annotations

import pytest
from cases import FAIL, NOT_PROVEN, Case, alone, cases_of, prove
from faulty_lab import FaultyLab

KINDS = tuple(
    f"{size} Packets Over {version}" for version in ("IPv4", "IPv6") for size in ("Small", "Large")
)
AT_REST = tuple(f"{kind}, At Rest" for kind in KINDS)
UNDER_LOAD = tuple(
    f"{kind}, At {share} Tier's Rate" for share in ("Half The", "The") for kind in KINDS
)
OVERLOAD = tuple(f"{kind}, In An Overload" for kind in KINDS)
BY_RULES = tuple(f"{size} Packets, 1000 Policies" for size in ("Small", "Large"))
BESIDE_TCP = "Delay Stays Bounded Beside TCP Both Ways"
INSPECTED = "Inspection Adds Hardly Any Delay"
IN_TUNNEL, REMOTE = "A Tunnel Adds Hardly Any Delay", "Remote Access Adds Hardly Any Delay"
BESIDE_THE_TUNNEL = "The same path without a tunnel, under the same load, had a"
ALONE = "The path without the gateway"
ADDED = (FAIL, "99th percentile", "at most 5 ms", f"{ALONE}, under the same load, had a")
QUEUED = (FAIL, "Delay in the gateway's queue", "at most 400 ms", ALONE)

OTHERS = {"jitter", "endpoint-clock-drifts"}
"""Faults of checks that fail with another one as well: they are tried where long tests are."""
RUNS = alone(
    Case(
        ("latency",),
        (*AT_REST, INSPECTED),
        dict.fromkeys((*AT_REST, INSPECTED), ADDED),
    ),
    Case(("jitter",), AT_REST, dict.fromkeys(AT_REST, ADDED)),
    Case(
        ("latency-by-policies",),
        (AT_REST[0], *BY_RULES),
        dict.fromkeys(BY_RULES, (*ADDED, "1000 policies")),
    ),
    Case(
        ("latency-under-load", "milliseconds=700"),
        (*AT_REST, *UNDER_LOAD, *OVERLOAD),
        dict.fromkeys(UNDER_LOAD, ADDED) | dict.fromkeys(OVERLOAD, QUEUED),
    ),
    Case(("ipsec-slow",), (IN_TUNNEL,), {IN_TUNNEL: (*ADDED[:-1], BESIDE_THE_TUNNEL)}),
    Case(("vpn-slow",), (REMOTE,), {REMOTE: ADDED}),
    # both paths are told by the same clocks, so that nobody is blamed for what these do
    Case(
        ("endpoint-clock-drifts", "milliseconds_per_s=20"),
        AT_REST[:2],
        dict.fromkeys(AT_REST[:2], (NOT_PROVEN,)),
    ),
    # at a rate at which TCP's own buffers suffice to fill so long a queue
    Case(
        ("latency-under-load", "milliseconds=700", "mbps=20"),
        (BESIDE_TCP,),
        {BESIDE_TCP: QUEUED},
    ),
)
CASES = cases_of(RUNS)


NEEDED = [run for run in RUNS if not {case.name for case in run.values[0]} & OTHERS]
MORE = [run for run in RUNS if run not in NEEDED]


@pytest.mark.parametrize("cases", NEEDED)
def test_measured(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)


@pytest.mark.long
@pytest.mark.parametrize("cases", MORE)
def test_measured_more(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)
