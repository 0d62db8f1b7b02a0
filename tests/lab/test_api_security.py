"""The tables of the security services: factory rows, references, read-back."""

from __future__ import annotations

from typing import Any

import pytest
from gateway_client import GatewayUnderTest, policy
from security_client import (
    APP_LIST,
    POLICY,
    SENSOR,
    URLFILTER,
    WEBFILTER,
    refused,
)

from conftest import MakeGateway


@pytest.mark.parametrize(
    ("table", "names"),
    [
        ("antivirus/profile", {"default", "sniffer-profile", "wifi-default"}),
        ("webfilter/urlfilter", set()),
        ("webfilter/profile", {"default", "sniffer-profile", "wifi-default", "monitor-all"}),
        ("application/list", {"default", "sniffer-profile", "wifi-default", "block-high-risk"}),
        (
            "ips/sensor",
            {
                "default",
                "sniffer-profile",
                "wifi-default",
                "all_default",
                "all_default_pass",
                "protect_http_server",
                "protect_email_server",
                "protect_client",
                "high_security",
            },
        ),
        ("file-filter/profile", {"default", "sniffer-profile"}),
        (
            "firewall/ssl-ssh-profile",
            {
                "certificate-inspection",
                "deep-inspection",
                "custom-deep-inspection",
                "no-inspection",
            },
        ),
        ("firewall/profile-protocol-options", {"default"}),
        ("firewall/proxy-policy", set()),
    ],
)
def test_a_new_device(api: GatewayUnderTest, table: str, names: set[str]) -> None:
    assert set(api.names(table, "name")) == names


def test_factory_rows_say_what_a_device_says(api: GatewayUnderTest) -> None:
    antivirus = api.get("cmdb/antivirus/profile/default")[0]
    assert antivirus["feature-set"] == "flow"
    assert antivirus["http"]["av-scan"] == antivirus["ftp"]["av-scan"] == "block"
    assert antivirus["smtp"]["executables"] == "virus"
    assert antivirus["ssh"]["av-scan"] == "disable"
    web = api.get(f"{WEBFILTER}/default")[0]
    assert web["web"]["urlfilter-table"] == 0
    assert web["ftgd-wf"]["options"] == ""
    assert (
        api.get(f"{WEBFILTER}", params={"action": "default"})["ftgd-wf"]["options"]
        == "ftgd-disable"
    )
    assert {"id": 6, "q_origin_key": 6} in api.get(f"{APP_LIST}/block-high-risk")[0]["entries"][0][
        "category"
    ]
    high = api.get(f"{SENSOR}/high_security")[0]["entries"]
    assert (high[0]["severity"], high[0]["action"], high[1]["action"]) == (
        "medium high critical",
        "block",
        "default",
    )
    tls = {row["name"]: row["https"] for row in api.get("cmdb/firewall/ssl-ssh-profile")}
    assert {name: row["status"] for name, row in tls.items()} == {
        "certificate-inspection": "certificate-inspection",
        "deep-inspection": "deep-inspection",
        "custom-deep-inspection": "deep-inspection",
        "no-inspection": "disable",
    }
    assert tls["certificate-inspection"]["ports"] == "443"
    protocols = api.get("cmdb/firewall/profile-protocol-options/default")[0]
    assert (protocols["http"]["ports"], protocols["ftp"]["ports"]) == ("80", "21")
    explicit = api.get("cmdb/web-proxy/explicit")
    assert (explicit["status"], explicit["http-incoming-port"], explicit["sec-default-action"]) == (
        "disable",
        "8080",
        "deny",
    )
    port = api.get("cmdb/system/interface/port2")[0]
    assert port["explicit-web-proxy"] == "disable"


def test_options_come_and_go_with_the_release(make_gateway: MakeGateway) -> None:
    old, new = make_gateway("7.4.1"), make_gateway("7.6.4")
    assert "malware-stream" not in old.get("cmdb/antivirus/profile/default")[0]["http"]
    assert new.get("cmdb/antivirus/profile/default")[0]["http"]["malware-stream"] == "disable"
    assert "quic" not in old.get("cmdb/firewall/ssl-ssh-profile/deep-inspection")[0]["https"]


