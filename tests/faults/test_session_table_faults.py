"""A gateway that is open, cuts off or stays closed once its session table is full is found out."""

from __future__ import annotations

import pytest
from cases import FAIL, Case, alone, cases_of, prove
from faulty_lab import FaultyLab

FULL = "Nothing Else Passes While The Session Table Is Full"
CHECK = (f"*.{FULL}",)

RUNS = alone(
    Case(
        ("full-table-opens",),
        CHECK,
        {FULL: (FAIL, "permits while the session table is full: not the case", "packets arrived")},
    ),
    Case(
        ("full-table-ends-sessions",),
        CHECK,
        {FULL: (FAIL, "A connection from before goes on", "not the case", "was silent for")},
    ),
    Case(
        ("full-table-stays",),
        CHECK,
        {FULL: (FAIL, "New connections open again by themselves", "did not all open")},
    ),
)
CASES = cases_of(RUNS)


@pytest.mark.parametrize("cases", RUNS)
def test_caught(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)
