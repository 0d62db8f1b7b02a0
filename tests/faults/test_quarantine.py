"""Quarantine that does not quarantine, or does not end, is found out."""

from __future__ import annotations

import pytest
from cases import FAIL, Case, alone, cases_of, prove
from faulty_lab import FaultyLab

BANNED = "A Banned Host Falls Silent, And Is Let In Again"
CHECK = (f"*.{BANNED}",)

RUNS = alone(
    Case(
        ("ban-ignored",),
        CHECK,
        {BANNED: (FAIL, "that a banned host sends arrives: not the", "Datagrams still arrived")},
    ),
    Case(
        ("ban-stays",),
        CHECK,
        {BANNED: (FAIL, "arrives again after the ban: not", "No datagram arrived in the 2.5 s")},
    ),
)
CASES = cases_of(RUNS)


@pytest.mark.parametrize("cases", RUNS)
def test_caught(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)

