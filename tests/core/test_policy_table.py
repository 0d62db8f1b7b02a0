"""Which policy decides about a packet, as the configuration says it."""

from __future__ import annotations

import pytest

from gatepass.gateway.packet import Packet
from gatepass.gateway.policy_table import Decision, PolicyTable


def _names(*found: str) -> list[dict]:
    return [{"name": name} for name in found]


def _policy(policyid: int, **values: object) -> dict:
    return {
        "policyid": policyid,
        "status": "enable",
        "srcintf": _names("port2"),
        "dstintf": _names("port1"),
        "srcaddr6": [],
        "dstaddr6": [],
        "srcaddr": _names("all"),
        "dstaddr": _names("all"),
        "service": _names("ALL"),
        "action": "accept",
        "schedule": "always",
    } | values


def _table(*policies: dict, **tables: list) -> PolicyTable:
    return PolicyTable(
        {
            "firewall/policy": list(policies),
            "firewall/address": [
                {"name": "lan", "type": "ipmask", "subnet": "10.20.0.0 255.255.0.0"},
                {"name": "hosts", "type": "iprange", "start-ip": "10.9.0.1", "end-ip": "10.9.0.5"},
                {"name": "site", "type": "fqdn", "fqdn": "www.example.com"},
            ],
            "firewall/address6": [{"name": "lan6", "type": "ipprefix", "ip6": "2001:db8:1::/48"}],
            "firewall/addrgrp": [{"name": "both", "member": _names("lan", "hosts")}],
            "firewall.service/custom": [
                {"name": "ALL", "protocol": "IP", "protocol-number": 0},
                {"name": "HTTP", "protocol": "TCP/UDP/SCTP", "tcp-portrange": "80"},
                {
                    "name": "high",
                    "protocol": "TCP/UDP/SCTP",
                    "tcp-portrange": "8000-8080:1024-65535",
                    "udp-portrange": "9",
                },
                {"name": "PING", "protocol": "ICMP", "icmptype": 8},
                {"name": "GRE", "protocol": "IP", "protocol-number": 47},
            ],
            "firewall.service/group": [{"name": "web", "member": _names("HTTP", "high")}],
            **{name.replace("__", "/"): rows for name, rows in tables.items()},
        }
    )


def _tcp(source: str, port: int, target: str = "198.18.2.10", **values: object) -> Packet:
    return Packet(
        **{
            "arrives": "port2",
            "leaves": "port1",
            "source": source,
            "target": target,
            "protocol": 6,
            "target_port": port,
        }
        | values
    )


def test_the_first_that_matches_decides() -> None:
    table = _table(
        _policy(3, action="deny", srcaddr=_names("hosts")), _policy(1, srcaddr=_names("both"))
    )
    assert table.decide(_tcp("10.9.0.5", 80)) == Decision(3, False)
    assert table.decide(_tcp("10.20.1.1", 80)) == Decision(1, True)
    assert table.decide(_tcp("10.9.0.6", 80)) == Decision(0, False)


def test_what_is_switched_off_decides_nothing() -> None:
    assert _table(_policy(1, status="disable")).decide(_tcp("10.20.1.1", 80)).policyid == 0


@pytest.mark.parametrize(
    ("service", "packet", "accept"),
    [
        ("HTTP", _tcp("10.20.1.1", 80), True),
        ("HTTP", _tcp("10.20.1.1", 81), False),
        ("HTTP", _tcp("10.20.1.1", 80, protocol=17), False),
        ("web", _tcp("10.20.1.1", 8001, source_port=2000), True),
        ("web", _tcp("10.20.1.1", 8001, source_port=20), False),
        ("high", _tcp("10.20.1.1", 9, protocol=17), True),
        ("PING", _tcp("10.20.1.1", 0, protocol=1, icmp_type=8), True),
        ("PING", _tcp("10.20.1.1", 0, protocol=1, icmp_type=13), False),
        ("GRE", _tcp("10.20.1.1", 0, protocol=47), True),
        ("GRE", _tcp("10.20.1.1", 0, protocol=50), False),
        ("ALL", _tcp("10.20.1.1", 0, protocol=132), True),
    ],
)
def test_services(service: str, packet: Packet, accept: bool) -> None:
    assert _table(_policy(1, service=_names(service))).decide(packet).accept is accept


def test_negated_members() -> None:
    table = _table(_policy(1, **{"srcaddr": _names("lan"), "srcaddr-negate": "enable"}))
    assert table.decide(_tcp("10.20.1.1", 80)).policyid == 0
    assert table.decide(_tcp("10.21.1.1", 80)).policyid == 1


def test_each_ip_version_has_its_own_addresses() -> None:
    table = _table(_policy(1, srcaddr6=_names("lan6"), dstaddr6=_names("all")))
    there = "2001:db8:2::1"
    assert table.decide(_tcp("2001:db8:1::5", 80, there)).policyid == 1
    assert table.decide(_tcp("2001:db8:9::5", 80, there)).policyid == 0
    assert _table(_policy(1)).decide(_tcp("2001:db8:1::5", 80, there)).policyid == 0


def test_an_interface_may_stand_in_a_zone() -> None:
    zone = [{"name": "outside", "interface": [{"interface-name": "port1"}]}]
    table = _table(_policy(1, dstintf=_names("outside")), system__zone=zone)
    assert table.decide(_tcp("10.20.1.1", 80)).policyid == 1
    assert table.decide(_tcp("10.20.1.1", 80, leaves="port3")).policyid == 0


@pytest.mark.parametrize(
    "values",
    [
        {"dstaddr": _names("site")},
        {"schedule": "office-hours"},
        {"groups": _names("staff")},
        {"srcaddr": _names("nobody-knows-it")},
        {"service": _names("nobody-knows-it")},
    ],
)
def test_what_the_configuration_does_not_say_is_unclear(values: dict) -> None:
    table = _table(_policy(7, **values), _policy(8, srcaddr=_names("hosts")))
    assert table.decide(_tcp("10.20.1.1", 80)) == Decision(0, False, (7,))
    assert table.decide(_tcp("10.9.0.1", 80)) == Decision(8, True, (7,))


def test_what_cannot_match_is_not_unclear() -> None:
    policy = _policy(7, dstaddr=_names("site"), dstintf=_names("port9"))
    table = _table(policy, system__sdwan=[])
    assert table.decide(_tcp("10.20.1.1", 80)) == Decision(0, False)


def test_a_virtual_address_is_what_packets_are_sent_to() -> None:
    vip = [{"name": "www", "extip": "203.0.113.20", "mappedip": [{"range": "10.0.0.5"}]}]
    table = _table(_policy(1, dstaddr=_names("www")), firewall__vip=vip)
    assert table.decide(_tcp("192.0.2.1", 80, "203.0.113.20")).policyid == 1
    assert table.decide(_tcp("192.0.2.1", 80, "10.0.0.5")).policyid == 0
