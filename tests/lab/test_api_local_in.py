"""Local-in policies, and what of translations this gateway does not do, over REST."""

from __future__ import annotations

import pytest
from gateway_client import GatewayUnderTest

from conftest import MakeGateway

LOCAL_IN = "cmdb/firewall/local-in-policy"
ROW = {
    "policyid": 1,
    "intf": [{"name": "port2"}],
    "srcaddr": [{"name": "all"}],
    "dstaddr": [{"name": "all"}],
    "service": [{"name": "PING"}],
    "schedule": "always",
}


def test_a_local_in_policy_denies_unless_it_says_otherwise(api: GatewayUnderTest) -> None:
    api.post(LOCAL_IN, ROW)
    (row,) = api.get(LOCAL_IN)
    assert [one["name"] for one in row["intf"]] == ["port2"]
    assert (row["action"], row["status"]) == ("deny", "enable")
    assert [one["policyid"] for one in api.applied()["config"]["firewall/local-in-policy"]] == [1]
    api.delete(f"{LOCAL_IN}/1")
    assert api.get(LOCAL_IN) == []


@pytest.mark.parametrize(
    "values",
    [
        {"intf": []},
        {"intf": [{"name": "port9"}]},
        {"intf": "port2"},
        {"srcaddr": []},
        {"dstaddr": []},
        {"service": []},
        {"schedule": ""},
        {"virtual-patch": "enable"},
        {"service-negate": "enable"},
        {"ha-mgmt-intf-only": "enable"},
    ],
)
def test_what_is_no_local_in_policy_here(api: GatewayUnderTest, values: dict) -> None:
    assert api.call("POST", LOCAL_IN, ROW | values).status_code in (424, 500)
    assert api.get(LOCAL_IN) == []


def test_before_7_4_2_it_has_one_interface(make_gateway: MakeGateway) -> None:
    api = make_gateway("7.4.1")
    api.post(LOCAL_IN, ROW | {"intf": "port2"})
    (row,) = api.get(LOCAL_IN)
    assert row["intf"] == "port2"


@pytest.mark.parametrize("kind", ["one-to-one", "fixed-port-range", "port-block-allocation"])
def test_pools_of_other_types_are_refused(api: GatewayUnderTest, kind: str) -> None:
    row = {"name": "p", "type": kind, "startip": "198.18.2.20", "endip": "198.18.2.20"}
    answer = api.call("POST", "cmdb/firewall/ippool", row)
    assert answer.status_code == 500 and "use overload" in answer.text


def test_a_virtual_address_for_some_services_is_refused(api: GatewayUnderTest) -> None:
    row = {"name": "v", "extip": "198.18.2.20", "extintf": "port1",
           "mappedip": [{"range": "198.18.1.20"}], "service": [{"name": "HTTP"}]}
    answer = api.call("POST", "cmdb/firewall/vip", row)
    assert answer.status_code == 500 and "has no service HTTP" in answer.text
