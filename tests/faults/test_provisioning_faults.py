"""A gateway that loses objects, or takes long over them, is caught where tenants are set up."""

from __future__ import annotations

import pytest
from cases import BACK, FAIL, Case, prove
from faulty_lab import FaultyLab

CHAPTER = "*.Provisioning of tenants.*"
TENANTS = "Every Tenant Is Set Up Whole And Goes Without A Trace"

CASES = [
    Case(
        ("objects-lost", "path=firewall/vip", "every=60"),
        (CHAPTER,),
        {
            TENANTS: (
                FAIL,
                "Every object of every tenant is there as it was configured: not the case",
                "50 DNAT rules: The gateway accepted 50 rows for firewall/vip and shows 49",
                "is the first that is missing",
            )
        },
    ),
    Case(
        ("api-slow",),
        (CHAPTER,),
        {
            TENANTS: (
                FAIL,
                "Provisioning, the slowest tenant",
                "promised is at most 10 s",
                "Most of it went into its step",
            )
        },
    ),
    # an object that does not go is told as well
    Case(
        ("delete-ignored", "path=user/local"),
        (CHAPTER,),
        {
            TENANTS: (FAIL, "confirmed that it deleted user/local", "and still has it"),
            BACK: (FAIL, "objects of the run could not be removed"),
        },
        left=True,
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_fault(lab: FaultyLab, case: Case) -> None:
    prove(lab, case)
