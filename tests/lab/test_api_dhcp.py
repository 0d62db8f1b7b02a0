"""What is refused of a DHCP server, and what the monitor tells of its leases."""

from __future__ import annotations

import json
import time

import pytest
from gateway_client import GatewayUnderTest

DHCP, PORT = "cmdb/system.dhcp/server", "cmdb/system/interface/port2"
ROW = {
    "interface": "port2",
    "netmask": "255.255.255.0",
    "default-gateway": "198.18.1.1",
    "ip-range": [{"id": 1, "start-ip": "198.18.1.20", "end-ip": "198.18.1.29"}],
    "reserved-address": [{"id": 1, "mac": "02:00:00:00:00:0A", "ip": "198.18.1.25"}],
}


@pytest.fixture(scope="module")
def served(api: GatewayUnderTest) -> GatewayUnderTest:
    """A gateway with an address on port2."""
    api.put(PORT, {"ip": "198.18.1.1 255.255.255.0"})
    return api


@pytest.mark.parametrize(
    "wrong",
    [
        {"server-type": "ipsec"},
        {"ip-mode": "usrgrp"},
        {"dns-service": "default"},
        {"ntp-service": "default"},
        {"timezone-option": "default"},
        {"next-server": "198.18.1.9"},
        {"filename": "boot"},
        {"conflicted-ip-timeout": 60},
        {"domain": "two words"},
        {"domain": "a\nport=53"},
        {"netmask": "255.255.0.0"},
        {"interface": "port3"},
        {"interface": "ssl.root"},
        {"ip-range": [{"id": 1, "start-ip": "198.18.2.20", "end-ip": "198.18.2.29"}]},
        {"reserved-address": [{"id": 1, "mac": "02:00:00:00:00:0a", "ip": "198.18.2.25"}]},
        {"reserved-address": [{"id": 1, "mac": "02:00:00:00:00:0a,ignore", "ip": "198.18.1.5"}]},
        {"reserved-address": [{"id": 1, "type": "option82", "ip": "198.18.1.25"}]},
        {"reserved-address": [
            {"id": 1, "mac": "02:00:00:00:00:0a", "ip": "198.18.1.5"},
            {"id": 2, "mac": "02:00:00:00:00:0a", "ip": "198.18.1.6"},
        ]},
    ],
    ids=str,
)
def test_what_cannot_be_done_is_refused(served: GatewayUnderTest, wrong: dict) -> None:
    assert served.call("POST", DHCP, ROW | wrong).json()["error"] == -651


def test_a_reservation_needs_an_address_and_a_listed_host_none(served: GatewayUnderTest) -> None:
    host = {"id": 1, "mac": "02:00:00:00:00:0a"}
    assert served.call("POST", DHCP, ROW | {"reserved-address": [host]}).json()["error"] == -56
    key = served.post(DHCP, ROW | {"reserved-address": [{**host, "action": "assign"}]})["mkey"]
    served.delete(f"{DHCP}/{key}")


def test_an_interface_has_one_server(served: GatewayUnderTest) -> None:
    key = served.post(DHCP, ROW)["mkey"]
    assert served.call("POST", DHCP, ROW).json()["error"] == -5
    served.put(f"{DHCP}/{key}", {"lease-time": 900})
    served.delete(f"{DHCP}/{key}")


def test_leases_are_listed(served: GatewayUnderTest) -> None:
    key = served.post(DHCP, ROW)["mkey"]
    assert served.get(f"{DHCP}/{key}")[0]["reserved-address"][0]["mac"] == "02:00:00:00:00:0a"
    expires = int(time.time()) + 900
    leases = [
        {"interface": "port2", "address": "198.18.1.25", "mac": "02:00:00:00:00:0a",
         "name": "printer", "expires": expires},
        {"interface": "port2", "address": "198.18.1.20", "mac": "02:00:00:00:00:0b", "name": "",
         "expires": expires},
    ]
    (served.folder / "leases.json").write_text(json.dumps(leases))
    first, second = served.get("monitor/system/dhcp")
    assert first == {
        "ip": "198.18.1.25", "reserved": True, "mac": "02:00:00:00:00:0a", "hostname": "printer",
        "expire_time": expires, "status": "leased", "interface": "port2", "type": "ipv4",
        "server_mkey": int(key), "server_ipam_enabled": False,
    }  # fmt: skip
    assert (second["reserved"], "hostname" in second) == (False, False)
    assert served.get("monitor/system/dhcp?interface=port1") == []
    served.delete(f"{DHCP}/{key}")
    assert served.get("monitor/system/dhcp") == []
