"""Policies as real FortiGates have them: judged by what is understood, or they *may* match."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from gatepass.gateway.declared import Declared
from gatepass.gateway.packet import Packet
from gatepass.gateway.policy_audit import OPEN, SHADOWED, audit
from gatepass.gateway.policy_table import Decision, PolicyTable

CASES = yaml.safe_load(
    (Path(__file__).parents[1] / "data" / "real_answers" / "policies.yaml").read_text("utf-8")
)
USUAL = CASES["usual"]
NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
POLICIES = ("first", "second", "third")


def _cases() -> Iterator[Any]:
    for kind, cases in CASES["kinds"].items():
        for name, case in cases.items():
            yield pytest.param(case, id=f"{kind} {name}")


def _table(case: dict[str, Any], declared: Declared | None = None) -> PolicyTable:
    policies = [
        {"policyid": number, "name": f"p{number}", **USUAL["policy"], **case[which]}
        for number, which in enumerate(POLICIES, 1)
        if case.get(which) is not None
    ]
    rows = {**USUAL["tables"], **case.get("tables", {}), "firewall/policy": policies}
    return PolicyTable({path: found for path, found in rows.items() if found is not None}, NOW,
                       declared)


@pytest.mark.parametrize("case", _cases())
def test_which_policy_decides(case: dict[str, Any]) -> None:
    decision = _table(case).decide(Packet(**{**USUAL["packet"], **case.get("packet", {})}))
    policyid, accept, unclear = case["decides"]
    assert decision == Decision(policyid, accept, tuple(unclear))
    assert list(decision.may_deny) == case.get("may_deny", [])


@pytest.mark.parametrize("case", _cases())
def test_which_policies_are_never_met(case: dict[str, Any]) -> None:
    found = audit(_table(case), inspected=False)
    assert [one.policyid for one in found.of(SHADOWED)] == case.get("never_met", [])
    assert list(found.unread) == case.get("unread", [])


def test_one_that_has_expired_is_a_finding() -> None:
    case = CASES["kinds"]["expiry"]["long past"]
    (finding,) = audit(_table(case), inspected=False).of(SHADOWED)
    assert finding.sentence == "Policy 1 “p1” is never met: it expired on 2023-09-30."


@pytest.mark.parametrize(
    ("value", "default", "matches"),
    [("lenient", "lenient", True), ("strict", "lenient", False), ("disable", "enable", False),
     ("enable", "enable", True), (30, 30, True), ([], "", True), ("lenient", None, False)],
)
def test_the_device_says_what_is_the_default(value: Any, default: Any, matches: bool) -> None:
    declared = Declared("firewall/policy", {"children": {"quantum-check": {"default": default}}})
    table = _table({"first": {"quantum-check": value}}, declared)
    decision = table.decide(Packet(**USUAL["packet"]))
    assert decision == (Decision(1, True) if matches else Decision(0, False, (1,)))


def test_one_with_an_attribute_that_is_not_known_may_be_open_to_everything() -> None:
    found = audit(_table(CASES["kinds"]["unknown-attribute"]["in use"]), inspected=False)
    assert found.may_be_open == {1: "quantum-tag"} and not found.of(OPEN)
    assert "“quantum-tag”" in found.unread[1]


def test_one_whose_service_is_bound_to_addresses_is_not_open_to_everything() -> None:
    case = CASES["kinds"]["bound-service"]["to an application"]
    found = audit(_table({**case, "first": {"service": [{"name": "bound"}]}}), inspected=False)
    assert [one.policyid for one in found.of(OPEN)] == []
