"""How often a change is pointed out where there is none, by simulation with a fixed seed.

docs/history.md gives these rates; a change of the rule that makes more noise fails here.
"""

from __future__ import annotations

import random

import pytest

from gatepass.history.changes import changes
from history_examples import series, simulated

SERIES = 400
LENGTHS = (2, 3, 5, 10, 20)


def _alarms(between: float, within: float, lengths: tuple[int, ...] = LENGTHS) -> float:
    """The share of series of all these lengths in which something is pointed out, in per cent."""
    chance = random.Random(20261121)
    told = [
        bool(changes(simulated(chance, runs, between, within)))
        for runs in lengths
        for _ in range(SERIES)
    ]
    return sum(told) / len(told) * 100


@pytest.mark.parametrize(
    ("between", "within", "most_percent"),
    [
        (0.002, 0.002, 0.0),  # a shaper limits
        (0.01, 0.005, 0.1),
        (0.02, 0.02, 0.1),  # a CPU limits
        (0.05, 0.05, 0.1),
        (0.05, 0.02, 0.5),
        (0.08, 0.03, 0.5),  # runs that differ much more than the trials of one
    ],
)
def test_false_alarms_are_rare(between: float, within: float, most_percent: float) -> None:
    assert _alarms(between, within) <= most_percent


@pytest.mark.parametrize(("share", "mean"), [(0.05, 0.005), (0.3, 0.005), (0.05, 0.02), (1, 0.01)])
def test_a_little_loss_now_and_then_is_no_change(share: float, mean: float) -> None:
    """Of 0.05 % that are allowed: in so many trials, so much on average."""
    chance = random.Random(3)

    def trial() -> float:
        return chance.expovariate(1 / mean) if chance.random() < share else 0.0

    about = {"unit": "%", "threshold": 0.05, "relation": "at most"}
    told = [
        bool(changes(series([[trial() for _ in range(3)] for _ in range(runs)], **about)))
        for runs in LENGTHS
        for _ in range(SERIES // 4)
    ]
    assert sum(told) / len(told) * 100 <= 0.5


def test_a_machine_that_deceives_two_runs_does_not_deceive_twenty() -> None:
    """Ten times as much between the runs as within them: no trial can tell of it."""
    assert _alarms(0.05, 0.005, (2, 3)) > 5
    assert _alarms(0.05, 0.005, (20,)) <= 2.5


def test_ten_runs_of_a_gateway_without_a_change() -> None:
    """All figures of 100 gateways, ten runs each: 25 limited by the shaper, 5 by the CPU."""
    chance = random.Random(5)
    alarms = sum(
        bool(changes(simulated(chance, 10, between, within)))
        for _ in range(100)
        for between, within, count in ((0.002, 0.002, 25), (0.03, 0.015, 5))
        for _ in range(count)
    )
    assert alarms <= 1


@pytest.mark.parametrize(("runs", "at", "least_percent"), [(2, 1, 95), (3, 2, 95), (10, 5, 99)])
def test_a_real_step_is_found(runs: int, at: int, least_percent: float) -> None:
    """A tenth less, where a shaper limits."""
    chance = random.Random(7)
    found = 0
    for _ in range(SERIES):
        whole = simulated(chance, runs, 0.002, 0.002)
        trials = [point.trials for point in whole.points]
        stepped = trials[:at] + [tuple(rate * 0.9 for rate in run) for run in trials[at:]]
        told = changes(series(stepped))
        found += len(told) == 1 and len(told[0].before) == at
    assert found / SERIES * 100 >= least_percent
