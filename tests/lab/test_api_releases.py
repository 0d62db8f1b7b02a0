"""What differs between the releases of FortiOS that the gateway stands in for."""

from __future__ import annotations

import pytest
from gateway_client import GatewayUnderTest

from conftest import MakeGateway
from lab.gateway.schema import tables

SERVICE = "cmdb/firewall.service/custom"
OLD, NEW = "TCP/UDP/SCTP", "TCP/UDP/UDP-Lite/SCTP"
ROW = {"name": "s", "tcp-portrange": "8080"}


def test_a_services_protocol(api: GatewayUnderTest) -> None:
    assert api.call("POST", SERVICE, ROW | {"protocol": NEW}).status_code == 500
    api.post(SERVICE, ROW | {"udplite-portrange": "8080"})
    seen = api.get(f"{SERVICE}/s")[0]
    assert seen["protocol"] == OLD, "the default, for who leaves it out"
    assert "udplite-portrange" not in seen


def test_a_limit_that_depends_on_memory(api: GatewayUnderTest) -> None:
    path = "cmdb/firewall/profile-protocol-options"
    for most, status in ((1639, 500), (1638, 200)):
        row = {"name": "p", "http": {"oversize-limit": most}}
        assert api.call("POST", path, row).status_code == status
    schema = api.get(f"{path}?action=schema")
    assert schema["children"]["http"]["children"]["oversize-limit"]["max-value"] == 1638
    small = tables((7, 4, 8), memory_mib=2048)["firewall/profile-protocol-options"]
    assert small.attributes["ftp"].child.attributes["oversize-limit"].limits == (1, 204)


def test_a_small_model_has_no_explicit_proxy_from_7_4_4_on() -> None:
    gone = {"web-proxy/explicit", "firewall/proxy-policy"}
    for release, memory_mib, has in (((7, 4, 3), 2048, True), ((7, 4, 4), 4096, True),
                                     ((7, 4, 4), 2048, False), ((7, 6, 0), 1993, False)):
        assert gone.isdisjoint(tables(release, memory_mib)) is not has


def test_it_has_another_name_from_7_6_on(make_gateway: MakeGateway) -> None:
    api = make_gateway("7.6.0")
    assert api.call("POST", SERVICE, ROW | {"protocol": OLD}).status_code == 500
    api.post(SERVICE, ROW | {"udplite-portrange": "8080"})
    seen = api.get(f"{SERVICE}/s")[0]
    assert (seen["protocol"], seen["udplite-portrange"]) == (NEW, "8080")


def test_choices_come_and_go() -> None:
    def has(release: tuple[int, int, int], name: str) -> bool:
        interfaces = tables(release)["system/interface"].attributes
        return name in interfaces["type"].options + interfaces["allowaccess"].options

    releases = ((7, 4, 8), (7, 6, 0), (7, 6, 4))
    assert [has(release, "scim") for release in releases] == [False, True, True]
    assert [has(release, "hdlc") for release in releases] == [True, True, False]


def test_a_default_of_a_later_release() -> None:
    dhgrp = [
        tables(release)["vpn.ipsec/phase1-interface"].attributes["dhgrp"].default
        for release in ((7, 6, 4), (7, 6, 5))
    ]
    assert dhgrp == ["14 5", "20"]


@pytest.mark.parametrize(
    ("path", "row"),
    [
        ("firewall/address", {"name": "x", "type": "mac"}),
        ("firewall/address6", {"name": "x", "type": "geography"}),
        ("firewall/vip", {"name": "x", "type": "server-load-balance"}),
        ("firewall/policy", {"policyid": 9, "action": "ipsec"}),
        ("user/local", {"name": "x", "type": "password", "passwd": "p", "two-factor": "email"}),
        ("vpn.ipsec/phase1-interface", {"name": "x", "proposal": "aes128-sha256 seed-sha256"}),
        ("vpn.ipsec/phase2-interface", {"name": "x", "proposal": "aes128-null"}),
    ],
)
def test_what_fortios_takes_and_the_lab_does_not_do(
    api: GatewayUnderTest, path: str, row: dict
) -> None:
    """It is declared, and refused by its name; what FortiOS has not is no choice at all."""
    *_, (name, value) = row.items()
    answer = api.call("POST", f"cmdb/{path}", row)
    assert answer.status_code == 500
    assert f"The lab's gateway has no {name} {value.split()[-1]}" in answer.json()["cli_error"]
    choices = api.get(f"cmdb/{path}?action=schema")["children"][name]["options"]
    assert value.split()[-1] in [choice["name"] for choice in choices]
    answer = api.call("POST", f"cmdb/{path}", row | {name: "no-such"})
    assert "allowed: " in answer.json()["cli_error"]
