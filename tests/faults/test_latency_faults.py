"""A gateway that holds packets up is found out, by the checks of what it holds them up with."""

from __future__ import annotations

import pytest
from cases import FAIL, NOT_PROVEN, Case, alone, cases_of, prove
from faulty_lab import FaultyLab

KINDS = tuple(
    f"{size} Packets Over {version}" for version in ("IPv4", "IPv6") for size in ("Small", "Large")
)
AT_REST = tuple(f"{kind}, At Rest" for kind in KINDS)
HALF, FULL = (
    tuple(f"{kind}, At {share} Tier's Rate" for kind in KINDS) for share in ("Half The", "The")
)
OVERLOAD = tuple(f"{kind}, In An Overload" for kind in KINDS)
BY_RULES = tuple(f"{size} Packets, 1000 Policies" for size in ("Small", "Large"))
BESIDE_TCP = "Delay Stays Bounded Beside TCP Both Ways"
INSPECTED = "Inspection Adds Hardly Any Delay"
ALONE = "The path without the gateway"
ADDED = (FAIL, "99th percentile", "at most 12 ms", f"{ALONE}, under the same load, had a")
QUEUED = (FAIL, "Delay in the gateway's queue", "at most 400 ms", ALONE)


def held_under_load(*checks: str) -> Case:
    """A gateway that holds packets up under load."""
    return Case(
        ("latency-under-load", "milliseconds=700"),
        (*AT_REST, *checks),
        {name: QUEUED if name in OVERLOAD else ADDED for name in checks},
    )


def held_at_rest(*checks: str) -> Case:
    """A gateway that holds every packet up."""
    return Case(("latency",), checks, dict.fromkeys(checks, ADDED))


NEEDED = alone(
    held_at_rest(*AT_REST, INSPECTED),
    Case(
        ("latency-by-policies",),
        (AT_REST[0], *BY_RULES),
        dict.fromkeys(BY_RULES, (*ADDED, "1000 policies")),
    ),
    held_under_load(*FULL, *OVERLOAD),
)
OTHERS = alone(
    # at a rate at which TCP's own buffers suffice to fill so long a queue
    Case(
        ("latency-under-load", "milliseconds=700", "mbps=20"),
        (BESIDE_TCP,),
        {BESIDE_TCP: QUEUED},
    ),
    held_under_load(*HALF),
    Case(("jitter", "milliseconds=24"), AT_REST, dict.fromkeys(AT_REST, ADDED)),
    # both paths are told by the same clocks, so that nobody is blamed for what these do
    Case(
        ("endpoint-clock-drifts", "milliseconds_per_s=40"),
        AT_REST[:2],
        dict.fromkeys(AT_REST[:2], (NOT_PROVEN,)),
    ),
)
"""Half the rate, beside TCP, and faults of checks that fail with another one as well: they are
tried where long tests are."""
CASES = cases_of([*NEEDED, *OTHERS])


@pytest.mark.parametrize("cases", NEEDED)
def test_measured(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)


@pytest.mark.long
@pytest.mark.parametrize("cases", OTHERS)
def test_measured_others(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)
