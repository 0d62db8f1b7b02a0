"""Which streams a trial of delays has, and what becomes of them with the real programs."""

from __future__ import annotations

import pytest
from local_shell import LocalShell

from crowd import Crowd
from gatepass.endpoint import beside_tcp, delay_probes
from gatepass.endpoint.beside_tcp import KIND as OF_PROBES
from gatepass.endpoint.beside_tcp import TO_CLIENT, TO_SERVER, BesideTcp
from gatepass.endpoint.delay_probes import LOAD, SHARE, Target, plan
from gatepass.results.datagrams import Stream
from gatepass.results.delays import LARGE, SMALL, Kind
from gatepass.results.trial import Load
from gatepass.verdict.queue_delay import joined, series_ms

KINDS = [Kind(size, version) for version in (4, 6) for size in (SMALL, LARGE)]
TARGET = Target(
    {4: "198.18.2.10", 6: "2001:2:0:2::10"}, {4: "198.18.3.20", 6: "2001:2:0:3::20"}, 5311, "", 5313
)


def mbps(streams: list[Stream]) -> float:
    """Of their frames, Mbit/s."""
    return sum(one.per_s * one.frames[0] * 8 / 1e6 for one in streams)


def through(streams: list[Stream]) -> list[Stream]:
    return [one for one in streams if one.address in TARGET.through.values()]


class TestPlan:
    """By hand."""

    def test_every_kind_goes_both_ways(self) -> None:
        streams = plan(TARGET, KINDS, 1.0, 300.0)
        assert len(streams) == 8 and LOAD not in {one.name for one in streams}
        assert {one.frames for one in streams} == {(64,), (82,), (1518,)}

    def test_no_port_is_taken_twice_or_by_another(self) -> None:
        ports = [one.port for one in plan(TARGET, KINDS, 1.0, 300.0, 300.0)]
        assert len(set(ports)) == len(ports) <= delay_probes.PORTS and 5313 not in ports

    @pytest.mark.parametrize("tier", [100.0, 300.0, 2000.0])
    def test_large_probes_are_hardly_a_load(self, tier: float) -> None:
        large = [one for one in through(plan(TARGET, KINDS, 1.0, tier)) if one.frames == (1518,)]
        assert len(large) == 2 and mbps(large) <= SHARE * tier + 1e-6

    @pytest.mark.parametrize("rate", [50.0, 300.0, 3000.0])
    def test_load_and_probes_together_have_the_rate(self, rate: float) -> None:
        streams = plan(TARGET, KINDS, 1.0, 300.0, rate)
        assert mbps(through(streams)) == pytest.approx(rate)
        (load,) = (one for one in streams if one.name == LOAD)
        assert load.segmented == (rate > 400)

    def test_a_version_without_an_address_is_left_out(self) -> None:
        streams = plan(Target({4: "198.18.2.10"}), KINDS, 1.0, 300.0)
        assert {one.address for one in streams} == {"198.18.2.10"}

    def test_a_control_takes_the_load_past_the_gateway(self) -> None:
        streams = plan(Target({}, TARGET.beside), KINDS, 1.0, 300.0, 150.0)
        assert {one.address for one in streams} == set(TARGET.beside.values())


def test_probes_and_load_with_the_programs(apart: LocalShell) -> None:
    kinds = [Kind(SMALL, 4), Kind(LARGE, 6)]
    target = Target({4: "127.0.0.1", 6: "::1"}, {4: "127.0.0.2"})
    crowd = Crowd()
    made = delay_probes.run(apart, apart, plan(target, kinds, 0.4, 20.0, 10.0), kinds)
    assert made.load is not None and made.load.received > 0
    assert crowd.accounts_for(made.load.sent - made.load.received)
    assert made.pairs[kinds[0]].beside is not None and made.pairs[kinds[1]].beside is None
    for pair in made.pairs.values():
        assert pair.through is not None and pair.through.received > 0
        assert crowd.accounts_for(pair.through.sent - pair.through.received)
        assert sum(count for _, count in pair.through.ticks) == pair.through.received
        assert len(pair.through.tick_delays) == len(pair.through.ticks)
        longest = max(most for _, most in pair.through.tick_delays)
        assert longest == pair.through.delay.percentile(100)
    assert set(made.record()) == {"small4 through", "small4 beside", "large6 through", "load"}


def test_probes_beside_tcp_with_the_programs(apart: LocalShell) -> None:
    there = Target({4: "127.0.0.1"}, {4: "127.0.0.2"}, 5311)
    back = Target({4: "127.0.0.3"}, {4: "127.0.0.4"}, 5331)
    load = Load(seconds=1, streams=2, interval_s=0.5, pace_mbps=40.0)
    crowd = Crowd()
    seen: BesideTcp = beside_tcp.run(apart, apart, there, back, 5201, load, 0.3)
    for way in (TO_SERVER, TO_CLIENT):
        assert seen.mbps[way] > 0
        assert seen.through(way).received > 0
        assert crowd.accounts_for(seen.through(way).sent - seen.through(way).received)
        assert len(series_ms(seen.trials[way].pairs[OF_PROBES])) >= 15
    assert seen.through(TO_CLIENT).sources == {"127.0.0.1"}


@pytest.mark.parametrize(
    ("count", "most", "length"), [(50, 60, 0.1), (61, 60, 0.2), (120, 60, 0.2), (300, 60, 0.5)]
)
def test_a_long_series_is_joined(count: int, most: int, length: float) -> None:
    series, step_s = joined([float(one) for one in range(count)], most)
    assert len(series) <= most and step_s == length and series[-1] == count - 1
