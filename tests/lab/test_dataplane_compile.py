"""Compiling the configuration, faults, lookup and texts: no root needed."""

from __future__ import annotations

import pytest
from dataplane_config import address, config, policy, refs, service, shaper, shaping_policy

from lab.gateway.dataplane.faults.network import FAULTS, with_faults
from lab.gateway.dataplane.intent.addresses import AddressBook
from lab.gateway.dataplane.intent.compile import compile_config
from lab.gateway.dataplane.intent.ranges import (
    EVERY_ADDRESS,
    address_elements,
    complement,
    subtract,
    union,
)
from lab.gateway.dataplane.intent.services import ServiceBook
from lab.gateway.dataplane.lookup import IMPLICIT_DENY, Packet, look_up
from lab.gateway.dataplane.nft import conntrack
from lab.gateway.dataplane.nft.firewall import transaction
from lab.gateway.dataplane.nft.queues import changes
from lab.gateway.dataplane.nft.rules import Ruleset, render
from lab.gateway.dataplane.nft.shaping import ShaperClasses


def lookup(intent, source="198.18.1.10", protocol=6, dest="198.18.2.10", port=80, srcintf="port2"):
    return look_up(intent, Packet(srcintf, source, protocol, dest, port), lambda _: "port1")


def ruleset(rows) -> Ruleset:
    intent = compile_config(rows)
    return render(intent, ShaperClasses.of(intent))


def text_of(rules: Ruleset) -> str:
    return transaction(Ruleset(), rules)


def test_spans_are_joined_and_taken_apart():
    assert union([(5, 9), (1, 3), (4, 4), (20, 21)]) == ((1, 9), (20, 21))
    assert complement(((0, 3), (6, 6)), ((0, 9),)) == ((4, 5), (7, 9))
    assert subtract(((1, 9),), ((3, 4),), ((0, 20),)) == ((1, 2), (5, 9))
    assert complement(EVERY_ADDRESS[4], EVERY_ADDRESS[4]) == ()


def test_addresses_are_written_as_address_prefix_or_range():
    low = 0x0A000000
    assert address_elements(((low, low), (low + 256, low + 511), (low + 600, low + 602)), 4) == (
        "10.0.0.0",
        "10.0.1.0/24",
        "10.0.2.88-10.0.2.90",
    )


def test_address_objects_of_every_type():
    book = AddressBook(
        4,
        [
            address("net", "10.0.0.0 255.255.255.0"),
            {"name": "range", "type": "iprange", "start-ip": "10.0.1.0", "end-ip": "10.0.1.9"},
            {"name": "named", "type": "fqdn", "fqdn": "www.example.org"},
            address("one", "10.0.0.7 255.255.255.255"),
        ],
        [
            {"name": "both", "member": refs("net", "range")},
            {"name": "nested", "member": refs("both", "named")},
            {
                "name": "but",
                "member": refs("net"),
                "exclude": "enable",
                "exclude-member": refs("one"),
            },
            {"name": "itself", "member": refs("itself", "one")},
        ],
    )
    assert address_elements(book.resolve(["nested"]), 4) == ("10.0.0.0-10.0.1.9",)
    assert book.resolve(["named"]) == ()
    assert book.resolve(["unheard-of"]) == ()
    assert address_elements(book.resolve(["but"]), 4) == (
        "10.0.0.0-10.0.0.6",
        "10.0.0.8-10.0.0.255",
    )
    assert address_elements(book.resolve(["itself"]), 4) == ("10.0.0.7",)
    assert address_elements(book.resolve(["net"], negate=True), 4)[0] == "0.0.0.0-9.255.255.255"


def test_a_zone_is_its_ports():
    row = policy(1, srcintf=refs("inside"), dstintf=refs("port1"))
    zone = {
        "name": "inside",
        "interface": [{"interface-name": "port2"}, {"interface-name": "port3"}],
    }
    (compiled,) = compile_config({"firewall/policy": [row], "system/zone": [zone]}).policies
    assert (compiled.selects.srcintf, compiled.selects.dstintf) == (("port2", "port3"), ("port1",))


