"""Remote access on the lab's own gateway process: what is created, and that it all goes again."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from itertools import pairwise

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from gateway_client import GatewayUnderTest

from gatepass.base.errors import NotProven
from gatepass.gateway.changes import Changes
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.rules import ADDRESS, POLICY, RuleSet, TrafficFlow
from gatepass.gateway.saved import SAVED, keep
from gatepass.gateway.undo import undo
from gatepass.scenarios.remote_access.configuration import (
    BEHIND,
    EVERYTHING,
    GROUP,
    LOCAL,
    SPLIT,
    host_of,
    profiles,
)
from gatepass.scenarios.remote_access.ssl_vpn import (
    CERTIFICATE,
    FACTORY,
    PORTAL,
    SETTINGS,
    SslVpn,
    offered,
)

MARK = "gp0a1b2c"
SERVER = "198.18.2.10"
FLOW = TrafficFlow("198.18.1.10", SERVER, "port2", "port1")


@pytest.fixture
def access(gateway: FortiGate, changes: Changes) -> SslVpn:
    return SslVpn(gateway, changes, RuleSet(gateway, changes, FLOW), 5, port=10443)


def back(changes: Changes) -> bool:
    """Whether the gateway is as it was."""
    return undo(changes.gateway, changes.journal, changes.journal.path.with_name(SAVED)).identical


def names(rows: list[dict]) -> list[str]:
    return [row["name"] for row in rows]


class TestProfiles:
    """Five ways in, each with a pool and a network of its own."""

    @pytest.mark.parametrize("users", [5, 50, 200])
    def test_pools_are_apart_and_large_enough(self, users: int) -> None:
        made = profiles(SERVER, users)
        assert len(made) == 5
        assert [int(one.last) - int(one.first) + 1 for one in made] == [users + 4, 5, 5, 5, 5]
        ends = [(one.first, one.last) for one in made]
        assert all(before[1] < after[0] for before, after in pairwise(ends))
        assert str(ends[-1][1]).startswith("198.19.210." if users < 200 else "198.19.2")

    def test_where_they_lead(self) -> None:
        targets = [SERVER, *map(host_of, BEHIND)]
        led = [[one.leads_to(target) for target in targets] for one in profiles(SERVER, 5)]
        assert led[SPLIT - 1] == [True, False, False, False]
        assert led[EVERYTHING - 1] == [True] * 4
        assert len({tuple(row) for row in led}) == 5

    def test_an_address_that_is_none_is_in_no_pool(self) -> None:
        assert not profiles(SERVER, 5)[0].holds("")


@pytest.mark.parametrize(
    ("version", "has"),
    [("v7.4.8", True), ("v7.6.2", True), ("v7.6.3", False), ("v8.0.0", False)],
)
def test_who_offers_it(gateway: FortiGate, version: str, has: bool) -> None:
    assert offered(gateway, version) is has


def test_a_model_that_has_lost_it_before(
    gateway: FortiGate, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(status: int) -> Callable:
        def rows(path: str) -> list[dict]:
            raise Refused(f"no {path}", status=status)

        return rows

    monkeypatch.setattr(gateway, "rows", refuse(404))
    assert not offered(gateway, "v7.4.8")
    monkeypatch.setattr(gateway, "rows", refuse(403))
    with pytest.raises(Refused):
        offered(gateway, "v7.4.8")


def test_what_was_refused_once_is_not_tried_again(
    gateway: FortiGate, changes: Changes, access: SslVpn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access, "portal", lambda profile: changes.name("x" * 40))
    for _ in range(2):
        with pytest.raises(Refused, match="portal"):
            access.prepare()
    assert len(access.users) == 5 + 4 + 2
    assert back(changes)


def test_everything_is_there_and_goes_again(
    gateway: FortiGate, changes: Changes, access: SslVpn
) -> None:
    access.prepare()
    assert len(access.promised) == 5
    assert len(gateway.rows(LOCAL)) == 5 + 4 + 2
    status = {row["name"]: row["status"] for row in gateway.rows(LOCAL)}
    assert status[access.disabled.name] == "disable"
    assert list(status.values()).count("disable") == 1
    groups = {row["name"]: names(row["member"]) for row in gateway.rows(GROUP)}
    first = groups[access.group(access.profiles[0])]
    assert {user.name for user in access.promised} | {access.disabled.name} == set(first)
    assert not [members for members in groups.values() if access.outsider.name in members]
    portals = {row["name"]: row for row in gateway.rows(PORTAL)}
    ours = [portals[access.portal(profile)] for profile in access.profiles]
    assert [row["split-tunneling"] for row in ours].count("disable") == 1
    settings = gateway.rows(SETTINGS)[0]
    assert settings["status"] == "enable" and settings["port"] == 10443
    assert names(settings["source-interface"]) == ["port2"]
    assert [rule["portal"] for rule in settings["authentication-rule"]] == [
        access.portal(profile) for profile in access.profiles
    ]
    policies = gateway.rows(POLICY)
    assert [names(row["srcintf"]) for row in policies].count(["ssl.root"]) == 2
    access.prepare()
    assert gateway.rows(POLICY) == policies
    assert back(changes)


def test_no_policy_lets_one_user_at_another(gateway: FortiGate, access: SslVpn) -> None:
    access.prepare()
    assert not [row for row in gateway.rows(POLICY) if "ssl.root" in names(row["dstintf"])]


def test_nat_is_switched_and_other_policies_give_way(
    gateway: FortiGate, changes: Changes, access: SslVpn
) -> None:
    access.prepare(nat=True)
    assert [row["nat"] for row in gateway.rows(POLICY)].count("enable") == 1
    access.prepare(nat=False)
    assert [row["nat"] for row in gateway.rows(POLICY)].count("enable") == 0
    access.rules.set(3, nat=False)
    assert not [row for row in gateway.rows(POLICY) if "ssl.root" in names(row["srcintf"])]
    access.prepare()
    assert [names(row["srcintf"]) for row in gateway.rows(POLICY)].count(["ssl.root"]) == 2
    assert back(changes)


def test_no_password_stands_anywhere_but_in_memory(
    gateway: FortiGate, changes: Changes, access: SslVpn
) -> None:
    access.prepare()
    kept = changes.journal.path.read_text() + gateway.backup() + repr(access.users)
    assert not [user for user in access.users if user.password in kept]
    assert len({user.password for user in access.users}) == len(access.users)


def test_a_customer_who_uses_it_keeps_port_and_rules(
    gateway: FortiGate, device: GatewayUnderTest, changes: Changes, access: SslVpn
) -> None:
    device.post("cmdb/user/local", {"name": "anna", "type": "password", "passwd": "hers"})
    device.post("cmdb/user/group", {"name": "staff", "member": [{"name": "anna"}]})
    rule = {"id": 7, "groups": [{"name": "staff"}], "portal": "full-access"}
    device.put(
        "cmdb/vpn.ssl/settings",
        {
            "port": 8443,
            "source-interface": [{"name": "port1"}],
            "source-address": [{"name": "all"}],
            "default-portal": "web-access",
            "servercert": FACTORY,
            "authentication-rule": [rule],
        },
    )
    keep(changes.journal.path.parent, gateway.backup())
    access.prepare()
    settings = gateway.rows(SETTINGS)[0]
    assert access.port == settings["port"] == 8443
    assert names(settings["source-interface"]) == ["port1", "port2"]
    assert settings["default-portal"] == "web-access"
    assert settings["authentication-rule"][-1]["id"] == 7
    assert len(settings["authentication-rule"]) == 6
    assert back(changes)
    kept = gateway.rows(SETTINGS)[0]["authentication-rule"]
    assert [(one["id"], names(one["groups"])) for one in kept] == [(7, ["staff"])]


def test_how_long_a_login_lasts_is_put_back(gateway: FortiGate, access: SslVpn) -> None:
    access.prepare()
    before = gateway.rows(SETTINGS)[0]["auth-timeout"]
    access.sessions_last_as_before()
    access.sessions_last(8)
    assert gateway.rows(SETTINGS)[0]["auth-timeout"] == 8
    access.sessions_last_as_before()
    assert gateway.rows(SETTINGS)[0]["auth-timeout"] == before


def test_the_pin_is_that_of_the_gateways_certificate(gateway: FortiGate, access: SslVpn) -> None:
    access.prepare()
    shown = gateway.row(CERTIFICATE, FACTORY)["certificate"]
    key = x509.load_pem_x509_certificate(shown.encode()).public_key()
    der = key.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    assert access.pin() == "pin-sha256:" + base64.b64encode(hashlib.sha256(der).digest()).decode()


def test_without_a_certificate_nobody_is_sent_there(access: SslVpn) -> None:
    access.certificate = "nowhere"
    with pytest.raises(NotProven, match="does not show its certificate nowhere"):
        access.pin()


def test_the_monitors_rows_become_users(monkeypatch: pytest.MonkeyPatch, access: SslVpn) -> None:
    tunnel = {"mode": "Tunnel", "aip": "198.19.210.1", "in_bytes": 3, "out_bytes": 4}
    rows = [
        {"user_name": "one", "subsessions": [tunnel]},
        {"user_name": "two", "subsessions": []},
    ]
    monkeypatch.setattr(access.gateway, "monitor", lambda path: {"results": rows})
    one, two = access.listed()
    assert (one.name, one.address, one.bytes) == ("one", "198.19.210.1", 7)
    assert (two.name, two.address, two.bytes) == ("two", "", 0)


def test_addresses_are_of_the_run(gateway: FortiGate, access: SslVpn) -> None:
    access.prepare()
    ours = [row for row in gateway.rows(ADDRESS) if row["name"].startswith(MARK)]
    assert len([row for row in ours if row["type"] == "iprange"]) == 5
