"""Monitors that clients ask for which nobody here wrote: exporters, inventories, facts."""

from __future__ import annotations

import time
from typing import Any

import pytest
from gateway_client import GatewayUnderTest

# What the Prometheus exporter for FortiGate asks for, and whether it reads a list or an object.
OF_THE_EXPORTER = {
    "router/bgp/paths?vdom=*&count=10000": list,
    "router/bgp/paths6?vdom=*&count=10000": list,
    "router/bgp/neighbors?vdom=*": list,
    "router/bgp/neighbors6?vdom=*": list,
    "router/ospf/neighbors?vdom=*": list,
    "firewall/load-balance?vdom=*&start=0&count=1000": list,
    "firewall/policy/select?vdom=*&ip_version=ipv4": list,
    "firewall/ippool?vdom=*": dict,
    "license/status/select": dict,
    "log/fortianalyzer?vdom=*": dict,
    "log/fortianalyzer-queue?vdom=*": dict,
    "log/current-disk-usage?vdom=*": dict,
    "system/available-certificates?scope=global": list,
    "system/available-certificates?vdom=*": list,
    "system/fortimanager/status?vdom=*": dict,
    "system/ha-statistics": list,
    "system/ha-checksums?scope=global": list,
    "system/interface/select?vdom=*&include_vlan=true&include_aggregate=true": dict,
    "system/link-monitor?vdom=*": dict,
    "system/resource/usage?interval=1-min&scope=global": dict,
    "system/resource/usage?interval=1-min&vdom=*": dict,
    "system/sdn-connector/status?vdom=*": list,
    "system/sensor-info?vdom=root": list,
    "system/time?vdom=root": dict,
    "user/fsso?vdom=*": list,
    "vpn/ipsec?vdom=*": list,
    "vpn/ssl?vdom=*": list,
    "vpn/ssl/stats?vdom=*": dict,
    "virtual-wan/health-check?vdom=*": dict,
    "wifi/ap_status?vdom=*": dict,
    "wifi/client?vdom=*&start=0&count=1000": list,
    "wifi/managed_ap?vdom=*&start=0&count=1000": list,
    "switch-controller/managed-switch?vdom=*&poe=true&start=0&count=1000": list,
}


@pytest.mark.parametrize(("path", "kind"), OF_THE_EXPORTER.items())
def test_what_the_exporter_asks_for(api: GatewayUnderTest, path: str, kind: type) -> None:
    answer = api.call("GET", f"monitor/{path}")
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert isinstance(told, list) == ("vdom=*" in path)
    for one in told if isinstance(told, list) else [told]:
        assert (one["vdom"], one["status"]) == ("root", "success")
        assert isinstance(one["results"], kind)


def test_pools_tell_what_sessions_have_of_them(api: GatewayUnderTest) -> None:
    api.post("cmdb/firewall/ippool",
             {"name": "p", "startip": "198.18.2.20", "endip": "198.18.2.21"})
    pool = api.get("monitor/firewall/ippool")["p"]
    assert (pool["used"], pool["clients"]) == (2, 2)
    assert (pool["natip_in_use"], pool["natip_total"]) == (1, 2)
    assert 99.9 < pool["available"] <= 100
    api.delete("cmdb/firewall/ippool/p")


def test_certificates_are_told_without_their_keys(api: GatewayUnderTest) -> None:
    answer = api.call("GET", "monitor/system/available-certificates")
    factory = answer.json()["results"][0]
    assert (factory["name"], factory["source"], factory["status"]) == (
        "Fortinet_Factory", "factory", "valid")
    assert factory["valid_from"] < time.time() < factory["valid_to"]
    assert "PRIVATE KEY" not in answer.text


def test_logs_and_their_room(api: GatewayUnderTest) -> None:
    room = api.get("monitor/log/current-disk-usage")
    assert room["used_bytes"] + room["free_bytes"] == room["total_bytes"] > 0
    state = api.get("monitor/log/device/state")
    assert (state["disk"]["is_enabled"], state["memory"]["is_enabled"]) == (True, False)
    api.put("cmdb/log.memory/setting", {"status": "enable"})
    assert api.get("monitor/log/device/state")["memory"]["is_enabled"] is True
    api.put("cmdb/log.memory/setting", {"status": "disable"})


def test_interfaces_that_a_policy_may_name(api: GatewayUnderTest) -> None:
    ports = {row["name"]: row for row in api.get("monitor/system/available-interfaces")}
    assert ports["mgmt"]["ipv4_addresses"] == [
        {"ip": "198.18.0.2", "netmask": "255.255.255.0", "cidr_netmask": 24}]
    assert (ports["port1"]["link"], ports["port2"]["ipv4_addresses"]) == ("up", [])


def test_routes_are_counted_and_looked_up(api: GatewayUnderTest) -> None:
    assert api.get("monitor/router/statistics") == {
        "total_lines": 1, "total_lines_ipv4": 1, "total_lines_ipv6": 0}

    def way(destination: str) -> Any:
        return api.get("monitor/router/lookup", params={"destination": destination})

    assert way("198.18.1.7") == {"success": True, "network": "198.18.1.0/24",
                                 "gateway": "0.0.0.0", "interface": "port2"}
    assert way("192.0.2.1") == way("2001:2::1") == {"success": False}
    for wrong in ("", "?destination=nobody.lab"):
        assert api.call("GET", f"monitor/router/lookup{wrong}").status_code in (424, 500)


def test_what_the_device_is_and_takes(api: GatewayUnderTest) -> None:
    current = api.get("monitor/system/firmware")["current"]
    assert (current["major"], current["minor"], current["patch"]) == (7, 4, 8)
    api.put("cmdb/system/resource-limits", {"session": 40})
    used = api.get("monitor/system/vdom-resource")
    assert used["session"] == {"current_usage": 4, "custom_max": 40, "usage_percent": 10}
    api.put("cmdb/system/resource-limits", {"session": 0})
    assert api.get("monitor/system/vdom-resource")["session"]["usage_percent"] == 0
