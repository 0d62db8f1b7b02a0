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
        {BANNED: (FAIL, "Nothing that a banned host sends arrives: not so", "still arrived 3.")},
    ),
    Case(
        ("ban-stays",),
        CHECK,
        {BANNED: (FAIL, "arrives again after the ban: not so", "No datagram arrived in the 3 s")},
    ),
)
CASES = cases_of(RUNS)


@pytest.mark.parametrize("cases", RUNS)
def test_caught(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)


def test_a_sound_gateway_lets_the_host_in_again(lab: FaultyLab) -> None:
    ended = lab.run(*CHECK)
    check = ended.ran[BANNED]
    assert check.verdict == "pass", check.message
    assert "after the ban was asked for" in str(check.evidence)
