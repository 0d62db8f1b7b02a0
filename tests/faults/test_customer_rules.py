"""Mistakes in the customer's own policies are named, each by its check."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from cases import FAIL, Case, alone, cases_of, prove
from faulty_lab import PROJECT, FaultyLab

MET, OPEN = "Every Policy Can Be Met", "No Policy Is Open To Everything"
LOGS, INSPECTS = "Every Policy Logs What It Lets Through", "Every Policy Has The Ordered Profiles"
POLICIES = ("*.The customer's own rules.*Policy*",)

RUNS = alone(
    Case(
        ("policy-mistake", "of=shadowed+open+unlogged+uninspected+lapsed"),
        POLICIES,
        {
            MET: (
                *(FAIL, "Policy 4711 “careless-shadowed” is never met: policy 1 before it"),
                "Policy 4715 “careless-lapsed” is never met: the time of its schedule",
            ),
            OPEN: (FAIL, "Policy 4712 “careless-open” lets any address", "(port3 to port2)"),
            LOGS: (FAIL, "Policy 4713 “careless-unlogged” logs nothing"),
            INSPECTS: (FAIL, "Policy 4714 “careless-uninspected” inspects nothing"),
        },
    ),
)
CASES = cases_of(RUNS)


@pytest.mark.parametrize("cases", RUNS)
def test_caught(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)


def test_what_the_order_accepts_is_told_and_borne(lab: FaultyLab, tmp_path: Path) -> None:
    order = yaml.safe_load((PROJECT / "variables" / "orders" / "lab.yaml").read_text())
    order["gateway"]["accepted_policies"] = [4712, 4713]
    accepting = tmp_path / "order.yaml"
    accepting.write_text(yaml.safe_dump(order))
    with lab.faults(("policy-mistake", "of=open+unlogged")):
        ended = lab.run(*POLICIES, order=accepting)
    assert {check.verdict for check in ended.ran.values()} == {"pass"}
    (told,) = ended.ran[OPEN].evidence
    assert "Accepted by the order: Policy 4712" in str(told)
