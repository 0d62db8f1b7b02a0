"""What differs between the releases of FortiOS that the gateway stands in for."""

from __future__ import annotations

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