def test_the_read_only_profiles_stay(api: GatewayUnderTest) -> None:
    path = "cmdb/firewall/ssl-ssh-profile"
    before = api.get(path)
    for name in ("certificate-inspection", "deep-inspection", "no-inspection"):
        assert (
            refused(
                api, "PUT", f"{path}/{name}", {"https": {"status": "disable"}, "comment": "mine"}
            )[0]
            == -37
        )
        assert refused(api, "PUT", f"{path}/{name}", {"name": "mine"})[0] == -37
        assert refused(api, "DELETE", f"{path}/{name}")[0] == -37
    assert refused(api, "DELETE", path)[0] == -37
    assert api.get(path) == before
    api.put(f"{path}/custom-deep-inspection", {"https": {"ports": [443, 8443]}})
    assert api.get(f"{path}/custom-deep-inspection")[0]["https"]["ports"] == "443 8443"
    api.put(f"{path}/custom-deep-inspection", {"https": {"ports": 443}})
    assert api.get(path) == before


def test_values_are_normalised(api: GatewayUnderTest) -> None:
    api.post(
        SENSOR,
        {
            "name": "norm",
            "entries": [
                {"severity": "critical  high", "action": "block", "status": "enable"},
                {"severity": ["low", "info"], "exempt-ip": [{"src-ip": "10.0.0.7/24"}]},
            ],
        },
    )
    entries = api.get(f"{SENSOR}/norm")[0]["entries"]
    assert [(row["id"], row["severity"]) for row in entries] == [
        (1, "high critical"),
        (2, "info low"),
    ]
    assert entries[1]["exempt-ip"][0]["src-ip"] == "10.0.0.0 255.255.255.0"
    assert (entries[1]["status"], entries[1]["log"]) == ("default", "enable")
    api.delete(f"{SENSOR}/norm")
    api.post(
        "cmdb/file-filter/profile",
        {
            "name": "norm",
            "rules": [
                {
                    "name": "r",
                    "protocol": "ftp http",
                    "action": "block",
                    "file-type": [{"name": "exe"}, {"name": "bat"}],
                }
            ],
        },
    )
    rule = api.get("cmdb/file-filter/profile/norm")[0]["rules"][0]
    assert (rule["protocol"], rule["direction"]) == ("http ftp", "any")
    api.delete("cmdb/file-filter/profile/norm")
    api.post(
        "cmdb/antivirus/profile", {"name": "norm", "ftp": {"archive-log": "nested encrypted"}}
    )
    row = api.get("cmdb/antivirus/profile/norm")[0]
    assert row["ftp"]["archive-log"] == "encrypted nested"
    assert row["http"]["av-scan"] == "disable"
    api.delete("cmdb/antivirus/profile/norm")


@pytest.mark.parametrize(
    ("path", "body", "error"),
    [
        ("cmdb/antivirus/profile", {"name": "x", "http": {"av-scan": "sometimes"}}, -651),
        ("cmdb/antivirus/profile", {"name": "x", "http": "block"}, -651),
        ("cmdb/antivirus/profile", {"name": "default"}, -5),
        (URLFILTER, {"id": 1, "entries": [{"url": "", "action": "block"}]}, -56),
        (URLFILTER, {"id": 1, "entries": [{"url": "a(", "type": "regex"}]}, -651),
        (URLFILTER, {"id": 1, "entries": [{"url": "a(?=b)", "type": "regex"}]}, -651),
        (URLFILTER, {"id": 1, "entries": [{"url": "a", "type": "glob"}]}, -651),
        (WEBFILTER, {"name": "x", "web": {"urlfilter-table": 77}}, -651),
        (APP_LIST, {"name": "x", "entries": [{"application": [{"id": 4711}]}]}, -651),
        (APP_LIST, {"name": "x", "entries": [{"category": [{"id": 4}]}]}, -651),
        (SENSOR, {"name": "x", "entries": [{"rule": [{"id": 4711}]}]}, -651),
        (SENSOR, {"name": "x", "entries": [{"severity": "grave"}]}, -651),
        ("cmdb/file-filter/profile", {"name": "x", "rules": [{"name": "r"}]}, -56),
        (
            "cmdb/file-filter/profile",
            {"name": "x", "rules": [{"name": "r", "file-type": [{"name": "floppy"}]}]},
            -651,
        ),
        ("cmdb/firewall/ssl-ssh-profile", {"name": "x", "https": {"ports": "443 70000"}}, -651),
        ("cmdb/firewall/profile-protocol-options", {"name": "x", "http": {"ports": "web"}}, -651),
        ("cmdb/firewall/address", {"name": "x", "type": "geography"}, -56),
        ("cmdb/firewall/address", {"name": "x", "type": "geography", "country": "XX"}, -651),
        ("cmdb/firewall/proxy-policy", {"policyid": 0, "proxy": "explicit-web"}, -56),
    ],
)
def test_what_is_refused(api: GatewayUnderTest, path: str, body: Any, error: int) -> None:
    before = api.get(path)
    assert refused(api, "POST", path, body)[0] == error
    assert api.get(path) == before