def test_services_are_joined_by_protocol():
    book = ServiceBook(
        [
            service("web", **{"tcp-portrange": "80 443 8000-8080"}),
            service("dns", **{"tcp-portrange": "53", "udp-portrange": "53"}),
            service("from-high", **{"tcp-portrange": "25:1024-65535"}),
            {"name": "gre", "protocol": "IP", "protocol-number": 47},
        ],
        [{"name": "all-of-it", "member": refs("web", "dns", "from-high", "gre")}],
    )
    tcp, udp, high, gre = book.resolve(["all-of-it"])
    assert tcp.dst == ((53, 53), (80, 80), (443, 443), (8000, 8080))
    assert udp.dst == ((53, 53),)
    assert high.src == ((1024, 65535),)
    assert gre.protocol == 47


@pytest.mark.parametrize(
    ("attributes", "packet", "expected"),
    [
        ({}, {}, (1, "accept")),
        ({"action": "deny"}, {}, (1, "deny")),
        ({"status": "disable"}, {}, IMPLICIT_DENY),
        ({"schedule": "none"}, {}, IMPLICIT_DENY),
        ({"srcintf": refs("any")}, {"srcintf": "port9"}, (1, "accept")),
        ({}, {"srcintf": "port1"}, IMPLICIT_DENY),
        ({"dstintf": refs("port3")}, {}, IMPLICIT_DENY),
        ({"srcaddr": refs("client")}, {}, (1, "accept")),
        ({"srcaddr": refs("client")}, {"source": "198.18.1.11"}, IMPLICIT_DENY),
        ({"dstaddr": refs("elsewhere"), "dstaddr_negate": "enable"}, {}, (1, "accept")),
        ({"dstaddr": refs("server"), "dstaddr_negate": "enable"}, {}, IMPLICIT_DENY),
        ({"service": refs("HTTP")}, {}, (1, "accept")),
        ({"service": refs("HTTP")}, {"port": 81}, IMPLICIT_DENY),
        ({"service": refs("HTTP")}, {"protocol": 17}, IMPLICIT_DENY),
        ({"service": refs("HTTP"), "service_negate": "enable"}, {}, IMPLICIT_DENY),
        ({"service": refs("HTTP"), "service_negate": "enable"}, {"port": 81}, (1, "accept")),
        ({"service": refs("PING")}, {"protocol": 1, "port": None}, (1, "accept")),
        ({"groups": refs("staff")}, {}, IMPLICIT_DENY),
        ({}, {"source": "2001:2:0:1::10", "dest": "2001:2:0:2::10"}, IMPLICIT_DENY),
        (
            {"srcaddr6": refs("all"), "dstaddr6": refs("all")},
            {"source": "2001:2:0:1::10", "dest": "2001:2:0:2::10"},
            (1, "accept"),
        ),
    ],
)
def test_lookup_by_one_policy(attributes, packet, expected):
    assert lookup(compile_config(config(policy(1, **attributes))), **packet) == expected


def test_lookup_takes_the_first_that_matches():
    rows = config(
        policy(7, service=refs("t8080")), policy(3, action="deny"), policy(1, service=refs("HTTP"))
    )
    intent = compile_config(rows)
    assert lookup(intent, port=8080) == (7, "accept")
    assert lookup(intent, port=80) == (3, "deny")
    turned = with_faults(intent, {"order-reversed": {}})
    assert lookup(turned, port=80) == (1, "accept")


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ("policy-missing", IMPLICIT_DENY),
        ("disabled-policy-active", (1, "accept")),
        ("nat-always", (2, "accept")),
        ("api-500", (2, "accept")),
    ],
)
def test_lookup_sees_faults(fault, expected):
    rows = config(policy(1, status="disable"), policy(2))
    assert lookup(with_faults(compile_config(rows), {fault: {}})) == expected


def test_lookup_sees_what_faults_add():
    rows = config(policy(1, service=refs("HTTP")))
    assert lookup(with_faults(compile_config(rows), {"deny-above": {}}))[1] == "deny"
    assert lookup(with_faults(compile_config(rows), {"any-any": {}}), port=99)[1] == "accept"
    assert lookup(with_faults(compile_config(rows), {"any-any": {}}), port=80) == (1, "accept")


def test_a_fault_leaves_its_input_alone():
    intent = compile_config(config(policy(1), policy(2, status="disable")))
    before = repr(intent)
    for name in FAULTS:
        with_faults(intent, {name: {}})
    assert repr(intent) == before


