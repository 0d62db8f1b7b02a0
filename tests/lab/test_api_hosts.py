"""Bindings, ARP entries and source checks as the API takes and shows them."""

from __future__ import annotations

from typing import Any

import pytest
from gateway_client import GatewayUnderTest

MAC = "02:00:00:00:00:01"
ARP, PAIRS = "cmdb/system/arp-table", "cmdb/firewall.ipmacbinding/table"


def test_nothing_is_bound_at_first_and_sources_are_checked(api: GatewayUnderTest) -> None:
    settings = api.get("cmdb/firewall.ipmacbinding/setting")
    assert settings["undefinedhost"] == "block"
    assert settings["bindthroughfw"] == settings["bindtofw"] == "disable"
    assert api.get(ARP) == api.get(PAIRS) == []
    for row in api.get("cmdb/system/interface"):
        assert (row["ipmac"], row["src-check"]) == ("disable", "enable"), row["name"]
    system = api.get("cmdb/system/settings")
    assert (system["asymroute"], system["strict-src-check"]) == ("disable", "disable")


def test_hardware_addresses_are_shown_alike(api: GatewayUnderTest) -> None:
    api.post(ARP, {"id": 3, "interface": "port2", "ip": "198.18.1.9", "mac": "02-00-00-00-00-0A"})
    api.post(PAIRS, {"seq-num": 0, "ip": "198.18.1.9", "mac": "02:00:00:00:00:0A"})
    (entry,), (pair,) = api.get(ARP), api.get(PAIRS)
    assert entry["mac"] == pair["mac"] == "02:00:00:00:00:0a"
    assert (pair["seq-num"], pair["name"], pair["status"]) == (1, "noname", "disable")
    assert api.call("DELETE", f"{ARP}/3").status_code == 200
    assert api.call("DELETE", f"{PAIRS}/1").status_code == 200


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (ARP, {"id": 1, "interface": "port2", "ip": "198.18.1.9"}),
        (ARP, {"id": 1, "interface": "port2", "mac": MAC}),
        (ARP, {"id": 1, "ip": "198.18.1.9", "mac": MAC}),
        (ARP, {"id": 1, "interface": "port9", "ip": "198.18.1.9", "mac": MAC}),
        (ARP, {"id": 1, "interface": "ssl.root", "ip": "198.18.1.9", "mac": MAC}),
        (ARP, {"id": 1, "interface": "port2", "ip": "198.18.1.9", "mac": "ff:ff:ff:ff:ff:ff"}),
        (PAIRS, {"seq-num": 1}),
        (PAIRS, {"seq-num": 1, "mac": f"{MAC} }}; drop"}),
        (PAIRS, {"seq-num": 1, "ip": "198.18.1.0/24", "mac": MAC}),
    ],
)
def test_what_cannot_be_carried_out_is_refused(
    api: GatewayUnderTest, path: str, body: dict[str, Any]
) -> None:
    assert api.call("POST", path, body).status_code == 500
    assert api.get(path) == []
