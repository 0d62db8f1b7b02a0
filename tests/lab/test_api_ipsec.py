"""The tables and monitors of IPsec over the API, without a data plane."""

from __future__ import annotations

import json

import pytest
from gateway_client import GatewayUnderTest, policy

from conftest import MakeGateway

PHASE1, PHASE2 = "cmdb/vpn.ipsec/phase1-interface", "cmdb/vpn.ipsec/phase2-interface"
SECRET = "known to both offices"
ONE = {
    "name": "to-b",
    "interface": "port3",
    "ike-version": "2",
    "peertype": "any",
    "remote-gw": "198.19.200.1",
    "proposal": "aes256-sha256 aes128-sha256",
    "psksecret": SECRET,
}
TWO = {
    "name": "to-b-p2",
    "phase1name": "to-b",
    "proposal": "aes256gcm",
    "src-subnet": "198.18.1.0/24",
    "dst-subnet": "198.19.100.0 255.255.255.0",
}


@pytest.fixture(scope="module")
def tunnel(api: GatewayUnderTest) -> str:
    api.post(PHASE1, ONE)
    api.post(PHASE2, TWO)
    return ONE["name"]


def refused(api: GatewayUnderTest, path: str, body: dict) -> str:
    """Why a new row is refused."""
    answer = api.call("POST", path, body)
    assert answer.status_code == 500
    return answer.json()["cli_error"]


def test_a_row_has_the_defaults_of_a_device(api: GatewayUnderTest, tunnel: str) -> None:
    one = api.get(f"{PHASE1}/{tunnel}")[0]
    assert (one["keylife"], one["dhgrp"], one["dpd"]) == (86400, "14 5", "on-demand")
    assert (one["type"], one["nattraversal"], one["dpd-retryinterval"]) == (
        "static",
        "enable",
        "20",
    )
    two = api.get(f"{PHASE2}/{TWO['name']}")[0]
    assert (two["pfs"], two["keylifeseconds"], two["auto-negotiate"]) == (
        "enable",
        43200,
        "disable",
    )
    assert two["src-subnet"] == "198.18.1.0 255.255.255.0"


def test_proposals_keep_their_order(api: GatewayUnderTest, tunnel: str) -> None:
    assert api.get(f"{PHASE1}/{tunnel}")[0]["proposal"] == ONE["proposal"]


def test_the_key_is_never_shown_and_never_kept_readable(api: GatewayUnderTest, tunnel: str) -> None:
    assert api.get(f"{PHASE1}/{tunnel}")[0]["psksecret"].startswith("ENC ")
    backup = api.call("POST", "monitor/system/config/backup", {"scope": "global"}).text
    assert "config vpn ipsec phase1-interface" in backup
    assert SECRET not in backup + json.dumps(api.get(PHASE1))
    assert SECRET.encode() not in (api.folder / "state.sqlite").read_bytes()
    told = api.applied()["config"]["vpn.ipsec/phase1-interface"]
    assert [row["psksecret"] for row in told] == [SECRET]


def test_a_tunnel_has_an_interface_that_comes_and_goes_with_it(api: GatewayUnderTest) -> None:
    api.post(PHASE1, {**ONE, "name": "brief", "remote-gw": "198.19.200.9"})
    row = api.get("cmdb/system/interface/brief")[0]
    assert (row["type"], row["interface"]) == ("tunnel", "port3")
    assert "brief" in api.get("monitor/system/interface")
    assert api.call("DELETE", "cmdb/system/interface/brief").status_code == 500
    api.post("cmdb/router/static", {"seq-num": 77, "dst": "198.19.150.0/24", "device": "brief"})
    assert api.call("DELETE", f"{PHASE1}/brief").json()["error"] == -23
    api.call("DELETE", "cmdb/router/static/77")
    assert api.call("DELETE", f"{PHASE1}/brief").status_code == 200
    assert api.call("GET", "cmdb/system/interface/brief").status_code == 404