def test_a_virtual_address_is_seen_only_by_policies_that_name_it():
    vip = {
        "name": "v1",
        "extip": "198.18.2.120",
        "extintf": "port2",
        "mappedip": [{"range": "198.18.2.10"}],
        "portforward": "enable",
        "protocol": "tcp",
        "extport": "8000-8002",
        "mappedport": "80-82",
    }
    rows = config(policy(1), policy(2, dstaddr=refs("v1"), service=refs("HTTP")), vip=[vip])
    intent = compile_config(rows)
    assert lookup(intent, dest="198.18.2.120", port=8000) == (2, "accept")
    assert lookup(intent, dest="198.18.2.120", port=8001) == IMPLICIT_DENY  # HTTP is port 80
    assert lookup(intent, dest="198.18.2.120", port=9000) == (1, "accept")  # not translated


def test_a_small_change_loads_little_and_removes_what_it_replaces():
    rows = [policy(number, service=refs("HTTP", "t8080")) for number in range(1, 1001)]
    old = ruleset(config(*rows))
    rows[500] = policy(501, service=refs("HTTP"))
    new = ruleset(config(*rows))
    text = transaction(old, new)
    assert text.count(" goto permitted") == 100
    assert text.count("delete chain") == 1
    assert transaction(new, new).count("ct mark set") == 1  # the implicit deny's


def test_equal_lists_share_one_set():
    rows = [policy(number, service=refs("HTTP", "t8080")) for number in range(1, 11)]
    assert len(ruleset(config(*rows)).sets) == 1


def test_values_of_the_configuration_do_not_reach_the_rules_as_text():
    rows = config(policy(1, name='x" accept; flush ruleset; #'))
    assert "flush ruleset" not in text_of(ruleset(rows))
    for name in ('x" accept; #', "port*", "a b", "..", "lo"):
        found = compile_config(config(policy(1, srcintf=refs(name)), policy(2)))
        assert [one.id for one in found.policies] == [2]
        assert [told.split(":")[0] for told in found.problems] == [
            "firewall/policy 1 cannot be put in force"
        ]


def test_a_zone_without_ports_is_not_any_interface():
    for side in ("srcintf", "dstintf"):
        rows = config(policy(1, **{side: refs("empty")}))
        rows["system/zone"] = [{"name": "empty", "interface": []}]
        intent = compile_config(rows)
        assert not any("ct mark set 1 " in text for text in text_of(ruleset(rows)).splitlines())
        packet = Packet("port2", "198.18.1.10", 6, "198.18.2.10", 80)
        assert look_up(intent, packet, lambda dest: "port1") == IMPLICIT_DENY


def test_an_icmp_type_that_no_packet_has_matches_none():
    rows = config(policy(1, service=refs("odd")))
    rows["firewall.service/custom"].append(
        {"name": "odd", "protocol": "ICMP", "icmptype": 300, "icmpcode": ""}
    )
    assert compile_config(rows).policies[0].selects.services == ()


def test_one_object_that_cannot_be_read_holds_up_no_other():
    bad_pool = {"name": "bad", "startip": "nonsense", "endip": "x"}
    bad_vip = {"name": "v", "extip": "nonsense", "mappedip": [{"range": "10.0.0.1"}]}
    rows = config(
        policy(1),
        policy(2, nat="enable", ippool="enable", poolname=refs("bad")),
        policy(3, action="deny", srcintf=refs("a b")),
        policy(4, traffic_shaper="gone"),
        ippool=[bad_pool],
        vip=[bad_vip],
        traffic_shaper=[shaper("gone", 10, "no unit")],
    )
    found = compile_config(rows)
    assert [(one.id, one.accept) for one in found.policies] == [(1, True), (3, False)]
    assert found.policies[1].selects.sources == EVERY_ADDRESS, "a deny denies everything"
    assert sorted(told.split(" cannot")[0] for told in found.problems) == [
        "firewall.shaper/traffic-shaper gone",
        "firewall/ippool bad",
        *(f"firewall/policy {number}" for number in (2, 3, 4)),
        "firewall/vip v",
    ]


