"""A gateway that answers as some devices do: what is measured is right all the same."""

from __future__ import annotations

import pytest
from cases import (
    DISABLED,
    NOT_PROVEN,
    ORDER,
    PATH,
    PERMITS,
    PREFLIGHT,
    Case,
    alone,
    cases_of,
    for_long,
    prove,
)
from faulty_lab import FaultyLab

VIRUS = "A Virus Over HTTP"


def odd(way: str, *tests: str, **not_proven: tuple[str, ...]) -> Case:
    """All these checks pass, but those that are named by themselves."""
    return Case(("odd-answer", f"of={way}"), (PATH, *tests), not_proven)


QUICK = alone(
    odd("table-cut", ORDER, PERMITS),
    odd("old-lookup", ORDER),
    odd("no-serial", ORDER, DISABLED),
)
LONG = alone(
    odd("no-history", PREFLIGHT, "*.One Policy, Without NAT"),
    # the lab logs to the disk alone
    odd("no-disk", f"*.{VIRUS}", **{VIRUS: (NOT_PROVEN, "log/disk/virus with HTTP 500")}),
)
RUNS = [*QUICK, *map(for_long, LONG)]
CASES = cases_of(RUNS)


@pytest.mark.parametrize("cases", RUNS)
def test_it_changes_nothing_of_what_is_measured(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)
