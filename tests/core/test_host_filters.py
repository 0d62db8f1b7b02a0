"""The gateway's filters of hosts: set, set back, and left alone where they are the customer's."""

from __future__ import annotations

from pathlib import Path

import pytest
from gateway_client import GatewayUnderTest

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.gateway.changes import Changes, marked
from gatepass.gateway.config_objects import hardware_address, marks_in, objects_named
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.host_filters import (
    ARP,
    BINDING,
    BINDING_SETTING,
    INTERFACE,
    AddressBinding,
    FixedAddress,
    SourceCheck,
)
from gatepass.gateway.saved import SAVED, keep
from gatepass.gateway.toggle import Toggle
from gatepass.gateway.undo import undo

MARK, HARDWARE = "gp0a1b2c", "02:67:70:0a:1b:2c"
CLIENT, MAC = "198.18.1.10", "02:00:00:00:00:01"


def port(gateway: FortiGate) -> dict:
    row = gateway.row(INTERFACE, "port2")
    assert row is not None
    return row


def test_a_binding_concerns_no_other_host(
    gateway: FortiGate, changes: Changes, tmp_path: Path
) -> None:
    binding = AddressBinding(changes, "port2", CLIENT, MAC)
    for _ in range(2):
        binding.on()
        (row,) = gateway.rows(BINDING)
        assert (row["ip"], row["mac"], row["status"]) == (CLIENT, MAC, "enable")
        settings = gateway.single(BINDING_SETTING)
        assert (settings["bindthroughfw"], settings["undefinedhost"]) == ("enable", "allow")
        assert settings["bindtofw"] == "disable"
        assert port(gateway)["ipmac"] == "enable"
        binding.off()
        assert gateway.rows(BINDING) == []
        assert port(gateway)["ipmac"] == "disable"
        settings = gateway.single(BINDING_SETTING)
        assert (settings["bindthroughfw"], settings["undefinedhost"]) == ("disable", "block")
    binding.off()
    binding.on()
    assert undo(gateway, changes.journal, tmp_path / SAVED).identical


@pytest.mark.parametrize(
    ("path", "values", "told"),
    [
        (f"{BINDING_SETTING}", {"bindtofw": "enable"}, "bindtofw"),
        (f"{INTERFACE}/port1", {"ipmac": "enable"}, "ipmac of port1"),
        (BINDING, {"seq-num": 7, "ip": CLIENT, "mac": MAC, "status": "enable"}, "pair 7"),
    ],
)
def test_bindings_of_the_customers_are_left_alone(
    device: GatewayUnderTest, changes: Changes, path: str, values: dict, told: str
) -> None:
    device.call("POST" if "seq-num" in values else "PUT", f"cmdb/{path}", values)
    with pytest.raises(NotProven, match=f"{told}.*Check it yourself"):
        AddressBinding(changes, "port2", CLIENT, MAC)


@pytest.mark.parametrize("delivered", ["enable", "disable"])
def test_the_source_check_is_left_as_it_was(
    gateway: FortiGate, changes: Changes, tmp_path: Path, delivered: str
) -> None:
    gateway.change(INTERFACE, "port2", {"src-check": delivered})
    keep(tmp_path, gateway.backup())
    check = SourceCheck(changes, "port2")
    assert check.delivered == (delivered == "enable")
    for on in (True, False, True, True, False):
        check.switch(on)
        assert port(gateway)["src-check"] == ("enable" if on else "disable")
    assert check.overruled == ""
    gateway.change("system/settings", None, {"asymroute": "enable"})
    assert "asymroute" in check.overruled
    gateway.change("system/settings", None, {"asymroute": "disable"})
    check.back()
    assert port(gateway)["src-check"] == delivered
    check.switch(delivered != "enable")
    assert undo(gateway, changes.journal, tmp_path / SAVED).identical


def test_an_entry_bears_the_mark_in_its_hardware_address(
    gateway: FortiGate, changes: Changes, tmp_path: Path
) -> None:
    gateway.create(
        ARP, {"id": 4, "interface": "port1", "ip": "198.18.2.9", "mac": "02:00:00:00:00:09"}
    )
    keep(tmp_path, gateway.backup())
    with pytest.raises(NotProven, match=r"an entry for 198\.18\.2\.9"):
        FixedAddress(changes, "port2", "198.18.2.9")
    entry = FixedAddress(changes, "port2", "198.18.1.254")
    entry.on()
    _, row = gateway.rows(ARP)
    assert (row["id"], row["ip"], row["mac"]) == (5, "198.18.1.254", HARDWARE)
    backup = gateway.backup()
    assert objects_named(backup, MARK) == [(ARP, "5")]
    assert MARK in marks_in(backup)
    entry.off()
    entry.off()
    assert [row["id"] for row in gateway.rows(ARP)] == [4]
    entry.on()
    assert undo(gateway, changes.journal, tmp_path / SAVED).identical


def test_hardware_addresses_of_a_run() -> None:
    assert hardware_address(MARK) == HARDWARE
    assert hardware_address(MARK, 2) == "0a:67:70:0a:1b:2c"
    assert hardware_address("customer") == hardware_address("") == ""
    assert marked({"mac": HARDWARE.upper()}, MARK)
    assert not marked({"mac": MAC}, MARK) and not marked({"mac": ""}, "customer")


def test_a_device_without_them(
    gateway: FortiGate, changes: Changes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacks(path: str, **_: object) -> list[dict]:
        raise Refused(f"no {path}", status=404)

    monkeypatch.setattr(gateway, "rows", lacks)
    with pytest.raises(NotApplicable, match="binds no addresses"):
        AddressBinding(changes, "port2", CLIENT, MAC)
    with pytest.raises(NotApplicable, match="no ARP entries"):
        FixedAddress(changes, "port2", CLIENT)
    monkeypatch.undo()
    with pytest.raises(Refused) as lacking:
        Toggle(changes, INTERFACE, "port2", {"unheard-of": "enable"})
    assert lacking.value.status == 404
    with pytest.raises(Refused) as missing:
        Toggle(changes, INTERFACE, "port9", {"ipmac": "enable"})
    assert missing.value.status != 404
