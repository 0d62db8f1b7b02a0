"""What differs between the releases of FortiOS that the gateway stands in for."""

from __future__ import annotations

import pytest
from gateway_client import GatewayUnderTest

from conftest import MakeGateway

SERVICE = "cmdb/firewall.service/custom"
OLD, NEW = "TCP/UDP/SCTP", "TCP/UDP/UDP-Lite/SCTP"


@pytest.mark.parametrize(
    ("version", "takes", "refuses"), [("7.4.8", OLD, NEW), ("7.6.0", NEW, OLD), ("7.6.4", NEW, OLD)]
)
def test_a_services_protocol_has_another_name_from_7_6_on(
    make_gateway: MakeGateway, version: str, takes: str, refuses: str
) -> None:
    api = make_gateway(version)
    row = {"name": "s", "tcp-portrange": "8080"}
    assert api.call("POST", SERVICE, row | {"protocol": refuses}).status_code == 500
    api.post(SERVICE, row)
    (seen,) = api.get(f"{SERVICE}/s")
    assert seen["protocol"] == takes, "the default, for who leaves it out"


def test_udp_lite_comes_with_it(make_gateway: MakeGateway) -> None:
    api = make_gateway("7.6.2")
    api.post(SERVICE, {"name": "s", "udplite-portrange": "8080"})
    assert api.get(f"{SERVICE}/s")[0]["udplite-portrange"] == "8080"


def test_and_is_not_there_before(api: GatewayUnderTest) -> None:
    row = {"name": "s", "tcp-portrange": "80", "udplite-portrange": "8080"}
    assert api.call("POST", SERVICE, row).status_code == 200
    assert "udplite-portrange" not in api.get(f"{SERVICE}/s")[0]
