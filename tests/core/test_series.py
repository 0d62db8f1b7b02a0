"""The rate over time that stands for a measurement's trials."""

from __future__ import annotations

from gatepass.results.record import Measurement, dump, parse
from gatepass.results.trial import Trial
from gatepass.verdict.judgement import Rule
from gatepass.verdict.throughput import LONGEST_SERIES, Trials


def trial(mbps: float, intervals: tuple[float, ...], interval_s: float = 1.0) -> Trial:
    return Trial(
        mbps, 1, 1, 2.0, intervals, 0, None, 1.0, 5.0, 5.0, frozenset(), interval_s=interval_s
    )


def measured(*trials: Trial) -> Measurement:
    return Trials(trials, Rule(1, 9, 0.95), "TCP goodput").measurement("stateful_throughput")


def test_it_is_the_median_trials() -> None:
    trials = [trial(30, (29.04, 31)), trial(10, (9, 11)), trial(20, (19.96, 20.04))]
    found = measured(*trials)
    assert (found.series, found.series_interval_s) == ((20.0, 20.0), 1.0)


def test_a_long_one_is_bounded_and_keeps_its_mean() -> None:
    found = measured(trial(50, tuple(float(n) for n in range(90)), 10))
    assert len(found.series) == 45 <= LONGEST_SERIES
    assert found.series[:2] == (0.5, 2.5)
    assert found.series_interval_s == 20


def test_trials_without_intervals_have_none() -> None:
    found = measured(trial(50, (), 0))
    assert (found.series, found.series_interval_s) == ((), None)


def test_it_survives_output_xml() -> None:
    found = measured(trial(50, (49.5, 50.5), 0.25))
    assert parse(dump("measurement", found)) == ("measurement", found)
