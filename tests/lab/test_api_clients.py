"""A client that others wrote works on the lab's gateway as it is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fortigate_api import FortiGateAPI
from gateway_client import TOKEN, GatewayUnderTest, policy

from conftest import MakeGateway


@pytest.fixture(params=["token", "password"])
def client(api: GatewayUnderTest, request: pytest.FixtureRequest) -> Iterator[FortiGateAPI]:
    """fortigate-api, logged in either way."""
    secret = ({"token": TOKEN} if request.param == "token" else {
        "username": "admin",
        "password": (api.folder / "admin-password").read_text().strip()})
    with FortiGateAPI(host="127.0.0.1", port=api.port, **secret) as forti:
        yield forti


def test_addresses(client: FortiGateAPI) -> None:
    address = client.cmdb.firewall.address
    data = {"name": "ADDRESS/1", "type": "ipmask", "subnet": "127.0.0.100 255.255.255.252"}
    assert address.create(data).status_code == 200
    assert address.create(data).status_code == 500
    assert [row["subnet"] for row in address.get(name="ADDRESS/1")] == [data["subnet"]]
    assert len(address.get(filter=["subnet==127.0.0.100 255.255.255.252", "type==ipmask"])) == 1
    assert address.update({"name": "ADDRESS/1", "comment": "changed"}).status_code == 200
    assert address.get(name="ADDRESS/1")[0]["comment"] == "changed"
    assert address.is_exist("ADDRESS/1")
    assert address.delete("ADDRESS/1").status_code == 200
    assert address.delete("ADDRESS/1").status_code == 404
    assert not address.is_exist("ADDRESS/1")


def test_services(client: FortiGateAPI) -> None:
    custom = client.cmdb.firewall_service.custom
    group = client.cmdb.firewall_service.group
    assert custom.create({"name": "T8080", "tcp-portrange": "8080"}).status_code == 200
    assert group.create({"name": "G", "member": [{"name": "T8080"}]}).status_code == 200
    assert custom.get(name="T8080")[0]["tcp-portrange"] == "8080"
    assert custom.delete("T8080").status_code == 500
    assert group.delete("G").status_code == 200
    assert custom.delete("T8080").status_code == 200
    assert {"ALL", "HTTP", "HTTPS", "PING"} <= {row["name"] for row in custom.get()}


def test_policies(client: FortiGateAPI) -> None:
    connector = client.cmdb.firewall.policy
    for name in ("one", "two", "three"):
        assert connector.create(policy(name)).status_code == 200
    ids = [row["policyid"] for row in connector.get()]
    assert connector.move(policyid=ids[2], position="before", neighbor=ids[0]).status_code == 200
    assert [row["name"] for row in connector.get()] == ["three", "one", "two"]
    assert connector.move(policyid=ids[2], position="after", neighbor=ids[1]).status_code == 200
    assert [row["name"] for row in connector.get()] == ["one", "two", "three"]
    assert connector.update({"policyid": ids[0], "status": "disable"}).status_code == 200
    assert [row["status"] for row in connector.get(policyid=ids[0])] == ["disable"]
    assert connector.get(efilter="srcaddr==0.0.0.0/0")
    assert connector.delete(filter="name==two").status_code == 200
    for number in (ids[0], ids[2]):
        assert connector.delete(number).status_code == 200
    assert connector.get() == []


def test_password_login_ends_with_7_6_3(make_gateway: MakeGateway) -> None:
    gateway = make_gateway("7.6.3")
    password = (gateway.folder / "admin-password").read_text().strip()
    client = FortiGateAPI(host="127.0.0.1", port=gateway.port, username="admin",
                          password=password)
    with pytest.raises(ValueError, match="ccsrftoken"):
        client.login()
    with FortiGateAPI(host="127.0.0.1", port=gateway.port, token=TOKEN) as by_token:
        assert by_token.cmdb.firewall.address.is_exist("all")
