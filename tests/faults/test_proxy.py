"""Each fault of the explicit proxy is caught by the check that is there for it."""

from __future__ import annotations

import pytest
from cases import FAIL, Case, alone, cases_of, prove, together
from faulty_lab import FaultyLab

REFUSES = "The Proxy Refuses Whom No Policy Permits"
SERVED = "The Promised Users Are Served At Once"

CHAPTER = "*.Web proxy.*"

RUNS = [
    *alone(
        Case(
            ("proxy-refuses-half", "users=37"),
            (CHAPTER,),
            {
                SERVED: (
                    FAIL,
                    "Every promised proxy user is served: not the case",
                    "of 75 users were served",
                )
            },
        )
    ),
    together(
        Case(
            ("proxy-open",),
            (CHAPTER,),
            {REFUSES: (FAIL, "The proxy refuses whom no policy permits: not the", "were served")},
        ),
        Case(
            ("proxy-mixes-answers",),
            (CHAPTER,),
            {SERVED: (FAIL, "No proxy user gets the answer of another: not the case")},
        ),
    ),
]
CASES = cases_of(RUNS)


@pytest.mark.parametrize("cases", RUNS)
def test_caught(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)
