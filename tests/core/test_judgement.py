"""From figures to a verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import chain, repeat
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepass.base.errors import NotProven
from gatepass.results.record import Measurement
from gatepass.stats.intervals import Interval, interval
from gatepass.verdict.judgement import (
    ALL_ASIDE,
    FAIL,
    FEWEST_CONTROLS,
    PASS,
    UNDECIDED,
    Rig,
    Rule,
    TrialSeries,
    conclude,
    decide,
    until_decided,
)
from said import measurement

FAST = (314.0, 314.6)  # the path without the gateway, paced to 315
SLOW = (314.0, 299.0)  # fell short of the promise itself once
UNEVEN = (314.0, 303.0)  # carried the promise, and 4 % less than it was asked for
UNASKED = ()
NONE = None
LIMIT = "The client was at its own limit."


def figure(value: float, half_width: float | None, relation: str, trials: int = 3) -> Measurement:
    """A throughput that was measured, held against 300 Mbit/s."""
    return measurement(
        "Stateful throughput",
        "1 policy",
        value,
        "Mbit/s",
        half_width=half_width,
        trials=(value,) * trials,
        threshold=300.0,
        relation=relation,
    )


def verdict(measurement: Measurement, rig: Rig) -> str:
    """The verdict and its sentence."""
    try:
        conclude(measurement, rig, lambda: "It is the shaper.")
    except AssertionError as error:
        return f"fail: {error}"
    except NotProven as error:
        return str(error)
    return "pass"


@pytest.mark.parametrize(
    ("relation", "value", "half_width", "rates", "limit", "wanted", "because"),
    [
        ("at least", 310, 10, FAST, "", "pass", ""),  # the lower bound reaches it
        ("at least", 310, 10, SLOW, "", "pass", ""),
        ("at least", 310, 10, NONE, LIMIT, "pass", ""),
        ("at least", 310, 10.1, FAST, "", "Not proven", "both sides"),
        ("at least", 290, 10, FAST, "", "Not proven", "both sides"),  # upper is not under it
        ("at least", 289, 10, FAST, "", "fail", "It is the shaper."),
        ("at least", 289, 10, SLOW, "", "Not proven", "(2 trials, the slowest 299)"),
        ("at least", 289, 10, UNEVEN, "", "Not proven", "(2 trials, the slowest 303)"),
        ("at least", 270, 10, UNEVEN, "", "fail", "It is the shaper."),
        ("at least", 289, 10, NONE, "", "Not proven", "direct_address"),
        ("at least", 289, 10, FAST, LIMIT, "Not proven", "client was at its own limit"),
        ("at least", 289, 10, FAST, "", "fail", "289 ± 10"),
        ("at least", 295, 10, UNASKED, "", "Not proven", "about 12 like these would decide"),
        ("at least", 289, None, FAST, "", "Not proven", "no spread"),
        ("at least", 500, None, FAST, "", "Not proven", "no spread"),
        ("at least", 0, 0, FAST, "", "fail", "at least 300 Mbit/s"),
        ("at most", 290, 10, FAST, "", "pass", ""),
        ("at most", 290, 10.1, FAST, "", "Not proven", "both sides"),
        ("at most", 311, 10, FAST, "", "fail", "at most 300 Mbit/s"),
        ("at most", 310, 10, FAST, "", "Not proven", "both sides"),
        ("at most", 311, None, FAST, "", "Not proven", "no spread"),
    ],
)
def test_the_verdict(relation, value, half_width, rates, limit, wanted, because) -> None:
    told = verdict(figure(value, half_width, relation), Rig(rates, limit))
    assert told.startswith(wanted)
    assert because in told


def test_a_pass_asks_the_rig_nothing() -> None:
    def never(held: object = None) -> str:
        raise RuntimeError("asked")

    asked = SimpleNamespace(limits=never)
    conclude(figure(310, 1, "at least"), asked, never)
    with pytest.raises(NotProven):
        conclude(figure(300, 5, "at least"), Rig((), "slow"), never)


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ([310, 311, 310, 999], 3),  # decided at the fewest
        ([200, 201, 200, 999], 3),
        ([304, 318, 309, 303, 316, 303], 6),  # the budget is spent
        ([305, 345, 330, 331, 332, 330], 5),
        ([305, 311, 308, 308, 308, 308], 4),  # decided by one more
        ([280, 320, 300, 301, 299, 300, 300, 300], 4),  # what is left could not decide any more
        ([250, 310, 311, 312, 320, 390], 4),
    ],
)
def test_trials_are_repeated_until_they_decide(figures: list[float], expected: int) -> None:
    series = tried(figures, Rule(3, 6, 0.95))
    assert series.counted == figures[:expected]
    assert not series.aside and not series.controls


def test_by_intervals_one_trial_suffices() -> None:
    trials = iter([[310.0, 312.0, 311.0], [1.0]])
    rule = Rule(1, 2, 0.95, by_intervals=True)
    done = until_decided(
        lambda: next(trials), lambda made: list(chain.from_iterable(made)), rule, 300
    )
    assert len(done.counted) == 1


def test_both_promises_are_decided_about() -> None:
    figures = chain([299.0, 305.0, 302.0], repeat(302.0))
    rule = Rule(3, 30, 0.95)
    done = until_decided(
        lambda: next(figures), lambda trials: trials, rule, 290, at_most=303.5
    ).counted
    value = rule.interval(done)
    assert len(done) > 3
    assert decide(value, 290) == PASS and decide(value, 303.5, "at most") == PASS


def tried(
    figures: Iterable[float], rule: Rule, controls: Iterable[float] = (), **more
) -> TrialSeries:
    """A series of trials that came out like this, about 300 Mbit/s."""
    source, without = iter(figures), iter(controls)
    control = (lambda: next(without)) if controls else None
    return until_decided(
        lambda: next(source), lambda trials: trials, rule, 300, control=control, **more
    )


def test_what_the_rig_disturbed_counts_for_nobody_and_is_repeated() -> None:
    def disturbed(rate: float) -> str:
        return "the rig was busy" if rate in (150, 900) else ""

    series = tried([150, 310, 900, 311, 310, 999], Rule(3, 9, 0.95), disturbed=disturbed)
    assert series.counted == [310, 311, 310]
    assert [rate for rate, _ in series.aside] == [150, 900]
    assert series.spent == 5


def test_disturbed_trials_are_repeated_within_the_budget() -> None:
    series = tried(repeat(310), Rule(3, 7, 0.95), disturbed=lambda rate: "busy")
    assert (len(series.counted), len(series.aside)) == (0, 7)


def test_a_rig_that_lets_none_count_ends_it_before_the_budget_is_spent() -> None:
    series = tried(repeat(310), Rule(3, 15, 0.95), disturbed=lambda rate: "busy")
    assert (series.counted, series.spent) == ([], ALL_ASIDE)
    seldom = chain(repeat(310, ALL_ASIDE - 1), [311], repeat(310))
    series = tried(seldom, Rule(3, 15, 0.95), disturbed=lambda rate: "busy" * (rate == 310))
    assert (series.counted, series.spent) == ([311], 15)


class TestControls:
    """The path without the gateway takes turns with trials that fall short."""

    def test_a_rate_that_is_reached_needs_none(self) -> None:
        assert tried([310, 311, 310], Rule(3, 9, 0.95), repeat(314)).controls == []

    def test_those_that_fall_short_have_three_and_the_trials_have_the_rest(self) -> None:
        series = tried([290, 291, 290, 291, 999], Rule(3, 12, 0.95), repeat(314))
        assert (len(series.counted), series.controls) == (4, [314, 314, 314])

    def test_a_fail_waits_for_them(self) -> None:
        # the first long trial decides, and there has been one control
        trials, without = repeat([290.0, 291.0, 290.5] * 4), repeat([314.0])
        series = until_decided(
            lambda: next(trials),
            lambda made: list(chain.from_iterable(made)),
            Rule(1, 9, 0.95, by_intervals=True),
            300,
            control=lambda: next(without),
        )
        assert (len(series.counted), len(series.controls)) == (2, FEWEST_CONTROLS)

    def test_one_that_was_disturbed_is_not_one_of_them(self) -> None:
        rule, trials, without = Rule(3, 12, 0.95), repeat(290), chain([314], repeat(100))
        series = tried(trials, rule, without, disturbed=lambda rate: "busy" * (rate == 100))
        assert (series.spent, len(series.controls)) == (12, 6)

    def test_a_fail_does_not_stand_on_fewer(self) -> None:
        told = verdict(figure(290, 2, "at least"), Rig([314], fewest=FEWEST_CONTROLS))
        assert told.startswith("Not proven: ") and "tried 1 time undisturbed" in told
        assert verdict(figure(290, 2, "at least"), Rig(FAST, fewest=2)).startswith("fail")

    def test_they_are_of_the_budget(self) -> None:
        assert tried(chain([250, 340] * 9), Rule(3, 8, 0.95), repeat(314)).spent <= 8


@pytest.mark.parametrize(
    ("value", "tried_", "verdict_"), [(75, 75, "pass"), (74, 75, "fail")]
)
def test_a_count_is_held_against_its_promise_as_it_stands(value, tried_, verdict_) -> None:
    count = measurement(
        "Proxy users", "", value, "users", observed=True, tried=tried_, threshold=75.0
    )
    assert verdict(count, Rig(FAST)).startswith(verdict_)


samples = st.lists(st.floats(0, 1000), min_size=1, max_size=12)


@given(samples, st.floats(1, 1000), st.sampled_from(["at least", "at most"]))
def test_no_verdict_on_the_wrong_side(figures: list[float], threshold: float, relation: str):
    value = interval(figures, 0.95)
    told = decide(value, threshold, relation)
    good, bad = (value.lower, value.upper) if relation == "at least" else (
        -value.upper,
        -value.lower,
    )
    limit = threshold if relation == "at least" else -threshold
    assert (told == PASS) == (good >= limit)
    assert (told == FAIL) == (bad < limit)
    if len(figures) < 2:
        assert told == UNDECIDED


@given(samples, st.floats(0, 1000), st.sampled_from(["", LIMIT]))
def test_the_gateway_is_never_blamed_for_a_rig_that_could_not(figures, rate, limit):
    value = interval(figures, 0.95)
    told = verdict(figure(value.mean, value.half_width, "at least"), Rig([rate], limit))
    if told.startswith("fail"):
        assert value.upper < 300 and rate >= 300 and not limit
        assert value.upper < 300 * min(1, rate / 315)  # and what the rig lost does not explain it
    elif told == "pass":
        assert value.lower >= 300
    else:
        assert told.startswith("Not proven: ") and told.endswith(".")


@given(samples, st.integers(1, 5), st.integers(0, 5))
def test_trials_keep_within_the_rule(figures: list[float], fewest: int, more: int) -> None:
    rule = Rule(fewest, fewest + more, 0.95)
    done = tried(chain(figures, repeat(figures[-1])), rule).counted
    assert fewest <= len(done) <= fewest + more


def test_bounds_without_spread() -> None:
    assert decide(Interval(math.inf, None), 300) == UNDECIDED
