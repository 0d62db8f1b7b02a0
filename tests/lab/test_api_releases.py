"""What differs between the releases of FortiOS that the gateway stands in for."""

from __future__ import annotations

from gateway_client import GatewayUnderTest

from conftest import MakeGateway

SERVICE = "cmdb/firewall.service/custom"
OLD, NEW = "TCP/UDP/SCTP", "TCP/UDP/UDP-Lite/SCTP"
ROW = {"name": "s", "tcp-portrange": "8080"}


def test_a_services_protocol(api: GatewayUnderTest) -> None:
    assert api.call("POST", SERVICE, ROW | {"protocol": NEW}).status_code == 500
    api.post(SERVICE, ROW | {"udplite-portrange": "8080"})
    seen = api.get(f"{SERVICE}/s")[0]
    assert seen["protocol"] == OLD, "the default, for who leaves it out"
    assert "udplite-portrange" not in seen


def test_it_has_another_name_from_7_6_on(make_gateway: MakeGateway) -> None:
    api = make_gateway("7.6.0")
    assert api.call("POST", SERVICE, ROW | {"protocol": OLD}).status_code == 500
    api.post(SERVICE, ROW | {"udplite-portrange": "8080"})
    seen = api.get(f"{SERVICE}/s")[0]
    assert (seen["protocol"], seen["udplite-portrange"]) == (NEW, "8080")
