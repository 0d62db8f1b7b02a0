"""Monitors in the forms that releases from 6.0 to 8.0 were recorded with: what is used is read."""

from __future__ import annotations

import time
from typing import Any

import pytest
from api_server import ScriptedApi, told

from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.load import load_between
from gatepass.gateway.session_limit import sessions_of

FORMS: list[tuple[str, str, Any]] = [
    ("8.0.1, without a history", "system/resource/usage", {"cpu": [{"current": 3}]}),
    ("7.0, a history of points", "system/resource/usage",
     {"cpu": [{"current": 3, "historical": {"1-min": {"values": [[1, 2]], "max": 2}}}]}),
    ("7.2, zeros and ones", "user/banned",
     [{"ip_address": "2001:db8:0:0:0:0:0:1", "ipv6": 1, "created": 1, "source": "Administrative"}]),
    ("7.0, with an end", "user/banned",
     [{"ip_address": "10.0.0.1", "ipv6": False, "expires": 0, "source": "Administrative"}]),
    ("7.2, other keys", "vpn/ssl",
     [{"index": 0, "user_name": "u", "interface": "port1", "duration": 5, "two_factor_auth": True,
       "subsessions": [{"index": 0, "mode": "Tunnel", "aip": "10.0.0.5", "in_bytes": 1,
                        "out_bytes": 2, "desc": "x"}]}]),
    ("6.4, nobody in a tunnel", "vpn/ssl", [{"user_name": "u", "subsessions": None}]),
    ("7.0.12, a selector that is down", "vpn/ipsec",
     [{"name": "site", "tun_id": "10.0.0.7", "tun_id6": "::10.0.0.7",
       "proxyid": [{"p2name": "p", "status": "down"}]}]),
    ("7.4, dial-up with letters", "vpn/ipsec",
     [{"name": "dial_a", "type": "dialup", "username": "u", "tun_id": "::"}]),
    ("7.4, more of each policy", "firewall/policy",
     [{"policyid": 1, "uuid_type": "firewall", "bytes": 1, "software_bytes": 1, "asic_bytes": 0,
       "nturbo_bytes": 0, "session_count": 2}]),
    ("before 6.4", "firewall/policy", [{"policyid": 1, "packets": 3, "active_sessions": 0}]),
    ("7.6, more of each route", "router/ipv4",
     [{"ip_version": 4, "type": "static", "origin": "x", "ip_mask": "0.0.0.0/0", "priority": 1,
       "vrf": 0, "gateway": "10.0.0.1", "non_rc_gateway": "0.0.0.0", "interface": "port1",
       "is_tunnel_route": False, "tunnel_parent": "", "install_date": 1}]),
    ("7.2.8, no lease", "system/dhcp", None),
    ("7.0.12, a speed that is no whole number", "system/interface",
     {"agg": {"ip": "0.0.0.0", "link": True, "speed": 6250.5, "rx_packets": 1, "tx_packets": 1}}),
    ("8.0.1, services without entitlement", "license/status",
     {"vm": {"type": "platform", "status": "vm_valid", "valid": True},
      "antivirus": {"type": "downloaded_fds_object", "status": "free_license"}}),
]


@pytest.mark.parametrize(("path", "results"), [pytest.param(*one[1:], id=f"{one[1]} {one[0]}")
                                               for one in FORMS])
def test_a_form_is_read(api: ScriptedApi, client: FortiGate, path: str, results: Any) -> None:
    api.script = [told(results=results)]
    assert client.monitor(path)["results"] == results


def test_load_without_a_history_is_none(api: ScriptedApi, client: FortiGate) -> None:
    api.script = [told(results={"cpu": [{"current": 3}], "mem": [{"current": 50}]})]
    now = time.time()
    assert load_between(client, now - 20, now) is None
    assert "scope=global" in api.calls[-1].path, "else a device with VDOMs tells of one of them"


def test_sessions_are_those_of_the_whole_device(api: ScriptedApi, client: FortiGate) -> None:
    usage = {"cpu": [], "session": [{"current": 12}]}
    api.script = [told(results=usage), told(results={"session": 0})]
    assert sessions_of(client).current == 12
    assert "scope=global" in api.calls[0].path
