"""A gateway that answers as some devices do: what is measured is right all the same."""

from __future__ import annotations

import pytest
from cases import DISABLED, ORDER, PATH, PERMITS, PREFLIGHT, Case, alone, cases_of, for_long, prove
from faulty_lab import FaultyLab

VIRUS = "*.A Virus Over HTTP"


def odd(way: str, *tests: str) -> Case:
    """All these checks pass."""
    return Case(("odd-answer", f"of={way}"), (PATH, *tests))


QUICK = alone(
    odd("table-cut", ORDER, PERMITS),
    odd("old-lookup", ORDER),
    odd("no-serial", ORDER, DISABLED),
    odd("no-disk", VIRUS),
)
LONG = [for_long(run) for run in alone(odd("no-history", PREFLIGHT, "*.One Policy, Without NAT"))]
RUNS = [*QUICK, *LONG]
CASES = cases_of(RUNS)


@pytest.mark.parametrize("cases", RUNS)
def test_it_changes_nothing_of_what_is_measured(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)
