"""Clients that others wrote work on the lab's gateway as they are."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fortigate_api import FortiGateAPI
from fortiosapi import FortiOSAPI
from gateway_client import TIMEOUT, TOKEN, GatewayUnderTest, policy
from pyFGT.fortigate import FortiGate

from conftest import MakeGateway


def password(gateway: GatewayUnderTest) -> str:
    """The administrator's password."""
    return (gateway.folder / "admin-password").read_text().strip()


@pytest.fixture(params=["token", "password"])
def client(api: GatewayUnderTest, request: pytest.FixtureRequest) -> Iterator[FortiGateAPI]:
    """fortigate-api, logged in either way."""
    secret = ({"token": TOKEN} if request.param == "token" else {
        "username": "admin", "password": password(api)})
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
    client = FortiGateAPI(host="127.0.0.1", port=gateway.port, username="admin",
                          password=password(gateway))
    with pytest.raises(ValueError, match="ccsrftoken"):
        client.login()
    with FortiGateAPI(host="127.0.0.1", port=gateway.port, token=TOKEN) as by_token:
        assert by_token.cmdb.firewall.address.is_exist("all")


@pytest.fixture(params=["7.4.8", "7.6.4"])
def gateway(gateway_of: MakeGateway, request: pytest.FixtureRequest) -> GatewayUnderTest:
    """A gateway before and after `/logincheck` was given up."""
    return gateway_of(request.param)


@pytest.fixture
def authority(gateway: GatewayUnderTest, monkeypatch: pytest.MonkeyPatch) -> str:
    """What verifies the gateway's certificate, also where the environment says something else."""
    file = str(gateway.folder / "tls" / "ca.pem")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", file)
    return file


# It knows no log-in but /logincheck, by which nobody gets in from 7.6.3 on.
@pytest.mark.parametrize(
    ("gateway", "by"), [("7.4.8", "token"), ("7.4.8", "password"), ("7.6.4", "token")],
    indirect=["gateway"])
def test_fortiosapi(gateway: GatewayUnderTest, authority: str, by: str) -> None:
    client, host = FortiOSAPI(), f"127.0.0.1:{gateway.port}"
    if by == "token":
        client.tokenlogin(host, TOKEN, verify=authority)
    else:
        client.login(host, "admin", password(gateway), verify=authority)
    assert client.get_version() == f"v{gateway.version}"
    address = {"name": "of-fortiosapi", "subnet": "10.0.0.1/32"}
    for change in (
        client.post("firewall", "address", data=address, vdom="root"),
        client.set("firewall", "address", data=address | {"color": 3}, vdom="root"),
        client.set("firewall", "address", data=address | {"name": "other"}, vdom="root"),
        client.put("firewall", "address", mkey="of-fortiosapi", data={"comment": "x"}),
    ):
        assert (change["status"], change["http_status"]) == ("success", 200)
    row = client.get("firewall", "address", mkey="of-fortiosapi", vdom="root")["results"][0]
    assert (row["color"], row["comment"]) == (3, "x")
    everywhere = client.get("firewall", "address", vdom="global")
    assert "other" in [row["name"] for row in everywhere["results"]]
    for name in ("of-fortiosapi", "other"):
        assert client.delete("firewall", "address", mkey=name)["http_status"] == 200
    assert client.license()["results"]["vm"]["valid"]
    assert "firewall.address" in [
        ".".join(table) for table in map(str.split, client.get_name_path_dict(vdom="root"))]
    client.logout()


@pytest.mark.parametrize("by", ["apikey", "passwd"])
def test_pyfgt(gateway: GatewayUnderTest, authority: str, by: str) -> None:
    secret = {"apikey": TOKEN, "passwd": password(gateway)}[by]
    with FortiGate(f"127.0.0.1:{gateway.port}", "admin", verify_ssl=authority, timeout=TIMEOUT,
                   **{by: secret}) as client:
        for status, answer in (
            client.post("/cmdb/firewall/address", "vdom=root", name="of-pyfgt", subnet="10.1.1.1"),
            client.put("/cmdb/firewall/address/of-pyfgt", cache__ttl=7),
            client.get("/cmdb/firewall/address", "filter=name==of-pyfgt", "format=cache-ttl"),
            client.delete("/cmdb/firewall/address/of-pyfgt"),
        ):
            assert status == 200, answer
        status, answer = client.get("/monitor/system/status")
        assert (status, answer["version"]) == ("success", f"v{gateway.version}")
