"""What the data plane cannot carry out is refused, so that nothing that comes later is held up."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from gateway_client import GatewayUnderTest, policy

from gatepass.gateway.packet import Packet
from gatepass.gateway.policy_table import PolicyTable
from lab.base.process import wait_until
from lab.gateway.dataplane.intent.compile import compile_config
from lab.gateway.dataplane.intent.expiry import soonest_end
from lab.gateway.dataplane.intent.services import ServiceBook
from lab.gateway.schema.parsers import EXPIRY

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
HUGE = "1.0.0.0-9.0.0.0"
SHAPING = {"id": 7, "srcintf": [{"name": "port2"}], "dstintf": [{"name": "port1"}],
           "srcaddr": [{"name": "all"}], "dstaddr": [{"name": "all"}],
           "service": [{"name": "ALL"}], "traffic-shaper": "shared-1M-pipe"}
NAMES = ("a b", "a/b", "a:b", "a\\b", "lo", "all", "default", "..", "port*", "ipsec0", "ä", "a\nb")


def refused(api: GatewayUnderTest, path: str, row: dict) -> str:
    """Why the gateway does not take a row."""
    answer = api.call("POST", f"cmdb/{path}", row)
    assert answer.status_code in (424, 500), answer.text
    return answer.text


def unchanged(api: GatewayUnderTest, path: str, row: dict) -> str:
    """Why the gateway does not change a row."""
    answer = api.call("PUT", f"cmdb/{path}", row)
    assert answer.status_code in (424, 500), answer.text
    return answer.json()["cli_error"]


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
        {"match-vip-only": "enable"},
        {"tos-mask": "0xff", "tos": "0x00"},
        {"tos-mask": "0xfc", "tos": "0xb8", "tos-negate": "enable"},
        {"nat64": "enable"},
        # of attributes that the lab's table does not have
        {"network-service-dynamic": [{"name": "branches"}]},
        {"src-vendor-mac": [{"id": 1}]},
        {"profile-type": "group", "profile-group": "strict"},
        {"schedule": "default-darrp-optimize"},
        {"disclaimer": "enable"},
    ],
)
def test_what_would_narrow_a_policy_is_not_dropped(api: GatewayUnderTest, more: dict) -> None:
    row = policy("narrow") | {"policyid": 77} | more
    assert "has no" in refused(api, "firewall/policy", row)
    assert api.call("GET", "cmdb/firewall/policy/77").status_code == 404


SERVICE = [{"name": "Microsoft-Web"}]
ENTRY = {"protocol": 6, "port-range": [{"id": 1, "start-port": 443, "end-port": 443}]}
OF_SERVICES = {
    "group": {"name": "office", "direction": "destination", "member": SERVICE},
    "custom": {"name": "own", "entry": [{"id": 1, **ENTRY, "dst": [{"name": "all"}]}]},
    "custom-group": {"name": "all-own", "member": [{"name": "own"}]},
}


@pytest.mark.parametrize(
    "more",
    [
        {"internet-service": "enable", "internet-service-name": SERVICE, "dstaddr": [],
         "service": []},
        {"internet-service-src": "enable", "internet-service-src-name": SERVICE, "srcaddr": []},
        {"internet-service6": "enable", "internet-service6-name": SERVICE,
         "srcaddr6": [{"name": "all"}]},
        {"internet-service": "enable", "internet-service-group": [{"name": "office"}],
         "dstaddr": [], "service": []},
        {"internet-service": "enable", "internet-service-custom": [{"name": "own"}],
         "dstaddr": [], "service": []},
        {"internet-service-src": "enable", "srcaddr": [],
         "internet-service-src-custom-group": [{"name": "all-own"}]},
        {"reputation-minimum": 3, "reputation-direction": "source"},
        {"sgt-check": "enable", "sgt": [{"id": 5}]},
        {"vlan-filter": "100-110"},
        {"policy-expiry": "enable", "policy-expiry-date": "2023-09-30 16:27:40"},
        {"tos-mask": "0xfc", "tos": "0xb8"},
        {"ztna-status": "enable", "ztna-geo-tag": [{"name": "all"}]},
    ],
)
def test_what_no_packet_here_has_is_kept_and_meets_nothing(
    api: GatewayUnderTest, more: dict
) -> None:
    if not api.names("firewall/internet-service-name"):
        api.call("POST", "monitor/system/config/backup", {"scope": "global"})
    if not api.names("firewall/internet-service-group"):
        for kind, of in OF_SERVICES.items():
            api.post(f"cmdb/firewall/internet-service-{kind}", of)
    row = policy("narrow") | {"policyid": 77} | more
    api.post("cmdb/firewall/policy", row)
    try:
        (kept,) = api.get("cmdb/firewall/policy/77")
        assert {key: value for key, value in kept.items() if key in more} == {
            key: [{**one, "q_origin_key": next(iter(one.values()))} for one in value]
            if isinstance(value, list) else value
            for key, value in more.items()
        }
        compiled = compile_config({"firewall/policy": [kept]})
        assert compiled.in_force == []
    finally:
        api.delete("cmdb/firewall/policy/77")


@pytest.mark.parametrize(
    "bound",
    [
        {"iprange": "10.0.0.1"},
        {"fqdn": "a.lab"},
        {"app-service-type": "app-id", "application": [{"id": 15893}]},
        {"app-service-type": "app-category", "app-category": [{"id": 25}]},
    ],
)
def test_a_bound_service_is_kept_and_serves_nobody(
    api: GatewayUnderTest, bound: dict
) -> None:
    api.post("cmdb/firewall.service/custom", {"name": "bound", "tcp-portrange": "80"} | bound)
    (kept,) = api.get("cmdb/firewall.service/custom/bound")
    assert ServiceBook([kept]).resolve(["bound"]) == ()
    free = {"iprange": "0.0.0.0", "fqdn": "", "app-service-type": "disable"}
    assert ServiceBook([kept | free]).resolve(["bound"])
    api.delete("cmdb/firewall.service/custom/bound")


def test_a_policy_ends_when_it_says(api: GatewayUnderTest) -> None:
    ends = datetime.now(UTC) + timedelta(hours=1)
    row = policy("ends") | {"policyid": 77, "policy-expiry": "enable",
                            "policy-expiry-date": ends.strftime(EXPIRY)}
    api.post("cmdb/firewall/policy", row)
    (kept,) = api.get("cmdb/firewall/policy/77")
    config = {"firewall/policy": [kept]}
    assert [one.id for one in compile_config(config).in_force] == [77]
    assert 0 < soonest_end(config) <= 3600
    over = {"firewall/policy": [kept | {"policy-expiry-date": "2023-09-30 16:27:40"}]}
    assert soonest_end(over) is None and compile_config(over).in_force == []
    api.delete("cmdb/firewall/policy/77")


def test_policies_name_the_zone_of_sd_wan_where_it_is_on(api: GatewayUnderTest) -> None:
    wan = [{"name": "virtual-wan-link"}]
    row = policy("out") | {"policyid": 77, "dstintf": wan}
    assert "SD-WAN has no member" in refused(api, "firewall/policy", row)
    api.post("cmdb/system/interface", LOOPBACK | {"name": "wan2"})
    members = [{"seq-num": 1, "interface": "wan2"}]
    other = members[0] | {"zone": "outside"}
    told = unchanged(api, "system/sdwan", {"status": "enable", "members": [other]})
    assert "has no zone of SD-WAN outside" in told
    api.put("cmdb/system/sdwan", {"status": "enable", "members": members})
    by_port = policy("out") | {"policyid": 77, "dstintf": [{"name": "wan2"}]}
    assert "belongs to zone" in refused(api, "firewall/policy", by_port)
    api.post("cmdb/firewall/policy", row)
    paths = ("firewall/policy", "firewall/address", "firewall.service/custom")
    config = {path: api.get(f"cmdb/{path}") for path in paths}
    config["system/sdwan"] = [api.call("GET", "cmdb/system/sdwan").json()["results"]]
    (ours,) = [one for one in compile_config(config).in_force if one.id == 77]
    assert ours.selects.dstintf == ("wan2",)
    packet = Packet("port2", "wan2", "198.18.1.10", "198.18.2.10", 6, 443)
    assert PolicyTable(config).decide(packet).policyid == 77
    api.delete("cmdb/firewall/policy/77")
    api.put("cmdb/system/sdwan", {"status": "disable", "members": []})
    api.delete("cmdb/system/interface/wan2")


@pytest.mark.parametrize(
    "more",
    [
        {"internet-service": "enable"},
        {"internet-service": "enable", "internet-service-name": [{"name": "Nobody-Knows"}]},
        {"policy-expiry": "enable"},
        {"policy-expiry": "enable", "policy-expiry-date": "soon"},
    ],
)
def test_what_a_policy_lacks_for_them_is_told(api: GatewayUnderTest, more: dict) -> None:
    refused(api, "firewall/policy", policy("narrow") | {"policyid": 77} | more)


@pytest.mark.parametrize(
    ("path", "row"),
    [
        ("firewall/vip", VIP | {"srcintf-filter": [{"interface-name": "port2"}]}),
        ("firewall/shaping-policy", SHAPING | {"application": [{"id": 15893}]}),
        ("firewall/shaping-policy", SHAPING | {"cos-mask": "0xff"}),
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


@pytest.mark.parametrize(
    "row",
    [
        *({"ipv6": {"ip6-address": text}} for text in ("::1/128", "ff02::1/128", "2001:2::1/0")),
        *({"ip": text} for text in ("127.0.0.1/8", "224.0.0.1/24", "0.0.0.5/8", "10.0.0.1/0")),
    ],
)
def test_addresses_that_no_port_can_have(api: GatewayUnderTest, row: dict) -> None:
    assert "an address of a host" in unchanged(api, "system/interface/port3", row)


def test_networks_of_two_ports_do_not_overlap(api: GatewayUnderTest) -> None:
    told = unchanged(api, "system/interface/port3", {"ip": "198.18.0.200/28"})
    assert 'overlaps the network 198.18.0.0/24 of "mgmt"' in told


def test_a_shaping_policy_by_marking(api: GatewayUnderTest) -> None:
    api.post("cmdb/firewall/shaping-policy", SHAPING | {"tos-mask": "0xfc", "tos": "0xb8"})
    (row,) = api.get("cmdb/firewall/shaping-policy/7")
    assert (row["tos-mask"], row["tos"], row["tos-negate"]) == ("0xfc", "0xb8", "disable")
    api.put("cmdb/firewall/shaping-policy/7", {"tos-negate": "enable"})
    api.delete("cmdb/firewall/shaping-policy/7")


def test_figures_that_cannot_be(api: GatewayUnderTest) -> None:
    shaper = {"name": "s", "bandwidth-unit": "gbps", "maximum-bandwidth": 1000}
    assert "100 Gbit/s" in refused(api, "firewall.shaper/traffic-shaper", shaper)
    api.post("cmdb/firewall.shaper/traffic-shaper", shaper | {"maximum-bandwidth": 100})
    api.delete("cmdb/firewall.shaper/traffic-shaper/s")
    row = policy("high") | {"policyid": 0xFFFFFFE1}
    assert "4294967264 at most" in refused(api, "firewall/policy", row)


@pytest.mark.parametrize(
    ("path", "row", "why"),
    [
        ("web-proxy/explicit", {"http-incoming-port": "0"}, "1 to 65535"),
        ("web-proxy/explicit", {"http-incoming-port": "8080:1024"}, "1 to 65535"),
        ("web-proxy/explicit", {"status": "enable", "http-incoming-port": "1-999"}, "128 ports"),
        ("web-proxy/global", {"proxy-fqdn": "a\nhttp_access allow all"}, "a host name"),
        ("vpn.ssl/settings", {"ssl-max-proto-ver": "tls1-1"}, "tls1-1 or older"),
    ],
)
def test_what_its_own_programs_cannot_do(
    api: GatewayUnderTest, path: str, row: dict, why: str
) -> None:
    assert why in unchanged(api, path, row)


@pytest.mark.parametrize("name", ["mgmt", "any"])
def test_no_ssl_vpn_on_the_management_port(api: GatewayUnderTest, name: str) -> None:
    row = {"source-interface": [{"name": name}], "port": api.port}
    told = unchanged(api, "vpn.ssl/settings", row)
    assert f'Port {api.port} of interface "mgmt" is that of the administration' in told
    api.put("cmdb/vpn.ssl/settings", row | {"source-interface": [{"name": "port1"}]})
    api.put("cmdb/vpn.ssl/settings", {"source-interface": [], "port": 10443})


def test_a_port_of_an_interface_has_one_that_listens(api: GatewayUnderTest) -> None:
    api.put("cmdb/vpn.ssl/settings", {"source-interface": [{"name": "port1"}], "port": 443})
    api.put("cmdb/web-proxy/explicit", {"status": "enable", "http-incoming-port": "443"})
    told = unchanged(api, "system/interface/port1", {"explicit-web-proxy": "enable"})
    assert 'Port 443 of interface "port1" is that of the web proxy already' in told
    api.put("cmdb/system/interface/port2", {"explicit-web-proxy": "enable"})
    api.put("cmdb/web-proxy/explicit", {"http-incoming-port": str(api.port)})
    told = unchanged(api, "system/interface/mgmt", {"explicit-web-proxy": "enable"})
    assert "that of the administration" in told
    api.put("cmdb/system/interface/port2", {"explicit-web-proxy": "disable"})
    api.put("cmdb/web-proxy/explicit", {"status": "disable", "http-incoming-port": "8080"})
    api.put("cmdb/vpn.ssl/settings", {"source-interface": [], "port": 10443})


@pytest.mark.parametrize(
    ("path", "row"),
    [
        ("firewall/vip", VIP | {"src-filter": [{"range": "nowhere"}]}),
        ("firewall/vip", VIP | {"portforward": "enable", "extport": "80 443", "mappedport": "80"}),
        ("firewall/vip", VIP | {"portforward": "enable", "extport": "80:9", "mappedport": "80"}),
        ("firewall/vip", VIP | {"extip": HUGE, "mappedip": [{"range": HUGE}]}),
        ("firewall/vip", VIP | {"mappedip": [{"range": "10.0.0.1"}, {"range": "10.0.0.2"}]}),
        ("firewall.service/custom", {"name": "n", "protocol": "CONNECT"}),
        ("firewall/policy", policy("n") | {"service": [{"name": "webproxy"}]}),
        ("vpn.ipsec/phase1-interface", PHASE1 | {"name": "n", "localid": "a\rb"}),
        *(
            ("vpn.ipsec/phase1-interface",
             PHASE1 | {"name": "n", "peertype": "one", "peerid": pattern})
            for pattern in ("%any", "*", "*.shop.lab", "0.0.0.0/0", "C=FI, CN=*", "ipv4net:0/0")
        ),
        ("user/local", {"name": "*", "passwd": "secret-1"}),
        ("webfilter/urlfilter",
         {"id": 7, "entries": [{"id": 1, "url": "a", "action": "exempt", "exempt": "av"}]}),
    ],
)
def test_values_that_mean_nothing_to_the_data_plane(
    api: GatewayUnderTest, path: str, row: dict
) -> None:
    refused(api, path, row)


def test_a_phase_2_from_a_higher_address_to_a_lower_one(api: GatewayUnderTest) -> None:
    api.post("cmdb/vpn.ipsec/phase1-interface", PHASE1 | {"name": "t"})
    row = {"name": "p", "phase1name": "t", "src-addr-type": "range",
           "src-start-ip": "10.0.0.9", "src-end-ip": "10.0.0.1"}
    assert "no range of addresses" in refused(api, "vpn.ipsec/phase2-interface", row)
    api.delete("cmdb/vpn.ipsec/phase1-interface/t")


def test_a_data_plane_that_lags_behind_is_told(api: GatewayUnderTest) -> None:
    log = "monitor/system/config-error-log/download"
    broken = api.folder / "plane-fails"
    broken.write_text("firewall/ippool p cannot be put in force: nonsense.")
    api.post("cmdb/firewall/address", {"name": "late"})
    assert wait_until(lambda: api.control("GET", "/state")[1]["problem"], 60)
    assert api.call("GET", log).text == f">>>  {broken.read_text()}\n"
    broken.unlink()
    assert wait_until(lambda: not api.control("GET", "/state")[1]["problem"], 60), "tried again"
    assert api.call("GET", log).text == ""
    assert "late" in [row["name"] for row in api.applied()["config"]["firewall/address"]]
    api.delete("cmdb/firewall/address/late")
