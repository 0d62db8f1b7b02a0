"""Loopback interfaces and DHCP servers over the API."""

from __future__ import annotations

import base64

import pytest
from gateway_client import GatewayUnderTest

from conftest import MakeGateway

INTERFACE, DHCP = "cmdb/system/interface", "cmdb/system.dhcp/server"
LOOPBACK = {"name": "inner", "type": "loopback", "ip": "198.18.128.1 255.255.255.192"}
POOL = {
    "interface": "inner",
    "default-gateway": "198.18.128.1",
    "netmask": "255.255.255.192",
    "ip-range": [{"id": 1, "start-ip": "198.18.128.2", "end-ip": "198.18.128.51"}],
}


@pytest.fixture
def inner(api: GatewayUnderTest) -> str:
    """A loopback interface."""
    if api.call("GET", f"{INTERFACE}/inner").status_code == 404:
        api.post(INTERFACE, LOOPBACK)
    return "inner"


def refusal(api: GatewayUnderTest, method: str, path: str, body: object = None) -> int:
    """The error number of a call that is refused."""
    return api.call(method, path, body).json()["error"]


def test_a_loopback_comes_and_goes(api: GatewayUnderTest, inner: str) -> None:
    row = api.get(f"{INTERFACE}/{inner}")[0]
    assert (row["type"], row["ip"], row["vdom"]) == ("loopback", LOOPBACK["ip"], "root")
    assert inner in [one["name"] for one in api.applied()["config"]["system/interface"]]
    api.delete(f"{INTERFACE}/{inner}")
    assert api.call("GET", f"{INTERFACE}/{inner}").status_code == 404


def test_ports_are_the_devices_own(api: GatewayUnderTest) -> None:
    assert refusal(api, "POST", INTERFACE, {"name": "port9", "type": "physical"}) == -4
    assert refusal(api, "DELETE", f"{INTERFACE}/port1") == -37


def test_a_dhcp_server(api: GatewayUnderTest, inner: str) -> None:
    key = api.post(DHCP, POOL)["mkey"]
    row = api.get(f"{DHCP}/{key}")[0]
    assert (row["status"], row["lease-time"]) == ("enable", 604800)
    assert row["ip-range"][0]["end-ip"] == "198.18.128.51"
    assert refusal(api, "DELETE", f"{INTERFACE}/{inner}") == -23
    api.delete(f"{DHCP}/{key}")


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"interface": "nowhere"}, -651),
        ({"interface": ""}, -56),
        ({"netmask": "0.0.0.0"}, -56),
        ({"ip-range": [{"id": 1, "start-ip": "198.18.128.9", "end-ip": "198.18.128.2"}]}, -651),
        ({"ip-range": [{"id": 1, "start-ip": "198.18.128.9"}]}, -56),
    ],
)
def test_a_wrong_dhcp_server(api: GatewayUnderTest, inner: str, wrong: dict, error: int) -> None:
    assert refusal(api, "POST", DHCP, POOL | wrong) == error


def test_a_backup_brings_both_back(make_gateway: MakeGateway) -> None:
    gateway = make_gateway()
    gateway.post(INTERFACE, LOOPBACK)
    gateway.post(DHCP, {"id": 7, **POOL})
    destination = {"destination": "file", "scope": "global"}
    text = gateway.call("POST", "monitor/system/config/backup", destination).text
    assert "config system dhcp server" in text
    gateway.delete(f"{DHCP}/7")
    gateway.delete(f"{INTERFACE}/inner")
    content = base64.b64encode(text.encode()).decode()
    body = {"source": "upload", "scope": "global", "file_content": content}
    gateway.post("monitor/system/config/restore", body)
    assert gateway.get(f"{INTERFACE}/inner")[0]["type"] == "loopback"
    assert gateway.get(f"{DHCP}/7")[0]["interface"] == "inner"
