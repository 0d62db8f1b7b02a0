"""When frames leave that are impaired, and what the faults make of it: no root needed."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import pairwise
from random import Random

import pytest
from dataplane_config import config, policy

from lab.gateway.dataplane.faults.network import with_faults
from lab.gateway.dataplane.intent.compile import compile_config
from lab.gateway.dataplane.nft.leaving import detour_table, leaving_rules
from lab.impairment.line import Line
from lab.impairment.plan import Gap, Plan, read

BEGAN = 1_000.0


def line(**plan: object) -> Line:
    return Line(Plan(**plan), BEGAN, Random(1))


def departures(way: Line, count: int = 1_000, apart_s: float = 0.001, octets: int = 100) -> list:
    """When frames leave that come in one after the other: (came, departures) of each."""
    times = [BEGAN + number * apart_s for number in range(count)]
    return [(came, way.departures(came, octets)) for came in times]


def delays(found: list) -> list[float]:
    return [due - came for came, dues in found for due in dues]


def test_each_is_held_for_the_delay():
    assert delays(departures(line(delay_ms=20.0))) == pytest.approx([0.020] * 1_000)
    assert delays(departures(line())) == [0.0] * 1_000


@pytest.mark.parametrize("apart_s", [0.0001, 0.001, 0.01, 1.0])
def test_jitter_varies_whatever_the_distance_and_none_overtakes(apart_s):
    found = departures(line(jitter_ms=10.0, delay_ms=5.0), 5_000, apart_s)
    held = sorted(delays(found))
    assert 0.005 <= held[0] < 0.006
    assert 0.014 < held[-1] < 0.0151
    assert held[-250] - held[250] > 0.005, "nearly all were held for the same time"
    assert all(first[0] <= second[0] for (_, first), (_, second) in pairwise(found))


def test_some_are_overtaken():
    found = departures(line(overtaken_percent=5.0, overtaken_ms=10.0), 10_000)
    late = [came for came, (due,) in found if due > came]
    assert 400 < len(late) < 600
    assert all(due - came == pytest.approx(0.010) for came, (due,) in found if due > came)


def test_some_leave_twice():
    twice = [dues for _, dues in departures(line(doubled_percent=5.0), 10_000) if len(dues) == 2]
    assert 400 < len(twice) < 600
    assert all(first == second for first, second in twice)


def test_nothing_passes_in_the_gaps_and_all_else_does():
    found = departures(line(gaps=(Gap(1.5, 5.0),)), 20_000)
    lost = [came - BEGAN for came, dues in found if not dues]
    assert len(lost) == pytest.approx(6_000, abs=4)
    assert all(moment % 5 > 3.499 for moment in lost)


def test_a_buffer_fills_above_its_rate_and_never_further_than_it_is_deep():
    below = delays(departures(line(full_mbps=100.0, buffer_ms=150.0), apart_s=0.001, octets=12_000))
    assert max(below) < 0.001
    above = delays(departures(line(full_mbps=100.0, buffer_ms=150.0), apart_s=0.001, octets=25_000))
    assert above[:150] == pytest.approx([0.001 * number for number in range(150)])
    assert above[150:] == pytest.approx([0.149] * 850), "but for what the time between them empties"


def test_a_plan_is_told_as_json():
    plan = Plan(delay_ms=1.5, gaps=(Gap(1.5, 5.0), Gap(0.05, 2.0)))
    assert read(json.loads(json.dumps(asdict(plan)))) == plan


@pytest.mark.parametrize(
    ("faults", "expected"),
    [
        ({"latency": {}}, Plan(delay_ms=20.0)),
        ({"latency-by-policies": {}}, Plan(delay_ms=0.06)),
        ({"latency": {}, "latency-by-policies": {}}, Plan(delay_ms=20.06)),
        ({"latency-under-load": {}}, Plan(full_mbps=100.0, buffer_ms=150.0)),
        ({"jitter": {"milliseconds": 3.0}}, Plan(jitter_ms=3.0)),
        ({"reordering": {}}, Plan(overtaken_percent=1.0, overtaken_ms=10.0)),
        ({"duplication": {}}, Plan(doubled_percent=1.0)),
        ({"loss-bursts": {}, "outages": {}}, Plan(gaps=(Gap(0.05, 2.0), Gap(1.5, 5.0)))),
        ({"outages": {"seconds": 9.0}}, Plan(gaps=(Gap(9.0, 9.0),))),
        ({"packet-loss": {}}, Plan()),
    ],
)
def test_what_a_fault_does(faults, expected):
    rows = config(policy(1), policy(2), policy(3, status="disable"), policy(4))
    assert with_faults(compile_config(rows), faults).impairment == expected


def test_only_what_is_forwarded_takes_the_detour():
    sound = compile_config(config(policy(1)))
    assert leaving_rules(sound) == []
    (rule,) = leaving_rules(with_faults(sound, {"latency": {}}))
    assert rule.startswith('iifname { "port1", "port2" } oifname { "port1", "port2" } meta mark')
    assert 'device "port1" priority filter; meta mark 0x47600000 fwd to "tap1"' in detour_table()
