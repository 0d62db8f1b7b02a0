"""What the data plane cannot carry out is refused, so that nothing that comes later is held up."""

from __future__ import annotations

import pytest
from gateway_client import GatewayUnderTest, policy

LOOPBACK = {"vdom": "root", "type": "loopback"}
PHASE1 = {
    "interface": "port1",
    "ike-version": "2",
    "proposal": "aes256-sha256",
    "dhgrp": "14",
    "remote-gw": "198.18.2.20",
    "psksecret": "a secret of some length",
}
VIP = {"name": "n", "extip": "198.18.2.20", "extintf": "port1",
       "mappedip": [{"range": "198.18.1.20"}]}
SHAPING = {"id": 7, "srcintf": [{"name": "port2"}], "dstintf": [{"name": "port1"}],
           "srcaddr": [{"name": "all"}], "dstaddr": [{"name": "all"}],
           "service": [{"name": "ALL"}], "traffic-shaper": "shared-1M-pipe"}
NAMES = ("a b", "a/b", "a:b", "a\\b", "lo", "all", "default", "..", "port*", "ipsec0", "ä", "a\nb")


def refused(api: GatewayUnderTest, path: str, row: dict) -> str:
    """Why the gateway does not take a row."""
    answer = api.call("POST", f"cmdb/{path}", row)
    assert answer.status_code in (424, 500), answer.text
    return answer.text


@pytest.mark.parametrize("name", NAMES)
def test_names_that_no_interface_can_have(api: GatewayUnderTest, name: str) -> None:
    refused(api, "system/interface", LOOPBACK | {"name": name})
    refused(api, "vpn.ipsec/phase1-interface", PHASE1 | {"name": name})


def test_names_that_one_can_have(api: GatewayUnderTest) -> None:
    api.post("cmdb/system/interface", LOOPBACK | {"name": "shop-1.a_b"})
    api.post("cmdb/vpn.ipsec/phase1-interface", PHASE1 | {"name": "to-b"})
    api.delete("cmdb/vpn.ipsec/phase1-interface/to-b")
    api.delete("cmdb/system/interface/shop-1.a_b")


def test_a_name_with_a_newline_could_never_be_addressed(api: GatewayUnderTest) -> None:
    row = {"name": "a\nb", "subnet": "10.0.0.0 255.0.0.0"}
    assert "printable" in refused(api, "firewall/address", row)


@pytest.mark.parametrize(
    "more",
    [
        {"internet-service": "enable", "internet-service-name": [{"name": "Google-Web"}]},
        {"internet-service-src": "enable"},
        {"match-vip-only": "enable"},
        {"tos-mask": "0xff", "tos": "0x10"},
        {"nat64": "enable"},
        # of attributes that the lab's table does not have
        {"internet-service6": "enable", "internet-service6-name": [{"name": "Google-Web"}]},
        {"src-vendor-mac": [{"id": 1}]},
        {"policy-expiry": "enable", "policy-expiry-date": "2026-12-24 00:00:00"},
        {"profile-type": "group", "profile-group": "strict"},
        {"schedule": "default-darrp-optimize"},
        {"disclaimer": "enable"},
    ],
)
def test_what_would_narrow_a_policy_is_not_dropped(api: GatewayUnderTest, more: dict) -> None:
    row = policy("narrow") | {"policyid": 77} | more
    assert "has no" in refused(api, "firewall/policy", row)
    assert api.call("GET", "cmdb/firewall/policy/77").status_code == 404


@pytest.mark.parametrize(
    ("path", "row"),
    [
        ("firewall.service/custom", {"name": "n", "tcp-portrange": "80", "iprange": "10.0.0.1"}),
        ("firewall.service/custom", {"name": "n", "tcp-portrange": "80", "fqdn": "a.lab"}),
        ("firewall/vip", VIP | {"srcintf-filter": [{"interface-name": "port2"}]}),
        ("firewall/shaping-policy", SHAPING | {"application": [{"id": 15893}]}),
        ("firewall/shaping-policy", SHAPING | {"tos-mask": "0xff"}),
        ("router/static", {"device": "port1", "dstaddr": "all"}),
        ("vpn.ipsec/phase1-interface", PHASE1 | {"name": "n", "xauthtype": "auto"}),
        ("vpn.ipsec/phase1-interface", PHASE1 | {"name": "n", "remote-gw-match": "geography"}),
        ("user/local", {"name": "n", "passwd": "secret-1", "workstation": "desk"}),
        ("webfilter/profile", {"name": "n", "web": {"youtube-restrict": "strict"}}),
        ("webfilter/urlfilter",
         {"id": 7, "entries": [{"id": 1, "url": "a.lab", "referrer-host": "b.lab"}]}),
        ("antivirus/profile", {"name": "n", "http": {"archive-block": "encrypted"}}),
        ("application/list", {"name": "n", "entries": [{"id": 1, "risk": [{"level": 5}]}]}),
    ],
)
def test_what_would_narrow_an_object_is_not_dropped(
    api: GatewayUnderTest, path: str, row: dict
) -> None:
    assert "has no" in refused(api, path, row)


@pytest.mark.parametrize("address", ["::1/128", "ff02::1/128"])
def test_addresses_that_no_port_can_have(api: GatewayUnderTest, address: str) -> None:
    answer = api.call("PUT", "cmdb/system/interface/port3", {"ipv6": {"ip6-address": address}})
    assert answer.status_code == 500


def test_figures_that_cannot_be(api: GatewayUnderTest) -> None:
    shaper = {"name": "s", "bandwidth-unit": "gbps", "maximum-bandwidth": 1000}
    assert "100 Gbit/s" in refused(api, "firewall.shaper/traffic-shaper", shaper)
    api.post("cmdb/firewall.shaper/traffic-shaper", shaper | {"maximum-bandwidth": 100})
    api.delete("cmdb/firewall.shaper/traffic-shaper/s")
    answer = api.call("PUT", "cmdb/web-proxy/explicit", {"http-incoming-port": "0"})
    assert answer.status_code == 500
