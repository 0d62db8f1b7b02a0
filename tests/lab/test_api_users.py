"""Users, groups, certificates and the SSL VPN's settings over the API."""

from __future__ import annotations

import json

import pytest
from cryptography import x509
from gateway_client import GatewayUnderTest, policy

from conftest import MakeGateway

PASSWORD = "correct horse battery"


@pytest.fixture(scope="module")
def user(api: GatewayUnderTest) -> str:
    api.post("cmdb/user/local", {"name": "alice", "type": "password", "passwd": PASSWORD})
    api.post("cmdb/user/group", {"name": "vpn", "member": [{"name": "alice"}]})
    return "alice"


def test_a_password_is_never_shown(api: GatewayUnderTest, user: str) -> None:
    row = api.get(f"cmdb/user/local/{user}")[0]
    assert row["passwd"].startswith("ENC ")
    assert (row["status"], row["two-factor"]) == ("enable", "disable")
    assert PASSWORD not in json.dumps(api.get("cmdb/user/local"))
    assert PASSWORD.encode() not in (api.folder / "state.sqlite").read_bytes()


def test_the_data_plane_is_told_the_password(api: GatewayUnderTest, user: str) -> None:
    told = api.applied()["config"]["user/local"]
    assert [row["passwd"] for row in told] == [PASSWORD]


def test_a_user_without_password(api: GatewayUnderTest) -> None:
    answer = api.call("POST", "cmdb/user/local", {"name": "bob", "type": "password"})
    assert (answer.status_code, answer.json()["error"]) == (500, -56)


def test_a_group_has_members_that_are_there(api: GatewayUnderTest, user: str) -> None:
    answer = api.call("POST", "cmdb/user/group", {"name": "g", "member": [{"name": "nobody"}]})
    assert (answer.status_code, answer.json()["error"]) == (500, -651)
    answer = api.call("DELETE", f"cmdb/user/local/{user}")
    assert (answer.status_code, answer.json()["error"]) == (500, -23)


def test_a_policy_names_groups_and_users_that_are_there(api: GatewayUnderTest, user: str) -> None:
    remote = {"srcintf": [{"name": "ssl.root"}]}
    api.post("cmdb/firewall/policy", policy("remote", **remote, groups=[{"name": "vpn"}]))
    api.post("cmdb/firewall/policy", policy("remote-alice", **remote, users=[{"name": "alice"}]))
    for names in ({"groups": [{"name": "alice"}]}, {"users": [{"name": "vpn"}]}):
        answer = api.call("POST", "cmdb/firewall/policy", policy("wrong", **remote, **names))
        assert (answer.status_code, answer.json()["error"]) == (500, -651)
    assert api.call("DELETE", "cmdb/user/group/vpn").json()["error"] == -23


def test_the_interface_of_remote_users(api: GatewayUnderTest) -> None:
    row = api.get("cmdb/system/interface/ssl.root")[0]
    assert (row["type"], row["vdom"]) == ("tunnel", "root")
    assert api.call("DELETE", "cmdb/system/interface/ssl.root").json()["error"] == -37


def factory_certificate(api: GatewayUnderTest) -> dict:
    return api.get("cmdb/vpn.certificate/local/Fortinet_Factory")[0]


def test_the_factory_certificate(api: GatewayUnderTest) -> None:
    row = factory_certificate(api)
    shown = x509.load_pem_x509_certificate(row["certificate"].encode())
    assert shown.subject.rfc4514_string() == "CN=LABGW0000000001"
    assert (row["source"], row["private-key"]) == ("factory", "ENC XXXX")
    assert api.call("DELETE", "cmdb/vpn.certificate/local/Fortinet_Factory").status_code == 500
    told = api.applied()["config"]["vpn.certificate/local"][0]
    assert told["private-key"].startswith("-----BEGIN PRIVATE KEY-----")


def test_the_factory_certificate_stays(make_gateway: MakeGateway) -> None:
    gateway = make_gateway()
    before = factory_certificate(gateway)["certificate"]
    backup = gateway.call("POST", "monitor/system/config/backup",
                          {"destination": "file", "scope": "global"}).text
    assert "PRIVATE KEY" not in backup and before.splitlines()[1] in backup
    gateway.kill()
    gateway.start()
    assert factory_certificate(gateway)["certificate"] == before
    revision = gateway.post("monitor/system/config-revision/save", {"comments": "x"})
    number = revision["results"]["config_id"]
    gateway.post("cmdb/user/local", {"name": "eve", "passwd": PASSWORD})
    gateway.post("monitor/system/config/restore",
                 {"source": "revision", "scope": "global", "config_id": number})
    assert gateway.names("user/local") == []
    assert factory_certificate(gateway)["certificate"] == before


