"""Faults of what is forwarded, session by session, with real traffic. Needs root."""

from __future__ import annotations

import os

import pytest
from dataplane_config import config, policy, refs
from dataplane_rig import CLIENT, CLIENT6, SERVER, SERVER6, Rig

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

ALL = config(policy(1, srcaddr6=refs("all"), dstaddr6=refs("all")))


def error_of(rig: Rig, *words: str, seconds: float = 1.5) -> str:
    return rig.iperf3(*words, seconds=seconds).get("error", "")


def test_sessions_are_reset_after_a_while(rig: Rig) -> None:
    rig.apply(ALL, {"sessions-reset": {"seconds": 0.5}})
    assert "reset" in error_of(rig)
    assert rig.tcp() == CLIENT  # what is quicker has its whole time
    assert rig.tcp(SERVER6) == CLIENT6
    rig.apply(ALL)
    assert not error_of(rig)


def test_the_first_datagram_of_a_flow_is_lost(rig: Rig) -> None:
    rig.apply(ALL, {"first-datagram-lost": {}})
    assert rig.udp() is None and rig.udp(SERVER6) is None
    assert rig.tcp() == CLIENT
    rig.apply(ALL)
    assert rig.udp() == CLIENT


def test_connections_begin_late(rig: Rig) -> None:
    """The rig waits for less than the second until a SYN is sent again."""
    rig.apply(ALL, {"sessions-begin-late": {}})
    assert rig.tcp() is None and rig.tcp(SERVER6) is None
    assert rig.udp() == CLIENT
    assert not error_of(rig)  # but it begins
    rig.apply(ALL)
    assert rig.tcp() == CLIENT


def test_large_packets_are_turned_away_and_their_sender_is_told(rig: Rig) -> None:
    rig.apply(ALL, {"mtu-small": {"bytes": 1300}})
    rig.udp(size=1400)
    assert "mtu 1300" in rig.client.spawn("ip", "route", "get", SERVER).communicate()[0]
    assert rig.udp(size=1200) == CLIENT
    rig.apply(ALL)
    assert "mtu 1500" in rig.output("ip", "link", "show", "port1")


def test_few_sessions_are_open_at_once(rig: Rig) -> None:
    rig.apply(ALL, {"few-sessions": {"sessions": 3}})
    report = rig.iperf3("-P", "2", seconds=1)  # and one that controls them
    assert "error" not in report
    rig.apply(ALL)
    rig.apply(ALL, {"few-sessions": {"sessions": 1}})
    with rig.listening(8080) as one, rig.listening(8081) as other:
        assert rig.connect(one, SERVER, 8080) == CLIENT
        assert rig.connect(other, SERVER, 8081) is None


def test_a_policer_lets_the_first_part_of_a_transfer_pass(rig: Rig) -> None:
    sent = ("-u", "-b", "500k", "-l", "125")  # 500 a second: a busy machine holds them, and late
    rig.apply(ALL, {"policed-after-burst": {"packets": 200, "burst": 300}})
    report = rig.iperf3(*sent, seconds=2)
    assert 10 < report["end"]["sum"]["lost_percent"] < 40  # of 1,000 at least 700 pass
    rig.apply(ALL)
    assert rig.iperf3(*sent)["end"]["sum"]["lost_percent"] < 5
