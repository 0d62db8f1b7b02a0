"""Zones, SD-WAN, central NAT and NGFW mode: told in a sentence before a policy is refused."""

from __future__ import annotations

import pytest

from gatepass.base.errors import NotProven
from gatepass.gateway.changes import Changes
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.policy_form import must_take_policies
from gatepass.gateway.rules import POLICY, RuleSet, TrafficFlow

PORTS = ("port2", "port1")
FLOW = TrafficFlow("198.18.1.10", "198.18.2.10", *PORTS)
ZONE = {"name": "inside", "interface": [{"interface-name": "port2"}]}


class Device:
    """Has these tables and no other."""

    def __init__(self, **tables: list[dict]) -> None:
        self._tables = tables

    def rows_if_any(self, path: str) -> list[dict]:
        return self._tables.get(path.split("/")[1], [])


def test_nothing_stands_in_the_way() -> None:
    settings = {"opmode": "nat", "ngfw-mode": "profile-based", "central-nat": "disable"}
    must_take_policies(Device(settings=[settings]), PORTS)
    must_take_policies(Device(), PORTS)
    other = {"name": "others", "interface": [{"interface-name": "port7"}]}
    must_take_policies(Device(zone=[other]), PORTS)
    off = {"status": "disable", "members": [{"interface": "port1"}]}
    must_take_policies(Device(sdwan=[off]), PORTS)


@pytest.mark.parametrize(
    ("tables", "told"),
    [
        ({"settings": [{"opmode": "transparent"}]}, "transparent mode .* Test one in NAT mode"),
        ({"settings": [{"ngfw-mode": "policy-based"}]}, "NGFW policy mode"),
        ({"settings": [{"central-nat": "enable"}]}, "central-nat .* Disable it for the test"),
        ({"zone": [ZONE]}, r"port2 belongs to the zone inside .* name another port"),
        (
            {"sdwan": [{"status": "enable", "members": [{"interface": "port1"}]}]},
            r"port1 is a member of SD-WAN",
        ),
    ],
)
def test_what_does_is_named_with_what_to_do(tables: dict, told: str) -> None:
    with pytest.raises(NotProven, match=told):
        must_take_policies(Device(**tables), PORTS)


def test_a_zone_of_the_lab(gateway: FortiGate, changes: Changes) -> None:
    rules = RuleSet(gateway, changes, FLOW)
    with pytest.raises(Refused, match="in use"):  # by the customer's policies
        gateway.create("system/zone", ZONE)
    for row in gateway.rows("firewall/shaping-policy"):
        gateway.delete("firewall/shaping-policy", row["id"])
    policies = gateway.rows(POLICY)
    for row in policies:
        gateway.delete(POLICY, row["policyid"])
    gateway.create("system/zone", ZONE)
    with pytest.raises(NotProven, match="port2 belongs to the zone inside"):
        rules.prepare()
    named = {
        "policyid": 7,
        "name": "by-zone",
        "srcintf": [{"name": "inside"}],
        "dstintf": [{"name": "port1"}],
        "srcaddr": [{"name": "all"}],
        "dstaddr": [{"name": "all"}],
        "service": [{"name": "ALL"}],
        "schedule": "always",
        "action": "accept",
    }
    with pytest.raises(Refused, match="belongs to zone"):
        gateway.create(POLICY, named | {"srcintf": [{"name": "port2"}]})
    gateway.create(POLICY, named)
