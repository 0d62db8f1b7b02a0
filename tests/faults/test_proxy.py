"""Each fault of the explicit proxy is caught by the check that is there for it."""

from __future__ import annotations

import pytest
from cases import FAIL, Case, prove
from faulty_lab import FaultyLab

SERVED = "The Promised Users Are Served At Once"

CASES = [
    Case(
        ("proxy-refuses-half", "users=37"),
        ("*.Explicit Proxy.*",),
        {SERVED: (FAIL, "Every promised proxy user is served: not so", "of 75 users were served")},
    ),
    Case(
        ("proxy-mixes-answers",),
        ("*.Explicit Proxy.*",),
        {SERVED: (FAIL, "No proxy user gets the answer of another: not so")},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_fault(lab: FaultyLab, case: Case) -> None:
    prove(lab, case)
