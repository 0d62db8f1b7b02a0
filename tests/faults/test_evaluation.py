"""What can be proven of a gateway on the evaluation licence, and what is told of the rest."""

from __future__ import annotations

import pytest
from cases import (
    DISABLED,
    NOT_APPLICABLE,
    NOT_PROVEN,
    ORDER,
    PERMITS,
    PREFLIGHT,
    Case,
    alone,
    prove,
)
from faulty_lab import PROJECT, FaultyLab

FILE = PROJECT / "variables" / "orders" / "evaluation.yaml"
MANY = "100 Policies, Without NAT"
TUNNEL = "A Tunnel Comes Back After Its SA Was Deleted"

RUNS = alone(
    Case(
        ("evaluation-licence",),
        (PREFLIGHT, ORDER, PERMITS, DISABLED, f"*.{MANY}", f"*.{TUNNEL}"),
        {
            "The Gateway Is The One That Was Ordered": (NOT_APPLICABLE, "neither serial number"),
            "The Ordered Services Are Licensed": (NOT_APPLICABLE, "does not include security"),
            MANY: (NOT_PROVEN, "its table is full", "evaluation licence it holds 3 policies"),
            TUNNEL: (NOT_PROVEN, "firewall/policy", "its table is full"),
        },
    ),
)


@pytest.mark.parametrize("cases", RUNS)
def test_the_order_for_it_proves_the_rest(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    """Its licence and its size are as ordered, and three policies are enough for the rest."""
    prove(lab, *cases, order=FILE)
