"""The data plane with real traffic between network namespaces. Needs root."""

from __future__ import annotations

import os
import socket
import time

import pytest
from dataplane_config import config, policy, refs, shaper, shaping_policy
from dataplane_rig import CLIENT, CLIENT6, GATEWAY, GATEWAY6, SERVER, SERVER6, Transfer
from pyroute2 import IPRoute

from lab.gateway.dataplane import DataPlane, DataPlaneError

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

POOL, VIP = "198.18.2.100", "198.18.1.120"
ALL6 = {"srcaddr6": refs("all"), "dstaddr6": refs("all")}


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
    before = rig.gateway(rig.plane.session_counts)
    assert rig.tcp(SERVER6) == CLIENT6
    assert rig.gateway(rig.plane.session_counts) == (before[0], before[1] + 1)
    assert rig.tcp() == CLIENT
    assert rig.gateway(rig.plane.session_counts) == (before[0] + 1, before[1] + 1)
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


def test_an_object_that_cannot_be_read_holds_up_no_other(rig):
    rig.apply(config(policy(1)))
    broken = config(policy(2), ippool=[{"name": "p", "startip": "nonsense", "endip": "x"}])
    with pytest.raises(DataPlaneError, match=r"firewall/ippool p .*nonsense"):
        rig.apply(broken)
    assert rig.tcp() == CLIENT
    assert rig.counters()[2].hit_count == 1


def test_a_part_that_fails_goes_back_alone(rig):
    told = []

    class Failing:
        share = ()

        def apply(self, intent):
            told.append(len(intent.policies))
            if len(intent.policies) == 2:
                raise DataPlaneError("It does not want two.")

        def close(self):
            pass

    rig.plane.parts.insert(0, Failing())
    rig.apply(config(policy(1)))
    with pytest.raises(DataPlaneError, match=r"^It does not want two\.$"):
        rig.apply(config(policy(2), policy(3)))
    assert told == [1, 2, 1]
    assert rig.tcp() == CLIENT
    assert rig.counters()[2].hit_count == 1


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
        text = rig.output(*argv)
        assert "gatepass" not in text
        assert "198.18" not in text
    assert "htb" not in rig.output("tc", "qdisc", "show")
    assert rig.output("cat", "/proc/sys/net/ipv4/ip_forward").strip() == "0"
