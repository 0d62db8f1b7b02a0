"""The rule sets, on the lab's own gateway process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from gateway_client import GatewayUnderTest, policy

from gatepass.gateway.changes import Changes
from gatepass.gateway.fortigate import FortiGate, GatewayLost, Refused
from gatepass.gateway.journal import NAME, Journal
from gatepass.gateway.rules import POLICY, RuleSet, TrafficFlow
from gatepass.gateway.saved import SAVED, keep
from gatepass.gateway.undo import undo

LIBRARIES = Path(__file__).parents[2] / "libraries"
MARK = "gp0a1b2c"
FLOW = TrafficFlow("198.18.1.10", "198.18.2.10", "port2", "port1")


@pytest.fixture
def rules(gateway: FortiGate, tmp_path: Path) -> Iterator[RuleSet]:
    """The rule sets of a run; after the test all of them can be undone."""
    saved = tmp_path / SAVED
    keep(saved.parent, gateway.backup())
    journal = Journal.start(tmp_path / NAME, {"mark": MARK})
    yield RuleSet(gateway, Changes(gateway, journal, MARK), FLOW)
    assert undo(gateway, journal, saved).differences == ()


def table(rules: RuleSet) -> list[dict]:
    """The policies in the order of evaluation."""
    return rules.gateway.rows(POLICY)


def matching(row: dict) -> bool:
    """Whether a policy permits the test traffic."""
    return row["dstaddr"][0]["name"] == f"{MARK}-server" and row["action"] == "accept"


def test_exactly_so_many_and_the_last_one_matches(rules: RuleSet) -> None:
    for count, nat in ((1, False), (60, False), (60, True), (601, True), (5, False), (1, True)):
        number = rules.set(count, nat)
        *ours, theirs = table(rules)
        assert theirs["name"] == "customer-web"
        assert len(ours) == count
        assert [matching(row) for row in ours] == [False] * (count - 1) + [True]
        assert ours[-1]["policyid"] == number
        assert ours[-1]["nat"] == ("enable" if nat else "disable")
        assert {row["status"] for row in ours} == {"enable"}


def test_the_same_again_changes_nothing(
    rules: RuleSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules.set(3, nat=True)

    def never(*_: object) -> None:
        raise RuntimeError("changed")

    for name in ("create", "change", "move", "delete", "run_script"):
        monkeypatch.setattr(rules.gateway, name, never)
    assert rules.set(3, nat=True) == rules.test_id
    monkeypatch.undo()


def test_added_policies_and_back(rules: RuleSet) -> None:
    rules.set(10, nat=False)
    narrow, deny = rules.free_id(0), rules.free_id(1)
    rules.only(rules.test_row(narrow, nat=False))
    rules.add(rules.test_row(deny, nat=False, action="deny"), above=narrow)
    assert [row["policyid"] for row in table(rules)] == [deny, narrow, 1]
    rules.move(narrow, above=deny)
    assert [row["policyid"] for row in table(rules)] == [narrow, deny, 1]
    rules.switch(deny, on=False)
    assert table(rules)[1]["status"] == "disable"
    rules.only(rules.test_row(narrow, nat=False))
    assert [row["policyid"] for row in table(rules)] == [narrow, 1]
    rules.clear()
    assert [row["policyid"] for row in table(rules)] == [1]


def test_a_change_that_broke_off_is_not_in_the_way(
    rules: RuleSet, device: GatewayUnderTest
) -> None:
    rules.set(3, nat=False)
    device.control("PUT", "/faults/api-500", {"method": "PUT"})
    with pytest.raises(GatewayLost):
        rules.set(3, nat=True)
    device.control("DELETE", "/faults")
    rules.set(30, nat=True)
    assert [matching(row) for row in table(rules)] == [*[False] * 29, True, False]


def test_a_policy_that_is_refused_leaves_the_others(
    rules: RuleSet, device: GatewayUnderTest
) -> None:
    """Otherwise what other checks have put there would be gone, and nobody knew."""
    rules.prepare()
    first, second, third = map(rules.free_id, range(3))
    rules.only(rules.test_row(first, nat=False))
    rules.add(rules.test_row(second, nat=False))
    device.control("PUT", "/faults/evaluation-licence", {})
    with pytest.raises(Refused, match="its table is full"):
        rules.add(rules.test_row(third, nat=False))
    assert rules.holds(first) and rules.holds(second)
    rules.drop(third)
    assert [row["policyid"] for row in table(rules)] == [first, second, 1]


def test_what_is_dropped_after_a_change_that_broke_off_is_gone(
    rules: RuleSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise Refused("The gateway says no.")

    rules.prepare()
    first, second = rules.free_id(0), rules.free_id(1)
    rules.only(rules.test_row(first, nat=False))
    monkeypatch.setattr(rules.gateway, "move", refuse)
    with pytest.raises(Refused):
        rules.add(rules.test_row(second, nat=False))
    monkeypatch.undo()
    rules.drop(second)
    assert [row["policyid"] for row in table(rules)] == [1]


def test_a_services_row_is_made_once(rules: RuleSet) -> None:
    rules.service("narrow", 5300)
    rules.service("narrow", 5300)
    row = rules.gateway.row("firewall.service/custom", f"{MARK}-narrow")
    assert row is not None and row["tcp-portrange"] == "5300"


def test_no_service_names_a_protocol_that_releases_call_differently(
    rules: RuleSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Since 7.6.0 it is TCP/UDP/UDP-Lite/SCTP; left out, it is that of ports in each release."""
    created: list[dict] = []
    monkeypatch.setattr(rules.changes, "create", lambda path, row: created.append(row))
    rules.service("narrow", 5300)
    assert [row.keys() for row in created] == [{"name", "tcp-portrange", "comment"}]
    written = [path.name for path in LIBRARIES.rglob("*.py") if "TCP/UDP" in path.read_text()]
    assert written == ["policy_services.py"]  # which reads them, and knows both names


def test_a_policyid_that_somebody_took_meanwhile(
    rules: RuleSet, device: GatewayUnderTest
) -> None:
    number = rules.set(1, nat=False)
    theirs = {"policyid": number + 1}
    device.post("cmdb/firewall/policy", policy("customer-new") | theirs)
    try:
        with pytest.raises(Refused, match="not of this run"):
            rules.set(100, nat=False)
        rules.clear()
        assert [row["name"] for row in table(rules)] == ["customer-web", "customer-new"]
    finally:
        device.delete(f"cmdb/firewall/policy/{number + 1}")
