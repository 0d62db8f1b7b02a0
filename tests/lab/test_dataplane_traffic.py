"""The data plane with real traffic between network namespaces. Needs root."""

from __future__ import annotations

import os
import socket
import time

import pytest
from dataplane_config import address, config, policy, refs, shaper, shaping_policy
from dataplane_rig import CLIENT, CLIENT6, GATEWAY, GATEWAY6, SERVER, SERVER6, Rig, Transfer
from pyroute2 import IPRoute

from lab.gateway.dataplane import DataPlane, DataPlaneError

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

POOL, VIP = "198.18.2.100", "198.18.1.120"
ALL6 = {"srcaddr6": refs("all"), "dstaddr6": refs("all")}


@pytest.fixture
def rig(tmp_path):
    rig = Rig(tmp_path)
    try:
        yield rig
    finally:
        rig.close()


def vip(**attributes):
    row = {
        "name": "v1",
        "type": "static-nat",
        "extip": VIP,
        "extintf": "port2",
        "mappedip": [{"range": SERVER}],
        "portforward": "disable",
    }
    return row | attributes


def many(count: int) -> list[dict]:
    """Policies that match nothing of the test, with addresses and services to compare."""
    return [
        policy(number, dstaddr=refs("elsewhere"), service=refs("HTTP", "t8080"))
        for number in range(1, count + 1)
    ]


def test_nothing_passes_without_a_policy_and_the_implicit_deny_counts(rig):
    rig.apply(config())
    assert rig.tcp() is None
    assert rig.udp() is None
    assert rig.counters()[0].hit_count >= 2
    assert rig.counters()[0].bytes > 0


def test_a_policy_permits_one_way_only(rig):
    rig.apply(config(policy(1, service=refs("t8080", "PING"))))
    assert rig.tcp(port=8080) == CLIENT
    assert rig.ping(SERVER)
    assert rig.tcp(port=8081) is None
    assert rig.udp() is None
    assert rig.tcp(CLIENT, 8080, back=True) is None


def test_rows_decide_in_their_order_whatever_their_numbers(rig):
    deny, permit = policy(5, action="deny", service=refs("t8080")), policy(9)
    rig.apply(config(deny, permit))
    assert rig.tcp(port=8080) is None
    assert rig.tcp(port=8081) == CLIENT
    assert rig.counters()[5].hit_count >= 1
    rig.apply(config(permit, deny))
    assert rig.tcp(port=8080) == CLIENT


def test_addresses_services_and_negation_hold_in_the_kernel_as_in_the_lookup(rig):
    variants = [
        {"srcaddr": refs("client")},
        {"srcaddr": refs("elsewhere")},
        {"srcaddr": refs("elsewhere", "client")},
        {"dstaddr": refs("server"), "dstaddr_negate": "enable"},
        {"dstaddr": refs("elsewhere"), "dstaddr_negate": "enable"},
        {"service": refs("HTTP", "t8080")},
        {"service": refs("HTTP", "t8080"), "service_negate": "enable"},
        {"service": refs("u9000"), "service_negate": "enable"},
        {"srcintf": refs("any"), "dstintf": refs("port1", "port2")},
        {"srcintf": refs("port1")},
        {"status": "disable"},
    ]
    for attributes in variants:
        rig.apply(config(policy(1, **attributes)))
        found = rig.gateway(rig.plane.lookup, "port2", CLIENT, 6, SERVER, 8080)
        assert (rig.tcp(port=8080) is not None) == (found == (1, "accept")), attributes


def test_ipv6_has_its_own_addresses_in_the_policy(rig):
    rig.apply(config(policy(1)))
    assert rig.tcp(SERVER6) is None
    rig.apply(config(policy(1, **ALL6)))
    assert rig.tcp(SERVER6) == CLIENT6
    assert rig.tcp() == CLIENT
    rig.apply(config(policy(1, nat="enable", **ALL6)))
    assert rig.tcp(SERVER6) == GATEWAY6


def test_nat_by_interface_and_by_pool(rig):
    pools = [
        {"name": "one", "type": "overload", "startip": POOL, "endip": POOL},
        {"name": "some", "type": "overload", "startip": "198.18.2.104", "endip": "198.18.2.107"},
    ]
    rig.apply(config(policy(1, nat="enable"), ippool=pools))
    assert rig.tcp() == GATEWAY
    assert rig.udp() == GATEWAY
    for names, seen in (
        (["one"], {POOL}),
        (["some"], {f"198.18.2.{last}" for last in range(104, 108)}),
        (["one", "some"], {POOL, *(f"198.18.2.{last}" for last in range(104, 108))}),
    ):
        row = policy(1, nat="enable", ippool="enable", poolname=refs(*names))
        rig.apply(config(row, ippool=pools))
        assert rig.tcp() in seen
    session = next(
        item
        for item in rig.gateway(rig.plane.sessions, 50)
        if item["snaddr"].startswith("198.18.2.10")
    )
    assert session["saddr"] == CLIENT
    assert session["policyid"] == 1