def test_shapers_get_queues_on_the_ports_where_packets_leave():
    rows = config(
        policy(1),
        traffic_shaper=[shaper("sgw-200", 322, "mbps"), shaper("unused", 10)],
        shaping_policy=[shaping_policy(1, "sgw-200", srcintf=refs("port2"), dstintf=refs("port1"))],
    )
    queues = ShaperClasses.of(compile_config(rows)).queues
    assert [(port, kbps) for (port, _), kbps in queues.items()] == [("port1", 322_000)]
    both = with_faults(compile_config(rows), {"shaper-below-tier": {"percent": 50}})
    assert set(ShaperClasses.of(both).queues.values()) == {161_000}
    none = with_faults(compile_config(rows), {"shaper-missing": {}})
    assert ShaperClasses.of(none).queues == {}


def test_only_the_queue_that_differs_is_changed():
    old = {("port1", 1): 1000, ("port1", 2): 2000, ("port2", 1): 1000}
    new = {("port1", 1): 1000, ("port1", 2): 3000}
    commands = changes(old, new)
    assert commands[0] == "qdisc del dev port2 root"
    assert [line.split(" htb ")[0] for line in commands if "class" in line] == [
        "class change dev port1 parent 1: classid 1:2"
    ]
    assert changes(old, old) == []


def test_there_is_room_for_a_super_packet_in_the_queue_of_a_slow_shaper():
    limits = [
        int(line.rsplit(" ", 1)[1].rstrip("b"))
        for kbps in (2_000, 100_000)
        for line in changes({}, {("port1", 1): kbps})
        if "bfifo" in line
    ]
    assert limits[0] > 65_536
    assert limits[0] < 2_000 * 125 * 0.4, "datagrams would wait for longer than 0.4 s"
    assert limits[1] == 100_000 * 125 * 0.2


def test_a_line_of_the_session_table():
    line = (
        "ipv4     2 tcp      6 3599 ESTABLISHED src=198.18.1.10 dst=198.18.2.120 sport=5000 "
        "dport=80 packets=4 bytes=1216 src=198.18.2.10 dst=198.18.2.1 sport=8080 dport=5000 "
        "packets=3 bytes=200 [ASSURED] mark=12 delta-time=7 zone=0 use=2\n"
    )
    session = conntrack.parse(line)
    assert session["policyid"] == 12
    assert (session["snaddr"], session["dnaddr"], session["dnport"]) == (
        "198.18.2.1",
        "198.18.2.10",
        8080,
    )
    assert (session["sentbyte"], session["rcvdbyte"], session["duration"]) == (1216, 200, 7)


def _dos_policy(**thresholds: int) -> dict:
    return {
        "policyid": 3,
        "interface": "port2",
        "srcaddr": refs("all"),
        "dstaddr": refs("all"),
        "service": refs("ALL"),
        "anomaly": [
            {"name": name, "status": "enable", "action": "block", "threshold": threshold}
            for name, threshold in thresholds.items()
        ] + [{"name": "udp_flood", "status": "enable", "action": "pass", "threshold": 1},
             {"name": "icmp_flood", "status": "disable", "action": "block", "threshold": 1}],
    }


def _flood_rules(rows: dict, **faults: dict) -> list[str]:
    intent = with_faults(compile_config(rows), faults)
    rules = render(intent, ShaperClasses.of(intent))
    return [
        text
        for jump in rules.base["floods"]
        for text in (jump, *rules.chains[jump.rsplit(" ", 1)[1]])
    ]


def test_anomalies_count_by_sender_or_by_receiver():
    rows = config() | {
        "firewall/DoS-policy": [_dos_policy(tcp_syn_flood=50, udp_scan=60, tcp_src_session=10)]
    }
    jump, syn, scan, sessions = _flood_rules(rows)
    assert jump.startswith('iifname "port2"')
    assert "== syn" in syn and "ip daddr limit rate over 50/second burst 50 packets" in syn
    assert "l4proto udp" in scan and "ip saddr limit rate over 60/second" in scan
    assert "ct state new" in sessions and "ip saddr ct count over 10" in sessions
    _, syn, scan, _ = _flood_rules(rows, **{"flood-stops-neighbours": {}})
    assert "ip saddr limit" in syn and "ip daddr limit" in scan
    assert _flood_rules(rows, **{"flood-ignored": {}}) == []


def test_a_dos_policy_that_is_off_holds_nothing():
    off = _dos_policy(tcp_syn_flood=50) | {"status": "disable"}
    assert _flood_rules(config() | {"firewall/DoS-policy": [off]}) == []
