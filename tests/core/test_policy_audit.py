"""What is wrong with a rule set as it is written, policy by policy."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepass.gateway.boxes import TooMany, complement, without
from gatepass.gateway.fortigate import Refused
from gatepass.gateway.policy_audit import OPEN, SHADOWED, UNINSPECTED, UNLOGGED, Audit, audit
from gatepass.gateway.policy_table import PolicyTable
from gatepass.gateway.schedules import lapsed

PROFILES = {
    "utm-status": "enable",
    "av-profile": "default",
    "webfilter-profile": "default",
    "ips-sensor": "default",
    "application-list": "default",
    "ssl-ssh-profile": "certificate-inspection",
}

TCP = {"protocol": "TCP/UDP/SCTP"}
ALL_OF_IPV6 = {"srcaddr6": [{"name": "all"}], "dstaddr6": [{"name": "all"}]}


def _names(*found: str) -> list[dict]:
    return [{"name": name} for name in found]


def _policy(policyid: int, source: str, target: str, service: str, **values: object) -> dict:
    lists = {key: _names(*values.pop(key).split()) for key in ("srcintf", "dstintf")
             if key in values}
    return {
        "policyid": policyid,
        "name": f"p{policyid}",
        "status": "enable",
        "srcintf": _names("port2"),
        "dstintf": _names("port1"),
        "srcaddr6": [],
        "dstaddr6": [],
        "srcaddr": _names(*source.split()),
        "dstaddr": _names(*target.split()),
        "service": _names(*service.split()),
        "action": "accept",
        "schedule": "always",
        "logtraffic": "all",
        **PROFILES,
        **lists,
        **values,
    }


def _deny(policyid: int, source: str, target: str, service: str, **values: object) -> dict:
    return _policy(policyid, source, target, service, action="deny", **values)


def _table(*policies: dict) -> PolicyTable:
    networks = [
        {"name": f"net-{number}", "subnet": f"10.{number}.0.0 255.255.0.0"}
        for number in range(250)
    ]
    halves = [
        {"name": "low", "subnet": "10.7.0.0 255.255.128.0"},
        {"name": "high", "subnet": "10.7.128.0 255.255.128.0"},
        {"name": "host", "subnet": "10.7.1.1 255.255.255.255"},
        {"name": "everything", "subnet": "0.0.0.0 0.0.0.0"},
        {"name": "site", "type": "fqdn", "fqdn": "www.example.com"},
    ]
    return PolicyTable(
        {
            "firewall/policy": list(policies),
            "firewall/address": networks + halves,
            "firewall/address6": [{"name": "lan6", "ip6": "2001:db8::/48"}],
            "firewall/addrgrp": [{"name": "both", "member": _names("low", "high")}],
            "firewall/vip": [{"name": "web", "extip": "203.0.113.5"}],
            "system/zone": [
                {"name": "inside", "interface": [{"interface-name": "port2"},
                                                 {"interface-name": "port3"}]}
            ],
            "firewall.service/custom": [
                {"name": "ALL", "protocol": "IP", "protocol-number": 0},
                {"name": "ALL_TCP", **TCP, "tcp-portrange": "1-65535"},
                {"name": "HTTP", **TCP, "tcp-portrange": "80"},
                {"name": "HTTPS", **TCP, "tcp-portrange": "443"},
                {"name": "low-ports", **TCP, "tcp-portrange": "0-1023"},
                {"name": "from-53", **TCP, "udp-portrange": "1-65535:53"},
                {"name": "DNS", **TCP, "udp-portrange": "53"},
                {"name": "PING", "protocol": "ICMP", "icmptype": 8},
                {"name": "ALL_ICMP", "protocol": "ICMP"},
            ],
            "firewall.service/group": [{"name": "Web-Access", "member": _names("HTTP", "HTTPS")}],
            "firewall.schedule/recurring": [{"name": "office-hours", "day": "monday"}],
            "firewall.schedule/onetime": [{"name": "fair-2019", "end": "18:00 2019/05/03"}],
        }
    )


def _audit(*policies: dict, inspected: bool = True) -> Audit:
    return audit(_table(*policies), inspected)


def _shadowed(*policies: dict) -> dict[int, str]:
    return {one.policyid: one.reason for one in _audit(*policies).of(SHADOWED)}


def test_ten_mistakes_among_two_hundred_policies_are_named() -> None:
    """Ten planted ones, and nothing of the 190 others."""
    policies = [_policy(number, f"net-{number}", "all", "HTTP DNS") for number in range(1, 201)]
    policies[40] |= {"srcaddr": _names("net-41"), "service": _names("ALL")}
    policies[60] |= {"srcaddr": _names("net-41")}  # 1: behind one that permits all of it
    policies[62] |= {"srcaddr": _names("low"), "logtraffic": "utm"}
    policies[63] |= {"srcaddr": _names("high")}
    policies[6] |= {"srcaddr": _names("net-8")}
    policies[7] |= {"srcaddr": _names("net-9")}
    policies[8] |= {"srcaddr": _names("net-210")}
    policies[100] |= {"srcaddr": _names("both")}  # 2: behind two halves
    policies[110] |= {"action": "deny", "srcaddr": _names("net-41")}  # 3: blocks nothing any more
    policies[120] |= {"utm-status": "disable", "logtraffic": "all"}  # 4: inspects nothing
    policies[130] |= {"av-profile": ""}  # 5: without antivirus
    policies[140] |= {"ssl-ssh-profile": "no-inspection"}  # 6: without a look into TLS
    policies[150] |= {"logtraffic": "disable"}  # 7: logs nothing
    policies[160] |= {"utm-status": "disable", "logtraffic": "utm", "srcaddr": _names("net-220")}
    # 8 and 9: inspects nothing, and so logs nothing
    policies[199] |= {  # 10: open to everything, the other way
        **{"srcintf": _names("port1"), "dstintf": _names("port2"), "srcaddr": _names("all")},
        "service": _names("ALL"),
    }
    found = _audit(*policies)
    assert {(one.kind, one.policyid) for one in found.findings} == {
        *((SHADOWED, number) for number in (61, 101, 111)),
        *((UNINSPECTED, number) for number in (121, 131, 141, 161)),
        *((UNLOGGED, number) for number in (151, 161)),
        (OPEN, 200),
    }
    assert len(found.looked_at) == 200 and not found.unread
    told = {(one.kind, one.policyid): one.sentence for one in found.findings}
    assert told[SHADOWED, 101] == (
        "Policy 101 “p101” is never met: policies 63 and 64 before it match all that it matches."
    )
    assert told[SHADOWED, 111].endswith("so that what it should block passes.")
    assert told[UNINSPECTED, 131] == "Policy 131 “p131” lets traffic through without antivirus."
    assert "IPv4 (port1 to port2)" in told[OPEN, 200]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("net-7", "all", "ALL"), ("host", "net-1", "PING")),
        (("low high", "all", "ALL_TCP"), ("net-7", "all", "Web-Access")),
        (("net-7", "all", "low-ports"), ("net-7", "net-9", "HTTP HTTPS")),
        (("net-7", "all", "ALL_ICMP"), ("net-7", "all", "PING")),
        (("net-7", "everything", "ALL"), ("net-7", "all", "DNS")),
    ],
)
def test_shadowed(before: tuple[str, str, str], after: tuple[str, str, str]) -> None:
    assert list(_shadowed(_policy(1, *before), _policy(2, *after))) == [2]
    assert not _shadowed(_policy(1, *after), _policy(2, *before))


@pytest.mark.parametrize(
    ("before", "values"),
    [
        (("net-7", "all", "HTTP"), {}),
        (("net-7", "all", "from-53"), {}),
        (("low", "all", "ALL"), {}),
        (("net-7", "all", "ALL"), {"status": "disable"}),
        (("net-7", "all", "ALL"), {"schedule": "office-hours"}),
        (("net-7", "all", "ALL"), {"schedule": "no-such-schedule"}),
        (("net-7", "all", "ALL"), {"groups": _names("staff")}),
        (("net-7", "all", "ALL"), {"srcintf": "port3"}),
        (("site", "all", "ALL"), {}),
        (("net-7", "all", "ALL"), {"srcaddr-negate": "enable"}),
    ],
)
def test_not_shadowed(before: tuple[str, str, str], values: dict) -> None:
    assert not _shadowed(_policy(1, *before, **values), _policy(2, "net-7", "all", "HTTP DNS"))


def test_one_that_others_narrow_is_met_by_whom_they_leave() -> None:
    negated = _policy(1, "net-7", "all", "ALL", **{"srcaddr-negate": "enable"})
    assert list(_shadowed(negated, _policy(2, "net-9", "all", "HTTP"))) == [2]


def test_interfaces_and_zones() -> None:
    zone = _policy(1, "all", "all", "ALL", srcintf="inside")
    member = _policy(2, "net-7", "all", "HTTP", srcintf="port3")
    assert list(_shadowed(zone, member)) == [2]
    assert not _shadowed(member, zone)
    every = _policy(3, "all", "all", "ALL", srcintf="any", dstintf="any")
    assert sorted(_shadowed(every, zone, member)) == [1, 2]


def test_families_are_apart() -> None:
    fourth = _policy(1, "all", "all", "ALL")
    sixth = _policy(2, "", "", "ALL", srcaddr6=_names("lan6"), dstaddr6=_names("all"))
    both = fourth | {"policyid": 3, "srcaddr6": _names("all"), "dstaddr6": _names("all")}
    assert not _shadowed(fourth, sixth)
    assert not _shadowed(fourth, both)
    assert sorted(_shadowed(both, fourth, sixth)) == [1, 2]


def test_what_a_deny_keeps_from_a_permission_is_told() -> None:
    (reason,) = _shadowed(_deny(1, "net-7", "all", "ALL"), _policy(2, "low", "all", "DNS")).values()
    assert reason.endswith("so that what it should let through is blocked")


def test_one_whose_time_is_over_is_never_met_and_keeps_nothing_from_others() -> None:
    found = _shadowed(
        _policy(1, "net-7", "all", "ALL", schedule="fair-2019"), _policy(2, "low", "all", "DNS")
    )
    assert list(found) == [1] and "“fair-2019” is over" in found[1]
    assert list(_audit(_policy(1, "low", "all", "DNS", schedule="lost")).unread) == [1]


SCHEDULES = {
    "firewall.schedule/recurring": [
        {"name": "always", "day": "sunday monday tuesday wednesday thursday friday saturday"},
        {"name": "none", "day": "none"},
    ],
    "firewall.schedule/onetime": [
        {"name": "past", "end": "18:00 2026/03/01"},
        {"name": "yesterday", "end": "18:00 2026/03/09"},
        {"name": "to-the-second", "end": "18:00 2026/03/10", "end-utc": "1773100000"},
        {"name": "coming", "end": "18:00 2030/01/01"},
        {"name": "damaged", "end": "soon"},
    ],
    "firewall.schedule/group": [
        {"name": "all-over", "member": [{"name": "past"}, {"name": "none"}]},
        {"name": "some-over", "member": [{"name": "past"}, {"name": "coming"}]},
    ],
}


def test_schedules_whose_time_is_over() -> None:
    now = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
    over = lapsed(lambda path: SCHEDULES[path], now)
    assert {name for name, is_over in over.items() if is_over} == {
        "none", "past", "to-the-second", "all-over",
    }  # fmt: skip
    assert len(over) == 9
    assert lapsed(lambda path: [], now) == {}


@pytest.mark.parametrize("target", ["web", "site", "no-such-address"])
def test_what_cannot_be_read_is_told_and_shadows_nothing(target: str) -> None:
    found = _audit(
        _policy(1, "net-7", target, "ALL"), _policy(2, "net-7", "all", "ALL")
    )
    assert list(found.unread) == [1] and not found.of(SHADOWED)


def test_a_policy_without_addresses_matches_nothing() -> None:
    assert list(_shadowed(_policy(1, "none", "all", "ALL"))) == [1]


@pytest.mark.parametrize(
    ("values", "opened"),
    [
        ({}, True),
        ({"dstaddr": _names("net-1")}, False),
        ({"service": _names("ALL_TCP")}, False),
        ({"groups": _names("staff")}, False),
        ({"action": "deny"}, False),
        ({"status": "disable"}, False),
        ({"srcaddr": _names("everything")}, True),
        ({"srcaddr": [], "dstaddr": [], **ALL_OF_IPV6}, True),
    ],
)
def test_open_to_everything(values: dict, opened: bool) -> None:
    assert bool(_audit(_policy(1, "all", "all", "ALL") | values).of(OPEN)) == opened


def test_profiles_of_a_group_count() -> None:
    grouped = _policy(1, "net-1", "all", "HTTP") | dict.fromkeys(PROFILES, "") | {
        "utm-status": "enable", "profile-type": "group", "profile-group": "bought"
    }  # fmt: skip
    groups = [{"name": "bought", **PROFILES}]
    assert not audit(_table(grouped), True, groups).findings
    (one,) = audit(_table(grouped), True).findings
    assert "without antivirus and web filter" in one.reason


def test_nothing_has_to_be_inspected_that_was_not_bought() -> None:
    plain = _policy(1, "net-1", "all", "HTTP", **{"utm-status": "disable"})
    assert not _audit(plain, inspected=False).findings


SPANS = st.tuples(st.integers(0, 7), st.integers(0, 7)).map(lambda ends: tuple(sorted(ends)))
BOXES = st.tuples(SPANS, SPANS, SPANS)


def _points(boxes: list) -> list[tuple]:
    return [
        (x, y, z)
        for (a, b), (c, d), (e, f) in boxes
        for x in range(a, b + 1) for y in range(c, d + 1) for z in range(e, f + 1)
    ]


@given(BOXES, st.lists(BOXES, max_size=4))
def test_what_is_left_of_a_box(box: tuple, holes: list) -> None:
    left = [box]
    for hole in holes:
        left = without(left, hole)
    points = _points(left)
    assert len(set(points)) == len(points)  # no part twice
    assert set(points) == set(_points([box])) - set(_points(holes))


def test_too_many_parts_are_told() -> None:
    with pytest.raises(TooMany):
        without([((0, 9), (0, 9))], ((3, 4), (3, 4)), most=3)


def test_complement() -> None:
    assert complement([(2, 3), (5, 9)], (0, 9)) == [(0, 1), (4, 4)]


def test_policies_that_may_not_be_read_are_no_sound_ones() -> None:
    class Gateway:
        def rows_if_any(self, path: str) -> list:
            raise Refused("no right to read it", status=403)

    with pytest.raises(Refused):
        PolicyTable.read(Gateway())