def test_profiles_are_there_before_a_policy_names_them(api: GatewayUnderTest) -> None:
    for name in (
        "av-profile",
        "webfilter-profile",
        "application-list",
        "ips-sensor",
        "file-filter-profile",
        "ssl-ssh-profile",
        "profile-protocol-options",
    ):
        assert refused(api, "POST", POLICY, policy("p", **{name: "nobody"}))[0] == -651
    api.post("cmdb/antivirus/profile", {"name": "used"})
    number = api.post(
        POLICY,
        policy(
            "p",
            **{
                "utm-status": "enable",
                "av-profile": "used",
                "webfilter-profile": "default",
                "ips-sensor": "default",
                "application-list": "default",
                "ssl-ssh-profile": "certificate-inspection",
            },
        ),
    )["mkey"]
    assert refused(api, "DELETE", "cmdb/antivirus/profile/used")[0] == -23
    assert refused(api, "DELETE", "cmdb/firewall/profile-protocol-options/default")[0] == -23
    api.put("cmdb/antivirus/profile/used", {"name": "renamed"})
    told = api.applied()["config"]
    assert [row["av-profile"] for row in told["firewall/policy"]] == ["renamed"]
    assert "renamed" in {row["name"] for row in told["antivirus/profile"]}
    api.delete(f"{POLICY}/{number}")
    api.delete("cmdb/antivirus/profile/renamed")


def test_a_flow_policy_takes_no_proxy_profile(api: GatewayUnderTest) -> None:
    api.post("cmdb/antivirus/profile", {"name": "by-proxy", "feature-set": "proxy"})
    error, text = refused(api, "POST", POLICY, policy("p", **{"av-profile": "by-proxy"}))
    assert error == -651
    assert "feature-set proxy" in text
    number = api.post(
        POLICY, policy("p", **{"av-profile": "by-proxy", "inspection-mode": "proxy"})
    )["mkey"]
    assert refused(api, "PUT", f"{POLICY}/{number}", {"inspection-mode": "flow"})[0] == -651
    api.delete(f"{POLICY}/{number}")
    api.delete("cmdb/antivirus/profile/by-proxy")


def test_a_url_filter_is_held_by_its_profile(api: GatewayUnderTest) -> None:
    number = api.post(
        URLFILTER,
        {
            "id": 0,
            "name": "u",
            "entries": [
                {"url": "bad.lab", "action": "block"},
                {"url": "*.worse.lab", "type": "wildcard", "action": "block"},
            ],
        },
    )["mkey"]
    api.post(WEBFILTER, {"name": "wf", "web": {"urlfilter-table": number}})
    assert refused(api, "DELETE", f"{URLFILTER}/{number}")[0] == -23
    entries = api.get(f"{URLFILTER}/{number}")[0]["entries"]
    assert [(row["id"], row["type"], row["status"]) for row in entries] == [
        (1, "simple", "enable"),
        (2, "wildcard", "enable"),
    ]
    api.post(f"{URLFILTER}/{number}/entries", {"url": "third.lab"})
    assert api.get(f"{URLFILTER}/{number}/entries/3")[0]["action"] == "exempt"
    api.put(f"{WEBFILTER}/wf", {"web": {"urlfilter-table": 0}})
    api.delete(f"{URLFILTER}/{number}")
    api.delete(f"{WEBFILTER}/wf")


def test_countries(api: GatewayUnderTest) -> None:
    path = "cmdb/firewall/address"
    api.post(path, {"name": "finland", "type": "geography", "country": "fi"})
    assert api.get(f"{path}/finland")[0]["country"] == "FI"
    api.post("cmdb/firewall/addrgrp", {"name": "north", "member": [{"name": "finland"}]})
    assert refused(api, "DELETE", f"{path}/finland")[0] == -23
    api.delete("cmdb/firewall/addrgrp/north")
    api.delete(f"{path}/finland")


