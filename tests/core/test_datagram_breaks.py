"""Datagrams on a path that does something to them: what was sent is told, and all of it counts."""

from __future__ import annotations

import pytest
from local_shell import LocalShell
from test_iperf_breaks import impair

from carried_examples import PORT, carried_of, stream
from gatepass.base.errors import NotProven
from gatepass.endpoint import overload
from gatepass.endpoint.datagrams import DatagramTrial
from gatepass.endpoint.script import Script
from gatepass.results.datagrams import Carried
from gatepass.results.trial import Load

pytestmark = pytest.mark.usefixtures("one_host")
SIXTH = {"address": "::1", "port": PORT + 1}


def sent(shell: LocalShell, **more: object) -> Carried:
    one = stream(frames=(1446,), per_s=2000.0, seconds=0.5, **more)
    return DatagramTrial(shell, shell, [one]).wait()["one"]


@pytest.mark.parametrize("segmented", [False, True])
@pytest.mark.parametrize("where", [{}, SIXTH])
def test_a_path_that_takes_no_large_packets_loses_them(
    apart: LocalShell, where: dict, segmented: bool
) -> None:
    """The kernel knows of a smaller path MTU: it is told, and what is sent stays as it is."""
    family = "-6 " if where else ""
    address = where.get("address", "127.0.0.1")
    impair(apart, f"udp dport {PORT}-{PORT + 1} meta length > 1380 drop")
    narrow = f"ip {family}route replace local {address} dev lo table local mtu 1400"
    told = apart.run(Script(narrow))
    assert told.status == 0, told.errors
    carried = sent(apart, segmented=segmented, **where)
    assert carried.lost == carried.sent > 0
    if not where:  # of IPv6 the kernel keeps no route to itself with an MTU of its own
        assert (carried.path_mtu, carried.too_large) == (1400, True)


def test_what_its_own_interface_cannot_carry_is_cut_up(apart: LocalShell) -> None:
    apart.run(Script("ip link set lo mtu 1300"))
    carried = sent(apart)
    assert carried.received == carried.sent > 0
    assert carried.path_mtu == 1300


@pytest.mark.parametrize("verdict", ["reject", "reject with icmp admin-prohibited"])
def test_what_is_turned_away_was_sent_all_the_same(apart: LocalShell, verdict: str) -> None:
    impair(apart, f"udp dport {PORT} {verdict}")
    carried = sent(apart)
    assert carried.lost == carried.sent > 0


def test_the_first_that_is_lost_is_one_of_those_that_are_missing(apart: LocalShell) -> None:
    flow = "ip saddr . udp sport . ip daddr . udp dport"
    impair(apart, f"udp dport {PORT} {flow} != @seen add @seen {{ {flow} }} drop")
    carried = sent(apart)
    assert carried.lost == carried.sent - carried.received == 1
    assert carried.gaps[0][:2] == (0, 1)


def ticks(count: int, arrived: int) -> Carried:
    """A load for so many tenths of a second, of which so many came through."""
    one = stream(frames=(1446,), per_s=10000.0, seconds=3.0)
    each = tuple((1000, 1000 if place < arrived else 0) for place in range(count))
    return carried_of(
        stream=one,
        sent=1000 * count,
        received=1000 * arrived,
        sending_s=count / 10,
        ticks=each,
        arrivals=(1000,) * arrived,
    )


@pytest.mark.parametrize(("arrived", "mbps", "lost"), [(0, 0, 100), (16, 52.3, 50), (32, 112, 0)])
def test_an_overload_that_stops_counts_for_its_whole_time(
    arrived: int, mbps: float, lost: float
) -> None:
    trial = overload.trial_of(ticks(32, arrived), Load(3, udp_mbps=112.0, interval_s=0.5))
    assert trial.mbps == pytest.approx(mbps, abs=0.3)
    assert trial.lost_percent == pytest.approx(lost, abs=0.2)
    assert trial.seconds == pytest.approx(3)


def test_an_overload_that_was_never_sent_is_the_rigs() -> None:
    with pytest.raises(NotProven, match="no datagrams were sent"):
        overload.trial_of(ticks(0, 0), Load(3, udp_mbps=112.0))