def test_a_virtual_address_needs_a_policy_that_names_it(rig):
    rig.apply(config(policy(1), vip=[vip()]))
    assert rig.tcp(VIP) is None
    named = policy(2, dstaddr=refs("v1"), service=refs("t8080"))
    rig.apply(config(policy(1), named, vip=[vip()]))
    assert rig.tcp(VIP) == CLIENT
    assert rig.tcp(VIP, 8081) is None
    assert rig.tcp() == CLIENT
    assert rig.counters()[2].hit_count == 1
    rig.apply(config(policy(1, action="deny"), named, vip=[vip()]))
    assert rig.tcp(VIP) is None


def test_a_virtual_address_forwards_a_port(rig):
    forward = vip(portforward="enable", protocol="tcp", extport="80", mappedport="8080")
    rig.apply(config(policy(1, dstaddr=refs("v1"), service=refs("t8080")), vip=[forward]))
    with rig.listening(8080) as listener:
        assert rig.connect(listener, VIP, 80) == CLIENT
        assert rig.connect(listener, VIP, 81) is None


def test_counters_hold_both_directions_and_each_session(rig):
    rig.apply(config(policy(1)))
    transfer = Transfer(rig)
    try:
        assert transfer.goes_on()
        received = transfer.received
        counter = rig.counters()[1]
        assert counter.bytes >= received > 0
        assert (counter.hit_count, counter.active_sessions) == (1, 1)
        assert counter.last_used >= counter.first_used > time.time() - 60
    finally:
        transfer.stop()
    rig.gateway(rig.plane.clear_counters, [1])
    assert rig.counters()[1].hit_count == 0


def test_one_way_datagrams_are_one_session(rig):
    rig.apply(config(policy(1)))
    with rig.client.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for _ in range(50):
            sender.sendto(b"x" * 100, (SERVER, 9))
    assert rig.counters()[1].hit_count == 1
    assert rig.counters()[1].packets >= 50


def test_sessions_and_counters_survive_a_change(rig):
    rig.apply(config(policy(1)))
    transfer = Transfer(rig)
    try:
        before = rig.counters()[1].bytes
        for number in (100, 1000):
            rig.apply(config(*many(number)[1:], policy(1)))
            assert transfer.goes_on(0.1)
        rig.apply(config(policy(2, dstaddr=refs("elsewhere")), policy(1, nat="enable")))
        assert transfer.goes_on(0.1)
        assert rig.counters()[1].bytes > before
        assert rig.counters()[1].hit_count == 1
    finally:
        transfer.stop()


@pytest.mark.parametrize(
    "after",
    [[], [policy(1, status="disable")], [policy(1, action="deny")]],
    ids=["removed", "disabled", "denies"],
)
def test_a_session_ends_with_its_policy(rig, after):
    rig.apply(config(policy(1)))
    transfer = Transfer(rig)
    try:
        assert transfer.goes_on(0.1)
        rig.apply(config(*after))
        assert not transfer.goes_on()
    finally:
        transfer.stop()


def test_a_session_goes_on_under_another_policy(rig):
    rig.apply(config(policy(1)))
    transfer = Transfer(rig)
    try:
        rig.apply(config(policy(2)))
        assert transfer.goes_on()
        assert rig.counters()[2].bytes > 0
    finally:
        transfer.stop()


@pytest.mark.parametrize("count", [1000, 5000])
def test_the_last_of_many_policies_decides(rig, count):
    rig.apply(config(*many(count - 1), policy(count, nat="enable")))
    assert rig.tcp() == GATEWAY
    counters = rig.counters()
    assert len(counters) == count + 1
    assert counters[count].hit_count == 1
    assert counters[1].hit_count == 0
    rig.apply(config())
    assert rig.tcp() is None
    assert set(rig.counters()) == {0}


def test_a_configuration_that_cannot_be_read_changes_nothing(rig):
    rig.apply(config(policy(1)))
    broken = config(policy(2), ippool=[{"name": "p", "startip": "nonsense", "endip": "x"}])
    with pytest.raises(DataPlaneError, match="nonsense"):
        rig.apply(broken)
    assert rig.tcp() == CLIENT
    assert rig.counters()[1].hit_count == 1


