"""From figures to a verdict."""

from __future__ import annotations

import math
from itertools import chain, repeat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepass.errors import NotProven
from gatepass.judgement import (
    FAIL,
    PASS,
    UNDECIDED,
    Rig,
    Rule,
    conclude,
    decide,
    until_decided,
)
from gatepass.record import Measurement
from gatepass.statistics import Interval, interval

FAST = (900.0, 940.0)  # the path without the gateway
SLOW = (940.0, 325.0)  # too slow once: 330 are needed to show 300
NONE = None


def figure(value: float, half_width: float | None, relation: str, trials: int = 3) -> Measurement:
    """A throughput that was measured, held against 300 Mbit/s."""
    return Measurement(
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
        conclude(measurement, lambda: rig.limits(300.0), lambda: "It is the shaper.")
    except AssertionError as error:
        return f"fail: {error}"
    except NotProven as error:
        return str(error)
    return "pass"


@pytest.mark.parametrize(
    ("relation", "value", "half_width", "rates", "cpu", "wanted", "because"),
    [
        ("at least", 310, 10, FAST, 50, "pass", ""),  # the lower bound reaches it
        ("at least", 310, 10, SLOW, 50, "pass", ""),
        ("at least", 310, 10, NONE, 100, "pass", ""),
        ("at least", 310, 10.1, FAST, 50, "Not proven", "both sides"),
        ("at least", 290, 10, FAST, 50, "Not proven", "both sides"),  # upper is not under it
        ("at least", 289, 10, FAST, 50, "fail", "It is the shaper."),
        ("at least", 289, 10, SLOW, 50, "Not proven", "carried no more than 325"),
        ("at least", 289, 10, NONE, 50, "Not proven", "direct_address"),
        ("at least", 289, 10, FAST, 95, "Not proven", "client was at its own limit"),
        ("at least", 289, 10, FAST, 94.9, "fail", "289 ± 10"),
        ("at least", 289, None, FAST, 50, "Not proven", "no spread"),
        ("at least", 500, None, FAST, 50, "Not proven", "no spread"),
        ("at least", 0, 0, FAST, 0, "fail", "at least 300 Mbit/s"),
        ("at most", 290, 10, FAST, 50, "pass", ""),
        ("at most", 290, 10.1, FAST, 50, "Not proven", "both sides"),
        ("at most", 311, 10, FAST, 50, "fail", "at most 300 Mbit/s"),
        ("at most", 310, 10, FAST, 50, "Not proven", "both sides"),
        ("at most", 311, None, FAST, 50, "Not proven", "no spread"),
    ],
)
def test_the_verdict(relation, value, half_width, rates, cpu, wanted, because) -> None:
    told = verdict(figure(value, half_width, relation), Rig(rates, cpu, 10))
    assert told.startswith(wanted)
    assert because in told


def test_the_servers_cpu_counts_as_well() -> None:
    told = verdict(figure(200, 1, "at least"), Rig(FAST, 5, 99.0))
    assert told.startswith("Not proven") and "server was at its own limit" in told


def test_a_pass_asks_the_rig_nothing() -> None:
    def never() -> str:
        raise RuntimeError("asked")

    conclude(figure(310, 1, "at least"), never, never)
    with pytest.raises(NotProven):
        conclude(figure(300, 5, "at least"), lambda: "slow", never)


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ([310, 311, 310, 999], 3),  # decided at the fewest
        ([200, 201, 200, 999], 3),
        ([280, 320, 300, 301, 299, 300, 300, 300], 6),  # never decided
        ([250, 310, 311, 312, 320, 390], 6),
        ([305, 345, 330, 331, 332, 330], 3 + 1),  # decided by one more
    ],
)
def test_trials_are_repeated_until_they_decide(figures: list[float], expected: int) -> None:
    source = iter(figures)
    rule = Rule(3, 6, 0.95)
    done = until_decided(lambda: next(source), lambda trials: trials, rule, 300)
    assert done == figures[: len(done)]
    assert len(done) == expected


def test_by_intervals_one_trial_suffices() -> None:
    trials = iter([[310.0, 312.0, 311.0], [1.0]])
    rule = Rule(1, 2, 0.95, by_intervals=True)
    done = until_decided(
        lambda: next(trials), lambda made: list(chain.from_iterable(made)), rule, 300
    )
    assert len(done) == 1


def test_both_promises_are_decided_about() -> None:
    figures = chain([299.0, 305.0, 302.0], repeat(302.0))
    rule = Rule(3, 30, 0.95)
    done = until_decided(
        lambda: next(figures), lambda trials: trials, rule, 290, at_most=303.5
    )
    value = interval(done, 0.95)
    assert len(done) > 3
    assert decide(value, 290) == PASS and decide(value, 303.5, "at most") == PASS


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


@given(samples, st.floats(0, 1000), st.floats(0, 200), st.floats(0, 200))
def test_the_gateway_is_never_blamed_for_a_rig_that_could_not(figures, rate, client, server):
    value = interval(figures, 0.95)
    told = verdict(figure(value.mean, value.half_width, "at least"), Rig([rate], client, server))
    if told.startswith("fail"):
        assert value.upper < 300 and rate >= 330 and max(client, server) < 95
    elif told == "pass":
        assert value.lower >= 300
    else:
        assert told.startswith("Not proven: ") and told.endswith(".")


@given(samples, st.integers(1, 5), st.integers(0, 5))
def test_trials_keep_within_the_rule(figures: list[float], fewest: int, more: int) -> None:
    rule = Rule(fewest, fewest + more, 0.95)
    source = chain(figures, repeat(figures[-1]))
    done = until_decided(lambda: next(source), lambda trials: trials, rule, 500)
    assert fewest <= len(done) <= fewest + more


def test_bounds_without_spread() -> None:
    assert decide(Interval(math.inf, None), 300) == UNDECIDED
