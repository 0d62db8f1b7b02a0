"""What the monitors tell."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from gateway_client import GatewayUnderTest, policy

from conftest import MakeGateway
from lab.gateway.resources import _CpuTimes, _process_time


def test_status_has_identity_at_the_top_and_no_http_status(api: GatewayUnderTest) -> None:
    answer = api.call("GET", "monitor/system/status").json()
    assert (answer["version"], answer["serial"]) == ("v7.4.8", "LABGW0000000001")
    assert answer["results"]["model_number"] == "VM64-LAB"
    assert "http_status" not in answer


def test_usage_is_current_with_history(api: GatewayUnderTest) -> None:
    usage = api.get("monitor/system/resource/usage", params={"interval": "1-min"})
    assert {"cpu", "mem", "disk", "session", "session6"} <= set(usage)
    assert 0 < usage["mem"][0]["current"] < 100
    assert [usage[name][0]["current"] for name in ("session", "session6")] == [3, 1]
    moment, _ = usage["cpu"][0]["historical"]["1-min"]["values"][0]
    assert abs(moment / 1000 - time.time()) < 60
    one = api.get("monitor/system/resource/usage", params={"resource": "cpu"})
    assert set(one["cpu"][0]["historical"]) >= {"1-min", "24-hour"}
    assert api.call("GET", "monitor/system/resource/usage?interval=1-year").status_code == 424


def test_usage_tells_the_mean_of_the_processors_and_each(api: GatewayUnderTest) -> None:
    mean, *each = (
        one["current"] for one in api.get("monitor/system/resource/usage?resource=cpu")["cpu"])
    assert len(each) == os.cpu_count()
    assert min(each) - 1 <= mean <= max(each) + 1


def test_the_time_of_processes_is_shared_out_among_the_processors() -> None:
    before = _CpuTimes(processes=100, packets=(10, 20), all=(1000, 1000))
    after = _CpuTimes(processes=140, packets=(20, 20), all=(1100, 1100))
    assert after.per_cent_since(before) == [25, 30, 20]
    assert before.per_cent_since(before) == [0, 0, 0], "no time has passed"


def test_what_a_process_wants_of_the_processors_counts_whoever_has_them() -> None:
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as hog:
        before, begun = _process_time(Path(f"/proc/{hog.pid}")), time.monotonic()
        time.sleep(1)
        spent, passed = _process_time(Path(f"/proc/{hog.pid}")) - before, time.monotonic() - begun
        hog.kill()
    ticks = os.sysconf("SC_CLK_TCK")
    assert 0.7 < spent / ticks / passed < 1.3
    assert _process_time(Path(f"/proc/{hog.pid}")) == 0  # it has ended


def test_clock(api: GatewayUnderTest) -> None:
    assert abs(api.get("monitor/system/time")["time"] - time.time()) < 5


def test_interfaces_by_name(api: GatewayUnderTest) -> None:
    ports = api.get("monitor/system/interface")
    assert set(ports) == {"mgmt", "port1", "port2", "port3", "ssl.root"}
    assert (ports["port1"]["link"], ports["port1"]["rx_bytes"]) == (True, 7)
    assert list(api.get("monitor/system/interface?interface_name=port2")) == ["port2"]


def test_licence(api: GatewayUnderTest) -> None:
    vm = api.get("monitor/license/status")["vm"]
    assert (vm["valid"], vm["status"]) == (True, "vm_valid")
    assert vm["cpu_used"] >= 1


def test_routes(api: GatewayUnderTest) -> None:
    assert api.get("monitor/router/ipv4")[0]["ip_mask"] == "198.18.1.0/24"


def test_policy_counters(api: GatewayUnderTest) -> None:
    for name in ("hit", "untouched"):
        api.post("cmdb/firewall/policy", policy(name))
    (api.folder / "counters.json").write_text(json.dumps({
        "0": {"hit_count": 3, "packets": 3, "bytes": 180},
        "1": {"hit_count": 2, "packets": 9, "bytes": 1234, "active_sessions": 1,
              "first_used": 10.5, "last_used": 20.5}}))
    implicit, hit, untouched = api.get("monitor/firewall/policy")
    assert (implicit["policyid"], implicit["hit_count"]) == (0, 3)
    assert (hit["bytes"], hit["first_used"], hit["active_sessions"]) == (1234, 10, 1)
    assert untouched["bytes"] == 0
    assert "hit_count" not in untouched
    assert api.get("monitor/firewall/policy?policyid=1") == [hit]


def test_counters_are_cleared(api: GatewayUnderTest) -> None:
    clear = "monitor/firewall/policy/clear_counters"
    api.post("cmdb/firewall/policy", policy("cleared"))
    number = api.get("cmdb/firewall/policy?filter=name==cleared")[0]["policyid"]
    for body, told in (({}, None), ({"policy": number}, [number]), ({"policy": [0]}, [0])):
        api.post(clear, body)
        assert json.loads((api.folder / "cleared.json").read_text()) == told
    assert api.call("POST", clear, {"policy": 999}).status_code == 404


def test_lookup(api: GatewayUnderTest) -> None:
    path = "monitor/firewall/policy-lookup"
    ask = {"srcintf": "port2", "sourceip": "10.0.0.1", "protocol": "6", "dest": "198.18.2.10",
           "destport": "443"}
    assert api.get(path, params=ask) == {"match": True, "policy_id": 1, "policy_action": "accept"}
    denied = api.get(path, params=ask | {"protocol": "tcp", "destport": "80"})
    assert denied == {"match": False, "policy_id": 0, "policy_action": "deny"}


@pytest.mark.parametrize("change", [
    {"srcintf": "port9"}, {"sourceip": "x"}, {"dest": "::1"}, {"destport": "70000"},
    {"protocol": "carrier-pigeon"}, {"destport": None}, {"srcintf": None}])
def test_lookup_that_cannot_be(api: GatewayUnderTest, change: dict[str, str | None]) -> None:
    ask = {"srcintf": "port2", "sourceip": "10.0.0.1", "protocol": "6", "dest": "198.18.2.10",
           "destport": "443"} | change
    answer = api.call("GET", "monitor/firewall/policy-lookup",
                      params={name: value for name, value in ask.items() if value is not None})
    assert answer.status_code in (424, 500)


def test_sessions(api: GatewayUnderTest) -> None:
    results = api.get("monitor/firewall/session?count=3&summary=true")
    assert len(results["details"]) == 3
    assert results["summary"]["session_count"] == 4
    of_policy = api.get("monitor/firewall/session?count=10&policyid=1")
    assert [row["policyid"] for row in of_policy["details"]] == [1, 1]


REMOTE = {
    "sessions": [
        {"index": 620, "user": "alice", "groups": ["vpn"], "source": "198.18.1.10",
         "since": 1599725635.5, "address": 0xC613D201, "tunnel": 621, "in_bytes": 10,
         "out_bytes": 20},
        {"index": 630, "user": "bob", "groups": [], "source": "198.18.1.10",
         "since": 1599736496, "address": None, "tunnel": None, "in_bytes": 0, "out_bytes": 0},
    ],
    "connections": 3,
    "most": {"users": 7, "tunnels": 6, "connections": 12},
}


def test_remote_users(api: GatewayUnderTest) -> None:
    assert api.get("monitor/vpn/ssl") == []
    (api.folder / "remote.json").write_text(json.dumps(REMOTE))
    alice, bob = api.get("monitor/vpn/ssl")
    assert (alice["user_name"], alice["remote_host"]) == ("alice", "198.18.1.10")
    assert alice["last_login_timestamp"] == 1599725635
    assert alice["subsessions"] == [
        {"index": 621, "parent_index": 620, "mode": "Tunnel", "type": "Unknown",
         "aip": "198.19.210.1", "in_bytes": 10, "out_bytes": 20, "desthost": ""}]
    assert bob["subsessions"] == []
    stats = api.get("monitor/vpn/ssl/stats")
    assert stats["current"] == {"users": 2, "tunnels": 1, "connections": 3}
    assert stats["max"] == REMOTE["most"]


def test_remote_users_are_disconnected(api: GatewayUnderTest) -> None:
    def ended() -> int | None:
        return json.loads((api.folder / "ended.json").read_text())

    api.post("monitor/vpn/ssl/delete", {"type": "subsession", "index": 621})
    assert ended() == 621
    api.post("monitor/vpn/ssl/clear_tunnel", {})
    assert ended() is None
    for body, status in (({"type": "websession", "index": 5}, 404), ({"index": 620}, 424),
                         ({"type": "other", "index": 620}, 424), ({"type": "websession"}, 424)):
        assert api.call("POST", "monitor/vpn/ssl/delete", body).status_code == status


def test_the_ssl_vpn_ends_with_7_6_3(make_gateway: MakeGateway) -> None:
    assert make_gateway("7.6.3").call("GET", "monitor/vpn/ssl").status_code == 404


def test_a_ban_is_listed_until_it_is_ended(api: GatewayUnderTest) -> None:
    add, clear = (f"monitor/user/banned/{word}_users" for word in ("add", "clear"))
    assert api.get("monitor/user/banned") == []
    body = {"ip_addresses": ["198.18.1.10", "2001:DB8::0:1"], "expiry": 60}
    assert api.call("POST", add, body).status_code == 200
    four, six = api.get("monitor/user/banned")
    assert (four["ip_address"], four["ipv6"], six["ip_address"]) == (
        "198.18.1.10", False, "2001:db8::1"
    )
    assert four["expires"] - four["created"] == 60
    assert api.call("POST", clear, {"ip_addresses": ["198.18.1.10"]}).status_code == 200
    assert [row["ip_address"] for row in api.get("monitor/user/banned")] == ["2001:db8::1"]
    assert api.call("POST", "monitor/user/banned/clear_all", {}).status_code == 200
    assert api.get("monitor/user/banned") == []


def test_only_addresses_are_banned(api: GatewayUnderTest) -> None:
    add = "monitor/user/banned/add_users"
    for body in ({}, {"ip_addresses": []}, {"ip_addresses": ["198.18.1.0/24 }; drop"]},
                 {"ip_addresses": ["198.18.1.10"], "expiry": -1}):
        assert api.call("POST", add, body).status_code in (424, 500), body
    assert api.get("monitor/user/banned") == []
