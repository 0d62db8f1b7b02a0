"""What an order's chapters will write, held against what the device declares before it is sent."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from gateway_client import GatewayUnderTest
from played import Played

import Gateway
from gatepass.base.errors import NotApplicable, NotProven
from gatepass.gateway.configuration import comparable
from gatepass.gateway.declared import Declared
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.rehearsed import RehearsedChanges, RehearsedGateway
from gatepass.scenarios.rehearsal import not_taken, rehearse
from order_examples import ORDER, PROFILE, TESTBED

MARK, VERSION = "gp0a1b2c", "v7.4.8"
INPUTS = (ORDER, TESTBED, PROFILE, VERSION, MARK)
TOLD = {
    "children": {
        "name": {"category": "unitary", "type": "string", "size": 5},
        "type": {
            "category": "unitary",
            "type": "option",
            "options": [{"name": "ipmask"}, {"name": "fqdn"}],
            "default": "ipmask",
        },
        "day": {
            "category": "unitary",
            "type": "option",
            "options": [{"name": "monday"}, {"name": "friday"}],
            "multiple_values": True,
        },
        "http": {
            "category": "complex",
            "children": {
                "limit": {
                    "category": "unitary",
                    "type": "integer",
                    "min-value": 1,
                    "max-value": 1638,
                    "default": 0,
                }
            },
        },
        "entries": {
            "category": "table",
            "children": {"id": {"category": "unitary", "type": "integer"}},
        },
    }
}


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"name": "short", "type": "fqdn", "day": "friday monday"}, []),
        ({"type": "", "http": {"limit": 0}, "entries": [{"id": 7}]}, []),
        ({"type": "geography"}, ['t type "geography" (it takes ipmask, fqdn)']),
        ({"day": "monday sunday"}, ['t day "sunday" (it takes monday, friday)']),
        ({"http": {"limit": 4095}}, ['t http/limit "4095" (it takes 1 to 1,638)']),
        ({"http": {"limit": "many"}}, ['t http/limit "many" (it takes 1 to 1,638)']),
        ({"name": "a secret"}, ["t name (it takes 5 characters, not 8)"]),
        ({"colour": 3}, ["t colour (the device has no such attribute)"]),
        ({"entries": [{"id": 1, "x": 2}]}, ["t entries/x (the device has no such attribute)"]),
        ({"entries": "all"}, ["t entries (it takes a list of rows)"]),
        ({"name": [{"name": "a"}]}, ["t name (it takes no list)"]),
    ],
)
def test_a_row_against_what_a_device_declares(row: dict, why: list[str]) -> None:
    assert [str(one) for one in Declared("t", TOLD).unknown(row)] == why


@pytest.mark.parametrize(
    "told", [None, {}, {"children": []}, {"children": {"type": None}}, {"children": {"type": {}}}]
)
def test_what_a_device_does_not_tell_nothing_is_held_against(told: dict | None) -> None:
    declared = Declared("t", told)
    assert list(declared.unknown({"type": "geography"})) == []
    assert declared.most("type") is None
    assert declared.is_table("type") is None


def test_all_chapters_are_rehearsed_and_nothing_is_changed(gateway: FortiGate) -> None:
    before = comparable(gateway.backup())
    rehearsal = rehearse(gateway, *INPUTS)
    assert comparable(gateway.backup()) == before
    assert rehearsal.left_out == ()
    written = {path for path, _ in rehearsal.rows}
    assert {
        *("firewall/policy", "firewall/address6", "firewall/DoS-policy", "firewall/vip"),
        *("firewall/local-in-policy", "system.dhcp/server", "firewall.ipmacbinding/table"),
        *("system/arp-table", "system/resource-limits", "firewall/shaping-policy"),
        *("antivirus/profile", "ips/sensor", "firewall/ssl-ssh-profile", "system/geoip-override"),
        *("web-proxy/explicit", "vpn.ipsec/phase1-interface", "vpn.ssl/settings", "user/group"),
        *("firewall/ippool", "router/static"),
    } <= written
    assert not_taken(gateway, rehearsal.rows) == []


def test_what_was_not_ordered_is_not_rehearsed(gateway: FortiGate) -> None:
    options = ORDER.options.model_copy(update={"security_services": False})
    order = ORDER.model_copy(update={"options": options, "provisioning": None})
    written = {path for path, _ in rehearse(gateway, order, *INPUTS[1:]).rows}
    assert not written & {"antivirus/profile", "system/geoip-override"}


def test_what_a_builder_writes_it_sees_again(gateway: FortiGate) -> None:
    aside = RehearsedGateway(gateway, {"firewall/address": {"uuid": "given"}})
    changes = RehearsedChanges(aside, MARK)
    row = {"name": changes.name("a"), "subnet": "198.18.127.0 255.255.255.0"}
    changes.create("firewall/address", row)
    assert aside.row("firewall/address", row["name"]) == row | {"uuid": "given"}
    assert row["name"] in [one["name"] for one in aside.rows("firewall/address")]
    assert gateway.row("firewall/address", row["name"]) is None
    changes.remove("firewall/address", [row["name"]])
    assert aside.row("firewall/address", row["name"]) is None
    with pytest.raises(Refused):
        aside.monitor("system/os/reboot", body={})


def keywords(gateway: FortiGate) -> Gateway.Gateway:
    """The keywords of a run on this gateway."""
    run = {"order": ORDER, "testbed": TESTBED, "profile": PROFILE, "mark": MARK}
    identity = SimpleNamespace(version=VERSION)
    return Gateway.Gateway(Played(gateway=gateway, identity=identity, **run))


def test_what_the_gateway_knows_is_told_at_preflight(gateway: FortiGate) -> None:
    library = keywords(gateway)
    library.the_gateway_should_know_all_that_will_be_set_on_it()
    (evidence,) = library.check.noted
    assert evidence.holds and "The gateway accepts all" in evidence.observed


def test_a_choice_that_the_device_lacks_is_one_sentence_at_preflight(
    gateway: FortiGate, device: GatewayUnderTest
) -> None:
    device.control("PUT", "/faults/choice-unknown", {})
    with pytest.raises(NotProven) as caught:
        keywords(gateway).the_gateway_should_know_all_that_will_be_set_on_it()
    assert str(caught.value).startswith(
        "Not proven: the gateway does not accept what the test would set on it: "
        'file-filter/profile rules/action "block" (it takes log-only). It runs FortiOS v7.4.8'
    )
    row = {"name": "x", "rules": [{"name": "r", "action": "block", "file-type": [{"name": "exe"}]}]}
    with pytest.raises(Refused, match="rules/action block"):
        gateway.create("file-filter/profile", row)


def test_a_device_that_declares_nothing(
    gateway: FortiGate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateway, "declared", lambda path: Declared(path, None))
    with pytest.raises(NotApplicable, match="does not report what its tables accept"):
        keywords(gateway).the_gateway_should_know_all_that_will_be_set_on_it()


class Unwilling(FortiGate):
    """A device that does not let the API user see one of its tables."""

    hidden = "system.dhcp/server"

    def rows(self, path: str, **query: object) -> list[dict]:
        """Of all others."""
        if path == self.hidden:
            raise Refused(f"The gateway refuses GET {path}.", status=403)
        return super().rows(path, **query)

    def declared(self, path: str) -> Declared:
        """Of all others."""
        return Declared(path, None) if path == self.hidden else super().declared(path)


@pytest.mark.parametrize(
    ("hidden", "told"),
    [
        ("system.dhcp/server", "not everything that .* refuses GET system.dhcp/server"),
        ("antivirus/profile", "which values it accepts for antivirus/profile. Check the"),
    ],
)
def test_what_cannot_be_looked_at_beforehand_is_told(
    gateway: FortiGate, hidden: str, told: str
) -> None:
    unwilling = Unwilling(gateway.url, gateway.token, gateway.ca_file)
    unwilling.hidden = hidden
    with pytest.raises(NotProven, match=told):
        keywords(unwilling).the_gateway_should_know_all_that_will_be_set_on_it()
    unwilling.close()
