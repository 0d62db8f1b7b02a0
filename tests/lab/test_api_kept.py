"""Tables that clients touch and that this gateway keeps: read back, saved, and never narrowing."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from gateway_client import GatewayUnderTest, policy

from conftest import MakeGateway
from gatepass.gateway.configuration import comparable

ONCE = {"name": "fair", "start": "08:00 2027/03/01", "end": "18:00 2027/03/05"}
PER_IP = {"name": "each", "max-bandwidth": 10, "bandwidth-unit": "mbps"}
VLAN = {"name": "shop.20", "type": "vlan", "vdom": "root", "interface": "port3", "vlanid": 20,
        "ip": "198.18.20.1 255.255.255.0", "allowaccess": "ping"}
COMMUNITY = {"id": 1, "name": "shop", "hosts": [{"id": 1, "ip": "198.18.0.9/32"}]}
SINGLETONS: list[tuple[str, dict[str, Any]]] = [
    ("system/dns", {"primary": "9.9.9.9", "domain": [{"domain": "shop.lab"}], "protocol": "dot"}),
    ("system/ntp", {"type": "custom", "ntpserver": [{"id": 1, "server": "ntp.shop.lab"}]}),
    ("system/ha", {"group-name": "pair", "priority": 200}),
    ("log/setting", {"resolve-ip": "enable", "local-in-allow": "enable"}),
    ("log.syslogd/setting", {"status": "enable", "server": "198.18.0.9", "format": "rfc5424"}),
    ("log.syslogd/filter", {"severity": "warning", "free-style": [
        {"id": 1, "category": "virus", "filter": "logid 0211", "filter-type": "exclude"}]}),
    ("log.syslogd2/setting", {"status": "enable", "server": "198.18.0.8", "facility": "local0"}),
    ("system.snmp/sysinfo", {"status": "enable", "contact-info": "noc", "location": "Turku"}),
    ("system/sdwan", {"zone": [{"name": "virtual-wan-link"}],
                      "members": [{"seq-num": 1, "interface": "port3", "gateway": "198.18.4.9"}]}),
    ("system/settings", {"asymroute": "enable"}),
]


def told(row: Any, said: Any) -> Any:
    """What a row tells of what was said to it."""
    if isinstance(said, dict):
        return {name: told(row[name], value) for name, value in said.items()}
    if isinstance(said, list):
        return [told(one, value) for one, value in zip(row, said, strict=True)]
    return row


@pytest.mark.parametrize(("path", "said"), SINGLETONS)
@pytest.mark.parametrize("release", ["7.4.8", "7.6.4"])
def test_settings_are_kept(
    gateway_of: MakeGateway, release: str, path: str, said: dict[str, Any]
) -> None:
    gateway = gateway_of(release)
    before = gateway.get(f"cmdb/{path}", params={"action": "default"})
    gateway.put(f"cmdb/{path}", said)
    assert told(gateway.get(f"cmdb/{path}"), said) == said
    assert gateway.put(f"cmdb/{path}", said)["revision_changed"] is False
    gateway.put(f"cmdb/{path}", {name: before[name] for name in said})
    assert gateway.get(f"cmdb/{path}") == before


def test_what_is_kept_is_in_the_backup(api: GatewayUnderTest) -> None:
    for path, said in SINGLETONS:
        api.put(f"cmdb/{path}", said)
    api.post("cmdb/firewall.schedule/onetime", ONCE)
    api.post("cmdb/firewall.shaper/per-ip-shaper", PER_IP)
    api.post("cmdb/system/interface", VLAN)
    api.post("cmdb/system.snmp/community", COMMUNITY)
    shown = api.call("POST", "monitor/system/config/backup", {"scope": "global"}).text
    for path in ("system/dns", "system.snmp/sysinfo", "log.syslogd2/setting"):
        singleton = api.get(f"cmdb/{path}", params={"action": "default"})
        api.put(f"cmdb/{path}", singleton)
    for path in ("firewall.schedule/onetime/fair", "firewall.shaper/per-ip-shaper/each",
                 "system/interface/shop.20", "system.snmp/community/1"):
        api.delete(f"cmdb/{path}")
    whole = base64.b64encode(shown.encode()).decode()
    api.post("monitor/system/config/restore",
             {"source": "upload", "scope": "global", "file_content": whole})
    again = api.call("POST", "monitor/system/config/backup", {"scope": "global"}).text
    assert comparable(again) == comparable(shown)
    assert "restore:" not in (api.folder / "gateway.log").read_text()
    for path in ("firewall.schedule/onetime/fair", "firewall.shaper/per-ip-shaper/each",
                 "system/interface/shop.20", "system.snmp/community/1"):
        api.delete(f"cmdb/{path}")


def test_schedules(api: GatewayUnderTest) -> None:
    once, group = "cmdb/firewall.schedule/onetime", "cmdb/firewall.schedule/group"
    api.post(once, ONCE)
    api.post(group, {"name": "both", "member": [{"name": "fair"}, {"name": "always"}]})
    assert api.call("DELETE", f"{once}/fair").json()["error"] == -23
    for path, wrong in (
        (once, ONCE | {"name": "back", "start": "08:00 2027/03/06"}),
        (once, ONCE | {"name": "never", "start": "08:00 2027/02/30"}),
        (group, {"name": "none-of-all"}),
        (group, {"name": "fair", "member": [{"name": "always"}]}),
        (group, {"name": "other", "member": [{"name": "nobody"}]}),
    ):
        assert api.call("POST", path, wrong).status_code == 500, wrong
    api.delete(f"{group}/both")
    api.delete(f"{once}/fair")


@pytest.mark.parametrize("more", [{"schedule": "fair"}, {"per-ip-shaper": "each"}])
def test_no_policy_names_what_is_only_kept(api: GatewayUnderTest, more: dict[str, str]) -> None:
    api.post("cmdb/firewall.schedule/onetime", ONCE)
    api.post("cmdb/firewall.shaper/per-ip-shaper", PER_IP)
    answer = api.call("POST", "cmdb/firewall/policy", policy("narrow", **more))
    assert answer.status_code == 500, answer.text
    assert api.names("firewall/policy") == []
    api.delete("cmdb/firewall.schedule/onetime/fair")
    api.delete("cmdb/firewall.shaper/per-ip-shaper/each")


@pytest.mark.parametrize(("path", "said"), [
    ("system/ha", {"mode": "a-p"}), ("system/sdwan", {"status": "enable", "members": [
        {"seq-num": 1, "interface": "port3", "zone": "outside"}]})])
def test_what_would_change_how_packets_go_is_refused(
    api: GatewayUnderTest, path: str, said: dict[str, str]
) -> None:
    answer = api.call("PUT", f"cmdb/{path}", said)
    assert answer.status_code == 500
    assert "has no" in answer.json()["cli_error"]


def test_a_vlan_is_an_interface(api: GatewayUnderTest) -> None:
    api.post("cmdb/system/interface", VLAN)
    api.post("cmdb/firewall/policy", policy("shop", srcintf=[{"name": "shop.20"}]))
    assert api.call("DELETE", "cmdb/system/interface/shop.20").json()["error"] == -23
    monitor = "monitor/system/interface"
    assert "shop.20" not in api.get(monitor)
    assert api.get(monitor, params={"include_vlan": "true"})["shop.20"]["ip"] == "198.18.20.1"
    api.delete("cmdb/firewall/policy")
    api.delete("cmdb/system/interface/shop.20")


@pytest.mark.parametrize("change", [
    {"vlanid": 0}, {"vlanid": 4095}, {"vlanid": None}, {"interface": ""}, {"interface": "port9"},
    {"interface": "ssl.root"}, {"name": "a b"}, {"name": "other"}])
def test_a_vlan_that_cannot_be(api: GatewayUnderTest, change: dict[str, Any]) -> None:
    api.post("cmdb/system/interface", VLAN | {"ip": "0.0.0.0 0.0.0.0"})
    answer = api.call("POST", "cmdb/system/interface", {**VLAN, "vlanid": 21, **(
        {"vlanid": 20} if change == {"name": "other"} else {"name": "other"}), **change})
    assert answer.status_code == 500, answer.text
    api.delete("cmdb/system/interface/shop.20")


@pytest.mark.parametrize(("ttl", "shown"), [
    (0, "0"), ("never", "never"), (300, "300"), ("2764800", "2764800"),
    ("abc", None), (299, None), (2764801, None), ("", "0"), (-1, None), ([300], None)])
def test_how_long_a_session_may_be_idle(api: GatewayUnderTest, ttl: Any, shown: str | None) -> None:
    for path, row, key in (
        ("firewall/policy", policy("p"), 1),
        ("firewall.service/custom", {"name": "s", "tcp-portrange": "8080"}, "s"),
    ):
        answer = api.call("POST", f"cmdb/{path}", row | {"session-ttl": ttl})
        assert answer.status_code == (500 if shown is None else 200), answer.text
        if shown is not None:
            assert api.get(f"cmdb/{path}/{key}")[0]["session-ttl"] == shown
            api.delete(f"cmdb/{path}/{key}")
