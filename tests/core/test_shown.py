"""Settings and rows of which a device shows a part alone, and so are not readable."""

from __future__ import annotations

import pytest
from api_server import ScriptedApi, told
from gateway_client import GatewayUnderTest

from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.own_services import OwnServices
from gatepass.gateway.policy_table import PolicyTable
from gatepass.gateway.shown import SETTINGS, missing
from lab.gateway.schema import ALL

VALUES = dict.fromkeys(("admin-sport", "admin-ssh-port", "auth-timeout", "port"), 443) | {
    "http-incoming-port": "8080", "status": "enable"
}


@pytest.mark.parametrize("path", sorted(SETTINGS))
def test_settings_in_part_are_refused(api: ScriptedApi, client: FortiGate, path: str) -> None:
    shown = SETTINGS[path]
    for lacking in shown:
        row = {name: VALUES.get(name, []) for name in shown if name != lacking} | {"hostname": "f"}
        api.script = [told(results=row)]
        in_part = rf"only a part of {path} .missing: {lacking}\W"
        with pytest.raises(Refused, match=in_part) as caught:
            client.rows(path)
        assert caught.value.status == 403 and not caught.value.lacking
    api.script = [told(results={"hostname": "fgt"}), told(results=[{}])]
    for _ in range(2):
        with pytest.raises(Refused, match=f"missing: {', '.join(shown)}"):
            client.single(path)


def test_who_asked_for_some_attributes_gets_them(api: ScriptedApi, client: FortiGate) -> None:
    api.script = [told(results={"vdom-mode": "no-vdom"})]
    assert client.single("system/global", format="vdom-mode") == {"vdom-mode": "no-vdom"}


def test_every_device_shows_them(gateway: FortiGate) -> None:
    """The lab's at least, whose attributes are held against published ones."""
    tables = {table.path for table in ALL}
    for path in SETTINGS:
        if path in tables:
            assert missing(path, gateway.rows_if_any(path)) == ()


def test_no_default_is_taken_in_the_place_of_what_is_missing(
    gateway: FortiGate, device: GatewayUnderTest
) -> None:
    device.control("PUT", "/faults/odd-answer", {"of": "settings-in-part"})
    with pytest.raises(Refused, match="system/global"):
        OwnServices(gateway)


def test_nothing_is_said_of_policies_in_part(
    gateway: FortiGate, device: GatewayUnderTest
) -> None:
    device.control("PUT", "/faults/odd-answer", {"of": "rows-in-part"})
    with pytest.raises(Refused, match=r"only a part of firewall/policy \(missing: action, srcintf"):
        PolicyTable.read(gateway)
