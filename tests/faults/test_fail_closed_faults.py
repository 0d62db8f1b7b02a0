"""A gateway that lets pass what it cannot inspect, or stays closed after, is found out."""

from __future__ import annotations

import pytest
from cases import FAIL, Case, alone, cases_of, prove
from faulty_lab import FaultyLab

INSPECTION = "Nothing Uninspected Passes While The Inspection Is Gone"
LICENCE = "Nothing Uninspected Passes While The Licence Is Gone"
MEMORY = "Nothing Uninspected Passes While Memory Is Short"
CHECKS = ("*.The edge of the network.Fail Closed.*",)

RUNS = alone(
    Case(
        ("fails-open",),
        CHECKS,
        dict.fromkeys(
            (INSPECTION, LICENCE, MEMORY),
            (FAIL, "No harmful file passes during a", "attempts to download it succeeded"),
        ),
    ),
    Case(
        ("fails-open", "of=packets"),
        CHECKS,
        dict.fromkeys(
            (INSPECTION, LICENCE, MEMORY),
            (FAIL, "Nothing passes that no policy permits during a", "packets arrived"),
        ),
    ),
    Case(
        ("stays-closed",),
        (f"*.{MEMORY}",),
        {MEMORY: (FAIL, "Clean files arrive again by themselves", "No clean file arrived any")},
    ),
)
CASES = cases_of(RUNS)


@pytest.mark.parametrize("cases", RUNS)
def test_caught(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)
