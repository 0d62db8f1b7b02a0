"""Shapers and faults of the data plane with real traffic. Needs root."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

import pytest
from dataplane_config import address, config, policy, refs, shaper, shaping_policy
from dataplane_rig import CLIENT, CLIENT6, GATEWAY, SERVER, SERVER6

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

SHAPED = {
    "traffic_shaper": [shaper("sgw-200", 322_000), shaper("narrow", 50, "mbps")],
    "shaping_policy": [shaping_policy(1, "sgw-200", "sgw-200")],
}


def _received_mbps(report: dict) -> float:
    return report["end"]["sum_received"]["bits_per_second"] / 1e6


def _holds(report: dict, mbps: float) -> bool:
    # Which shaper applies, also on a machine that is busy with something else; how exactly it
    # holds, the queue's own count tells elsewhere.
    return 0.2 * mbps < _received_mbps(report) < 1.1 * mbps


@pytest.mark.parametrize("way", [[], ["-R"]], ids=["forward", "reverse"])
def test_a_shaping_policy_holds_each_direction(rig, way):
    rig.apply(config(policy(1), **SHAPED))
    report = rig.iperf3("-P", "4", *way)
    assert _holds(report, 308)


def test_a_policys_own_shaper_applies_where_no_shaping_policy_does(rig):
    own = policy(1, traffic_shaper="narrow", traffic_shaper_reverse="sgw-200")
    rig.apply(config(own, **SHAPED))
    assert _holds(rig.iperf3(seconds=1), 308)
    rig.apply(config(own, traffic_shaper=SHAPED["traffic_shaper"]))
    assert _holds(rig.iperf3(seconds=1), 47.8)


def test_a_change_beside_the_shapers_leaves_the_queues_alone(rig):
    rig.apply(config(policy(1), **SHAPED))
    rig.udp()
    shown = rig.output("tc", "-s", "class", "show", "dev", "port1")
    assert "rate 322Mbit" in shown
    rig.apply(config(policy(2, dstaddr=refs("elsewhere")), policy(1), **SHAPED))
    assert (
        rig.output("tc", "-s", "class", "show", "dev", "port1").splitlines()[1]
        == (shown.splitlines()[1])
    )


# Faults: each shows, and goes with its end.

BASE = config(
    policy(1, dstaddr=refs("elsewhere")),
    policy(2, status="disable", service=refs("HTTP")),
    policy(3, service=refs("t8080"), nat="enable"),
    policy(4, service=refs("t8080", "u9000")),
    address=[address("unused", "10.99.0.0 255.255.0.0")],
)


@pytest.mark.parametrize(
    ("fault", "probe", "sound", "faulty"),
    [
        ("nat-not-applied", lambda rig: rig.tcp(), GATEWAY, CLIENT),
        ("nat-always", lambda rig: rig.udp(), CLIENT, GATEWAY),
        ("policy-missing", lambda rig: rig.udp(), CLIENT, None),
        ("deny-above", lambda rig: rig.tcp(), GATEWAY, None),
        ("any-any", lambda rig: rig.tcp(port=81), None, CLIENT),
        ("one-way-open", lambda rig: rig.tcp(CLIENT, 81, back=True), None, SERVER),
        ("ipv6-open", lambda rig: rig.tcp(SERVER6, 81), None, CLIENT6),
        ("disabled-policy-active", lambda rig: rig.tcp(port=80), None, CLIENT),
        ("order-reversed", lambda rig: rig.tcp(), GATEWAY, CLIENT),
        ("counters-zero", lambda rig: rig.tcp() and rig.counters()[3].bytes > 0, True, False),
        (
            "implicit-deny-uncounted",
            lambda rig: rig.tcp(port=81) or rig.counters()[0].hit_count > 0,
            True,
            False,
        ),
    ],
)
def test_each_fault_shows_and_goes(rig, fault, probe, sound, faulty):
    rig.apply(BASE, {fault: {}})
    assert probe(rig) == faulty
    rig.apply(BASE)
    assert probe(rig) == sound


def test_ipv6_may_not_pass_although_permitted(rig):
    both = policy(1, srcaddr6=refs("all"), dstaddr6=refs("all"))
    for faults, seen in (({}, CLIENT6), ({"ipv6-not-forwarded": {}}, None)):
        rig.apply(config(both), faults)
        assert (rig.tcp(SERVER6), rig.tcp()) == (seen, CLIENT)


def test_fault_not_applied_keeps_what_was_in_force(rig):
    rig.apply(BASE)
    rig.apply(config(), {"not-applied": {}})
    assert rig.tcp() == GATEWAY
    rig.apply(config())
    assert rig.tcp() is None


def test_fault_packet_loss(rig):
    def arrived() -> int:
        with (
            rig.server.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver,
            rig.client.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
        ):
            receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 21)
            receiver.bind((SERVER, 9000))
            for _ in range(1000):
                sender.sendto(b"x" * 100, (SERVER, 9000))
            receiver.settimeout(0.2)
            count = 0
            try:
                while receiver.recv(200):
                    count += 1
            except TimeoutError:
                return count

    rig.apply(BASE, {"packet-loss": {"percent": 20}})
    assert 700 <= arrived() <= 900
    rig.apply(BASE)
    assert arrived() == 1000


def test_fault_mss_small(rig):
    def segment() -> int:
        return rig.iperf3(seconds=1)["start"]["tcp_mss_default"]

    rig.apply(config(policy(1)), {"mss-small": {"bytes": 216}})
    assert segment() == 204  # and 12 bytes of time stamps
    rig.apply(config(policy(1)))
    assert segment() == 1448


def test_fault_gateway_cpu_busy(rig):
    rig.apply(config(policy(1)))
    free = _received_mbps(rig.iperf3(seconds=1))
    rig.apply(config(policy(1)), {"gateway-cpu-busy": {}})
    busy = _received_mbps(rig.iperf3(seconds=1))
    assert busy < min(160, free / 2)
    assert _idle_share() < 0.05
    rig.apply(config(policy(1)))
    assert _received_mbps(rig.iperf3(seconds=1)) > 1.5 * busy


def _idle_share(seconds: float = 0.5) -> float:
    """How much of all processors nobody used."""

    def times() -> list[int]:
        return [int(field) for field in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]

    before = times()
    time.sleep(seconds)
    passed = [now - then for then, now in zip(before, times(), strict=True)]
    return passed[3] / sum(passed)


def _classes(rig) -> str:
    return rig.output("tc", "class", "show", "dev", "port1")


def test_faults_of_the_shaper(rig):
    rig.apply(config(policy(1), **SHAPED), {"shaper-below-tier": {}})
    assert "rate 257600Kbit" in _classes(rig)
    assert _received_mbps(rig.iperf3(seconds=1)) < 255
    rig.apply(config(policy(1), **SHAPED), {"shaper-missing": {}})
    assert "rate" not in _classes(rig)
    rig.apply(config(policy(1), **SHAPED))
    assert "rate 322Mbit" in _classes(rig)