def test_countries_of_ones_own(api: GatewayUnderTest) -> None:
    path = "cmdb/system/geoip-override"
    span = {"id": 1, "start-ip": "198.18.2.10", "end-ip": "198.18.2.10"}
    api.post(path, {"name": "ours", "ip-range": [span]})
    assert api.get(f"{path}/ours")[0]["country-id"] == "A0"
    api.post(path, {"name": "more", "description": "another"})
    assert api.get(f"{path}/more")[0]["country-id"] == "A1"
    assert refused(api, "POST", path, {"name": "third", "country-id": "A0"})[0] == -5
    assert refused(api, "POST", path, {"name": "third", "country-id": "??"})[0] == -651
    backwards = {"id": 1, "start-ip": "198.18.2.11", "end-ip": "198.18.2.10"}
    assert refused(api, "POST", path, {"name": "third", "ip-range": [backwards]})[0] == -651
    api.post("cmdb/firewall/address", {"name": "land", "type": "geography", "country": "A0"})
    api.delete("cmdb/firewall/address/land")
    api.delete(f"{path}/ours")
    api.delete(f"{path}/more")


def test_the_explicit_proxy(api: GatewayUnderTest) -> None:
    api.put("cmdb/web-proxy/explicit", {"status": "enable", "http-incoming-port": "3128"})
    api.put("cmdb/system/interface/port2", {"explicit-web-proxy": "enable"})
    number = api.post(
        "cmdb/firewall/proxy-policy",
        {
            "policyid": 0,
            "name": "surf",
            "proxy": "explicit-web",
            "dstintf": [{"name": "port1"}],
            "srcaddr": [{"name": "all"}],
            "dstaddr": [{"name": "all"}],
            "service": [{"name": "HTTP"}],
            "schedule": "always",
            "action": "accept",
            "av-profile": "default",
            "logtraffic": "all",
        },
    )["mkey"]
    told = api.applied()["config"]
    assert told["web-proxy/explicit"][0]["http-incoming-port"] == "3128"
    on = [row["name"] for row in told["system/interface"] if row["explicit-web-proxy"] == "enable"]
    assert on == ["port2"]
    row = told["firewall/proxy-policy"][0]
    assert (row["policyid"], row["av-profile"], row["ssl-ssh-profile"], row["status"]) == (
        number,
        "default",
        "no-inspection",
        "enable",
    )
    assert refused(api, "DELETE", "cmdb/antivirus/profile/default")[0] == -23
    api.delete(f"cmdb/firewall/proxy-policy/{number}")
    api.put("cmdb/system/interface/port2", {"explicit-web-proxy": "disable"})
    api.put("cmdb/web-proxy/explicit", {"status": "disable", "http-incoming-port": "8080"})


FLOODS = "cmdb/firewall/DoS-policy"


def test_a_dos_policy_has_every_anomaly_most_of_them_off(api: GatewayUnderTest) -> None:
    body = {
        "policyid": 1,
        "name": "floods",
        "interface": "port2",
        "srcaddr": [{"name": "all"}],
        "dstaddr": [{"name": "all"}],
        "service": [{"name": "ALL"}],
        "anomaly": [
            {"name": "icmp_flood", "status": "enable", "action": "block", "threshold": 7},
            {"name": "tcp_syn_flood", "status": "enable"},
        ],
    }
    api.post(FLOODS, body)
    try:
        found = {one["name"]: one for one in api.get(f"{FLOODS}/1")[0]["anomaly"]}
        assert len(found) == 18 and next(iter(found)) == "tcp_syn_flood"
        on = {name for name, one in found.items() if one["status"] == "enable"}
        assert on == {"icmp_flood", "tcp_syn_flood"}
        assert (found["icmp_flood"]["threshold"], found["icmp_flood"]["action"]) == (7, "block")
        assert found["tcp_syn_flood"]["threshold"] == 2000
        assert found["tcp_syn_flood"]["action"] == "pass"
        api.put(f"{FLOODS}/1", {"anomaly": [{"name": "udp_scan", "status": "enable"}]})
        (row,) = api.get(f"{FLOODS}/1")
        assert [one["name"] for one in row["anomaly"] if one["status"] == "enable"] == ["udp_scan"]
    finally:
        api.delete(f"{FLOODS}/1")


@pytest.mark.parametrize(
    "wrong",
    [
        {"interface": ""},
        {"service": []},
        {"anomaly": [{"name": "tcp_sin_flood", "status": "enable"}]},
        {"anomaly": [{"name": "udp_flood", "status": "enable", "quarantine": "attacker"}]},
    ],
)
def test_a_dos_policy_that_could_not_be_put_in_force(
    api: GatewayUnderTest, wrong: dict[str, Any]
) -> None:
    body = {
        "policyid": 1,
        "interface": "port2",
        "srcaddr": [{"name": "all"}],
        "dstaddr": [{"name": "all"}],
        "service": [{"name": "ALL"}],
    }
    assert refused(api, "POST", FLOODS, body | wrong)[1]
    assert api.get(FLOODS) == []
