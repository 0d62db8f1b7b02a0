"""Steps and margins in words: no per cent of nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gatepass.history.changes import Change, changes
from gatepass.history.gateway import sentence
from gatepass.history.steps import margin, percent, room, step
from history_examples import series


@pytest.mark.parametrize(
    ("before", "after", "unit", "spread", "words"),
    [
        (306.0, 250.0, "Mbit/s", 3.0, "−18 %"),
        (306.0, 305.7, "Mbit/s", 3.0, "−0.1 %"),
        (306.0, 306.0, "Mbit/s", None, "+0.0 %"),
        (0.0, 14.2, "%", None, "+14 points"),
        (0.01, 0.034, "%", 0.001, "+0.024 points"),
        (99.99, 99.5, "%", None, "−0.49 points"),
        (0.0, 20.0, "ms", None, "+20 ms"),
        (0.00052, 20.16, "ms", None, "+20 ms"),
        (-0.01, 0.2, "ms", 0.3, "+0.21 ms"),
        (0.2, 0.3, "ms", 0.25, "+0.1 ms"),
        (40.0, 18.0, "tunnels", None, "−55 %"),
        (0.0, 0.0, "s", None, "+0 s"),
        (0.0, 12345.6, "us", None, "+12\u202f346 us"),
    ],
)
def test_a_step_is_told_by_the_kind_of_the_figure(before, after, unit, spread, words) -> None:
    assert step(before, after, unit, spread) == words
    assert (percent(before, after, unit, spread) is not None) == words.endswith(" %")


@pytest.mark.parametrize(
    ("value", "threshold", "relation", "unit", "words"),
    [
        (287.0, 300.0, "at least", "Mbit/s", "−4.3 %"),
        (0.0, 300.0, "at least", "Mbit/s", "−100 %"),
        (14.0, 0.05, "at most", "%", "−14 points"),
        (0.02, 0.05, "at most", "%", "+0.03 points"),
        (24.0, 20.0, "at most", "ms", "−20 %"),
        (72.0, 20.0, "at most", "ms", "3.6 times the limit"),
        (0.01, 20.0, "at most", "ms", "+100 %"),
        (3.0, 0.0, "at most", "s", "−3 s"),
        (0.0, 0.0, "at most", "s", "+0 s"),
    ],
)
def test_a_margin_is_told_by_the_kind_of_the_figure(
    value, threshold, relation, unit, words
) -> None:
    assert margin(value, threshold, relation, unit) == words


def test_figures_of_all_kinds_are_ranked_together() -> None:
    ranked = [
        room(14.0, 0.05, "at most"),
        room(150.0, 300.0, "at least"),
        room(21.0, 20.0, "at most"),
        room(287.0, 300.0, "at least"),
        room(311.0, 300.0, "at least"),
        room(0.0, 0.05, "at most"),
    ]
    assert ranked == sorted(ranked)
    assert room(3.0, 0.0, "at most") == 0.0
    assert room(0.0, 0.0, "at most") > 1


LOSS = {"unit": "%", "threshold": 0.05, "relation": "at most"}
NONE = (0.0, 0.0, 0.0)


def test_loss_where_there_was_none_is_a_change() -> None:
    """Loss scatters with its size, so what scatters is no reason to overlook it."""
    (change,) = changes(series([NONE, (0.3, 6.4, 35.4)], **LOSS))
    assert change.percent is None
    assert sentence(change).endswith(": 0 → 14.0 % (+14 points)")


def test_loss_of_one_trial_with_a_wide_interval_is_a_change() -> None:
    whole = series([(0.0,), (11.759,)], **LOSS)
    points = tuple(
        replace(point, half_width=width)
        for point, width in zip(whole.points, (0.0, 74.1), strict=True)
    )
    assert len(changes(replace(whole, points=points))) == 1


def test_delay_where_there_was_none_is_a_change() -> None:
    """Three trials far apart, all of them far beyond what is allowed."""
    about = {"unit": "ms", "threshold": 5, "relation": "at most"}
    (change,) = changes(series([(0.002, 0.003, 0.002), (108.3, 130.8, 136.0)], **about))
    assert sentence(change).endswith(" ms (+125 ms)")


def test_availability_that_falls_is_a_change() -> None:
    about = {"unit": "%", "threshold": 99.99, "relation": "at least"}
    assert changes(series([(100.0,) * 3] * 2, **about)) == []
    assert len(changes(series([(100.0,) * 3, (99.4, 100.0, 99.1)], **about))) == 1


def test_loss_that_always_scatters_is_no_change() -> None:
    runs = [(0.0, 2.1, 0.4), (6.4, 0.3, 0.0), (0.0, 0.8, 3.9)]
    assert changes(series(runs, **LOSS)) == []


def test_a_figure_within_its_own_spread_has_no_percent() -> None:
    whole = series([(-0.2, 0.2, 0.06), (9.1, 9.2, 9.3)], unit="ms", threshold=5, relation="at most")
    points = tuple(replace(point, half_width=0.5) for point in whole.points)
    change = Change(replace(whole, points=points), points[:1], points[1:])
    assert change.percent is None
    assert sentence(change).endswith("(+9.2 ms)")