def test_a_policy_names_the_tunnel(api: GatewayUnderTest, tunnel: str) -> None:
    made = api.post("cmdb/firewall/policy", policy("out", dstintf=[{"name": tunnel}]))
    assert api.call("DELETE", f"{PHASE2}/{TWO['name']}").status_code == 200
    assert api.call("DELETE", f"{PHASE1}/{tunnel}").json()["error"] == -23
    api.post(PHASE2, TWO)
    api.call("DELETE", f"cmdb/firewall/policy/{made['mkey']}")


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"psksecret": ""}, "psksecret"),
        ({"remote-gw": ""}, "remote-gw"),
        ({"interface": "port9"}, "port9"),
        ({"interface": "to-b"}, "tunnel"),
        ({"name": "sixteen-letters-"}, "15"),
        ({"name": "port1"}, "port1"),
        ({"proposal": "rot13-sha256"}, "rot13"),
        ({"authmethod": "signature"}, "signature"),
        ({"peertype": "one"}, "peerid"),
        ({"eap": "enable", "ike-version": "1"}, "ike-version 2"),
        ({"type": "dynamic", "mode-cfg": "enable"}, "range"),
    ],
)
def test_what_cannot_be_is_refused_with_its_reason(
    api: GatewayUnderTest, tunnel: str, changes: dict, word: str
) -> None:
    assert word in refused(api, PHASE1, {**ONE, "name": "wrong", **changes})


def test_a_phase_2_needs_its_phase_1(api: GatewayUnderTest) -> None:
    assert "nowhere" in refused(api, PHASE2, {**TWO, "name": "p", "phase1name": "nowhere"})


def test_a_backup_brings_tunnels_back_with_their_interfaces(make_gateway: MakeGateway) -> None:
    gateway = make_gateway()
    gateway.post(PHASE1, ONE)
    gateway.post(PHASE2, TWO)
    gateway.call("PUT", "cmdb/system/interface/to-b", {"alias": "the other office"})
    gateway.post("cmdb/router/static", {"seq-num": 5, "dst": "198.19.100.0/24", "device": "to-b"})
    saved = gateway.call("POST", "monitor/system/config-revision/save", {"comments": "x"}).json()
    gateway.call("DELETE", "cmdb/router/static/5")
    gateway.call("DELETE", f"{PHASE2}/{TWO['name']}")
    gateway.call("DELETE", f"{PHASE1}/to-b")
    body = {"source": "revision", "scope": "global", "config_id": saved["results"]["config_id"]}
    assert gateway.call("POST", "monitor/system/config/restore", body).status_code == 200
    row = gateway.get("cmdb/system/interface/to-b")[0]
    assert (row["type"], row["alias"]) == ("tunnel", "the other office")
    assert gateway.get("cmdb/router/static/5")[0]["device"] == "to-b"
    assert gateway.call("DELETE", "cmdb/router/static/5").status_code == 200
    assert gateway.call("DELETE", f"{PHASE2}/{TWO['name']}").status_code == 200
    assert gateway.call("DELETE", f"{PHASE1}/to-b").status_code == 200


def test_the_monitor_shows_a_tunnel_that_is_down(api: GatewayUnderTest, tunnel: str) -> None:
    shown = next(row for row in api.get("monitor/vpn/ipsec") if row["name"] == tunnel)
    assert (shown["rgwy"], shown["type"], shown["incoming_bytes"]) == (
        ONE["remote-gw"],
        "automatic",
        0,
    )
    selector = shown["proxyid"][0]
    assert (selector["p2name"], selector["status"]) == (TWO["name"], "down")
    assert selector["proxy_dst"][0]["subnet"] == "198.19.100.0-198.19.100.255"


def test_the_monitor_wants_names_that_are_there(api: GatewayUnderTest, tunnel: str) -> None:
    up = "monitor/vpn/ipsec/tunnel_up"
    assert api.call("POST", up, {"p2name": "nobody"}).status_code == 404
    assert api.call("POST", up, {}).status_code == 424
    assert api.call("POST", up, {"p1name": "other", "p2name": TWO["name"]}).status_code == 424
    assert api.call("POST", up, {"p1name": tunnel, "p2name": TWO["name"]}).status_code == 200
    reset = "monitor/vpn/ipsec/tunnel_reset_stats"
    assert api.call("POST", reset, {"p1name": "nobody"}).status_code == 404
    assert api.call("POST", reset, {}).status_code == 200