def test_a_certificate_is_one(api: GatewayUnderTest) -> None:
    answer = api.call("POST", "cmdb/vpn.certificate/local", {"name": "c", "certificate": "no"})
    assert (answer.status_code, answer.json()["error"]) == (500, -651)


def test_settings_begin_with_the_defaults_and_come_back(api: GatewayUnderTest, user: str) -> None:
    before = api.get("cmdb/vpn.ssl/settings")
    assert (before["port"], before["idle-timeout"], before["authentication-rule"]) == (
        10443, 300, [])
    api.post("cmdb/firewall/address", {"name": "pool", "type": "iprange",
                                       "start-ip": "198.19.210.1", "end-ip": "198.19.210.9"})
    api.post("cmdb/vpn.ssl.web/portal", {"name": "p", "tunnel-mode": "enable",
                                         "ip-pools": [{"name": "pool"}]})
    api.put("cmdb/vpn.ssl/settings", {
        "servercert": "Fortinet_Factory", "port": 11443, "source-interface": [{"name": "port2"}],
        "source-address": [{"name": "all"}], "tunnel-ip-pools": [{"name": "pool"}],
        "default-portal": "p",
        "authentication-rule": [{"id": 1, "groups": [{"name": "vpn"}], "portal": "p"}]})
    rule = api.get("cmdb/vpn.ssl/settings")["authentication-rule"][0]
    assert (rule["portal"], rule["groups"][0]["name"]) == ("p", "vpn")
    assert api.call("DELETE", "cmdb/vpn.ssl.web/portal/p").json()["error"] == -23
    kept = {key: value for key, value in before.items() if key != "q_origin_key"}
    api.put("cmdb/vpn.ssl/settings", kept)
    assert api.get("cmdb/vpn.ssl/settings") == before
    api.delete("cmdb/vpn.ssl.web/portal/p")


def test_a_rule_needs_a_group_and_a_portal(api: GatewayUnderTest, user: str) -> None:
    for rule in ({"id": 1, "portal": "full-access"}, {"id": 1, "groups": [{"name": "vpn"}]}):
        answer = api.call("PUT", "cmdb/vpn.ssl/settings", {"authentication-rule": [rule]})
        assert (answer.status_code, answer.json()["error"]) == (500, -56)


@pytest.mark.parametrize(("version", "status"), [("7.4.8", 200), ("7.6.2", 200), ("7.6.3", 404)])
def test_releases_with_the_ssl_vpn(make_gateway: MakeGateway, version: str, status: int) -> None:
    gateway = make_gateway(version)
    for path in ("vpn.ssl/settings", "vpn.ssl.web/portal"):
        assert gateway.call("GET", f"cmdb/{path}").status_code == status
    for path in ("user/local", "user/group", "vpn.certificate/local"):
        assert gateway.call("GET", f"cmdb/{path}").status_code == 200


def test_a_restore_brings_the_ssl_vpn_back(make_gateway: MakeGateway) -> None:
    gateway = make_gateway()
    gateway.post("cmdb/user/local", {"name": "alice", "passwd": PASSWORD})
    gateway.post("cmdb/user/group", {"name": "vpn", "member": [{"name": "alice"}]})
    rule = {"id": 1, "groups": [{"name": "vpn"}], "portal": "full-access"}
    gateway.put("cmdb/vpn.ssl/settings", {
        "source-interface": [{"name": "port2"}], "servercert": "Fortinet_Factory",
        "authentication-rule": [rule]})
    told = gateway.applied()["config"]
    number = gateway.post("monitor/system/config-revision/save", {})["results"]["config_id"]
    gateway.put("cmdb/vpn.ssl/settings", {"authentication-rule": [], "port": 4443})
    gateway.delete("cmdb/user/group/vpn")
    gateway.delete("cmdb/user/local/alice")
    gateway.post("monitor/system/config/restore",
                 {"source": "revision", "scope": "global", "config_id": number})
    again = gateway.applied()["config"]
    for path in ("user/local", "user/group", "vpn.ssl/settings", "vpn.certificate/local"):
        assert again[path] == told[path]