def test_the_gateway_answers_only_what_allowaccess_names(rig):
    rows = config()
    rig.apply(rows)
    assert rig.ping("198.18.1.1")
    assert rig.ping("2001:2:0:1::1")
    closed = [row | {"allowaccess": "https", "ipv6": {}} for row in rows["system/interface"]]
    rig.apply(config(interface=closed))
    assert not rig.ping("198.18.1.1")
    with rig.gateway.socket(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.bind(("198.18.1.1", 443))
        listener.listen()
        assert rig.connect(listener, "198.18.1.1", 443) == CLIENT
        assert rig.connect(listener, "198.18.1.1", 80) is None


def test_static_routes_come_and_go(rig):
    def reachable() -> bool:
        return rig.tcp("10.20.0.1") is not None

    route = {
        "seq-num": 1,
        "dst": "10.20.0.0 255.255.0.0",
        "gateway": SERVER,
        "device": "port1",
        "distance": 10,
        "status": "enable",
    }
    rig.apply(config(policy(1)))
    rig.client(_to_elsewhere)
    rig.server(_be_elsewhere)
    assert not reachable()
    rig.apply(config(policy(1), static=[route]))
    assert "10.20.0.0/16" in [item["ip_mask"] for item in rig.gateway(rig.plane.routes)]
    assert reachable()
    rig.apply(config(policy(1), static=[route | {"status": "disable"}]))
    assert not reachable()


def _to_elsewhere() -> None:
    with IPRoute() as ipr:
        ipr.route("add", dst="10.20.0.0/16", gateway="198.18.1.1")


def _be_elsewhere() -> None:
    with IPRoute() as ipr:
        ipr.addr("add", index=1, address="10.20.0.1", prefixlen=32)


def test_another_process_takes_over_what_is_in_force(rig, tmp_path):
    rig.apply(config(*many(150), policy(200)))
    transfer = Transfer(rig)
    try:
        before = rig.counters()[200].bytes
        rig.plane = DataPlane(tmp_path)
        rig.apply(config(*many(120), policy(200)))
        assert transfer.goes_on(0.1)
        assert rig.counters()[200].bytes >= before > 0
    finally:
        transfer.stop()


def test_close_leaves_nothing(rig):
    rows = config(
        policy(1, nat="enable"),
        ippool=[{"name": "p", "type": "overload", "startip": POOL, "endip": POOL}],
        traffic_shaper=[shaper("s", 100_000)],
        shaping_policy=[shaping_policy(1, "s", "s")],
    )
    rig.apply(rows)
    rig.gateway(rig.plane.close)
    for argv in (["nft", "list", "ruleset"], ["ip", "route", "show", "table", "all"]):
        text = _output(rig, *argv)
        assert "gatepass" not in text
        assert "198.18" not in text
    assert "htb" not in _output(rig, "tc", "qdisc", "show")
    assert _output(rig, "cat", "/proc/sys/net/ipv4/ip_forward").strip() == "0"


def _output(rig: Rig, *argv: str) -> str:
    return rig.gateway.spawn(*argv).communicate(timeout=10)[0]


# Shapers

SHAPED = {
    "traffic_shaper": [shaper("sgw-200", 322_000), shaper("narrow", 50, "mbps")],
    "shaping_policy": [shaping_policy(1, "sgw-200", "sgw-200")],
}


def _received_mbps(report: dict) -> float:
    return report["end"]["sum_received"]["bits_per_second"] / 1e6


def _holds(report: dict, mbps: float) -> bool:
    # A busy machine may leave a short run something short of the rate, never above it.
    return 0.85 * mbps < _received_mbps(report) < 1.03 * mbps


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
    shown = _output(rig, "tc", "-s", "class", "show", "dev", "port1")
    assert "rate 322Mbit" in shown
    rig.apply(config(policy(2, dstaddr=refs("elsewhere")), policy(1), **SHAPED))
    assert (
        _output(rig, "tc", "-s", "class", "show", "dev", "port1").splitlines()[1]
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


@pytest.mark.parametrize(
    ("fault", "low", "high"),
    [("shaper-below-tier", 205, 255), ("shaper-missing", 600, 1e6)],
)
def test_faults_of_the_shaper(rig, fault, low, high):
    rig.apply(config(policy(1), **SHAPED), {fault: {}})
    assert low < _received_mbps(rig.iperf3(seconds=1)) < high
