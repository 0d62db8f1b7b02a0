"""Classes of service: packets take the shaper of their marking, each way, over IPv4 and IPv6."""

from __future__ import annotations

import os

import pytest
from class_rig import AF31, CONFIG, EF, KBPS, UNMARKED, counted, marked
from dataplane_config import class_policy, config, policy, shaper, shaping_policy

from lab.gateway.dataplane.faults.network import with_faults
from lab.gateway.dataplane.intent.compile import compile_config
from lab.gateway.dataplane.intent.model import Marking
from lab.gateway.dataplane.nft.rules import render
from lab.gateway.dataplane.nft.shaping import ShaperClasses

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")


def shaping_rules(*rows: dict) -> list[str]:
    intent = compile_config(
        config(policy(1), traffic_shaper=[shaper("s", 1000)], shaping_policy=rows)
    )
    return render(intent, ShaperClasses.of(intent)).base["shaping"]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"tos": "0xb8", "tos-mask": "0xfc"}, Marking(0xB8, 0xFC)),
        ({"tos": "0xff", "tos-mask": "0x1c"}, Marking(0x1C, 0x1C)),
        ({"tos": "0x00", "tos-mask": "0xfc", "tos-negate": "enable"}, Marking(0, 0xFC, True)),
        ({"tos": "0xb8", "tos-mask": "0x00", "tos-negate": "enable"}, None),
        ({}, None),
    ],
)
def test_which_packets_a_row_means(row, expected):
    rows = config(traffic_shaper=[shaper("s", 1)], shaping_policy=[shaping_policy(1, "s") | row])
    (compiled,) = compile_config(rows).shaping_policies
    assert compiled.marking == expected


def test_the_byte_of_either_ip_version_is_looked_at():
    for row, text in (
        (class_policy(1, "s", EF), "meta nfproto ipv4 @nh,8,8 & 0xfc == 0xb8 "),
        (class_policy(1, "s", EF, version=6), "meta nfproto ipv6 @nh,0,16 & 0x0fc0 == 0x0b80 "),
        (class_policy(1, "s", EF, tos_negate="enable"), "@nh,8,8 & 0xfc != 0xb8 "),
    ):
        forth, back = shaping_rules(row)
        assert text in forth and text in back
        assert "ct direction original" in forth and "ct direction reply" in back


def test_without_a_mask_every_packet_is_meant():
    assert not any("@nh" in text for text in shaping_rules(shaping_policy(1, "s", "s")))


@needs_root
@pytest.mark.parametrize("version", [4, 6])
def test_each_packet_takes_the_shaper_of_its_own_marking(rig, version):
    rig.apply(CONFIG)
    marked(rig, EF, AF31, version)
    marked(rig, AF31 | 0x02, EF | 0x01, version, count=2)  # ECN's bits are not DSCP's
    marked(rig, UNMARKED, 0xBC, version, count=4)  # a neighbour of EF
    assert counted(rig, "port1") == {"voice": 3, "business": 2, "tier": 4}
    assert counted(rig, "port2") == {"business": 3, "voice": 2, "tier": 4}


@needs_root
def test_anything_but_a_marking(rig):
    rows = {**CONFIG, "firewall/shaping-policy": [
        class_policy(5, "voice", EF, tos_negate="enable"),
        shaping_policy(1, "tier", "tier"),
    ]}  # fmt: skip
    rig.apply(rows)
    marked(rig, EF, AF31)
    assert (counted(rig, "port1"), counted(rig, "port2")) == ({"tier": 3}, {"voice": 3})


# Faults


def rates(name: str) -> set[int]:
    """The rates of the queues of a gateway with a fault, in kbit/s."""
    intent = with_faults(compile_config(CONFIG), {name: {}})
    return set(ShaperClasses.of(intent).queues.values())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("marking-lost", set(KBPS.values())),
        ("classes-ignored", {KBPS["tier"]}),
        ("excess-not-granted", {2_000, 20_000, KBPS["tier"]}),
        ("class-unpoliced", {KBPS["tier"]}),
        ("ipv6-slow", {150_000, *KBPS.values()}),
    ],
)
def test_the_queues_of_a_fault(name, expected):
    assert rates(name) == expected


@needs_root
@pytest.mark.parametrize("version", [4, 6])
def test_classes_ignored_and_unpoliced(rig, version):
    rig.apply(CONFIG, {"classes-ignored": {}})
    marked(rig, EF, AF31, version)
    assert (counted(rig, "port1"), counted(rig, "port2")) == ({"tier": 3}, {"tier": 3})
    rig.apply(CONFIG, {"class-unpoliced": {}})
    assert marked(rig, EF, AF31, version) == [EF] * 3
    assert counted(rig, "port1") == {"tier": 3}, "no class holds them, and not the tier's queue"


@needs_root
@pytest.mark.parametrize("version", [4, 6])
def test_a_marking_is_lost_after_it_was_heeded(rig, version):
    rig.apply(CONFIG)
    assert marked(rig, EF | 0x01, AF31, version) == [EF | 0x01] * 3
    rig.apply(CONFIG, {"marking-lost": {}})
    assert marked(rig, EF | 0x01, AF31, version) == [0x01] * 3, "ECN's bits are no marking"
    assert counted(rig, "port1") == {"voice": 6}


@needs_root
def test_ipv6_has_a_queue_of_its_own_when_it_is_slow(rig):
    rig.apply(CONFIG, {"ipv6-slow": {"mbps": 90}})
    marked(rig, EF, EF, version=6)
    marked(rig, EF, EF)
    assert counted(rig, "port1") == {"voice": 3, "only ipv6": 3}
    assert "rate 90Mbit" in rig.output("tc", "class", "show", "dev", "port1")
