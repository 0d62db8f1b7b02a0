"""Which steps of a series are pointed out."""

from __future__ import annotations

import pytest

from gatepass.history.changes import by_chance, changes
from history_examples import series

STEADY = [(306.1, 305.8, 306.0), (305.9, 306.2, 306.1), (306.3, 306.0, 305.9)] * 4
LOWER = [(250.2, 249.9, 250.1), (249.8, 250.3, 250.0), (250.1, 249.7, 250.2)] * 4
NOISY = [(276.0, 240.1, 266.2), (216.3, 251.0, 230.4), (262.0, 240.9, 223.1)] * 4


def test_runs_that_differ_as_always_show_no_change() -> None:
    assert changes(series(STEADY)) == []
    assert changes(series(NOISY)) == []


@pytest.mark.parametrize("runs", [0, 1])
def test_fewer_than_two_runs_show_no_change(runs: int) -> None:
    assert changes(series(STEADY[:runs])) == []


@pytest.mark.parametrize(("before", "after"), [(1, 1), (2, 1), (1, 2), (5, 1), (5, 5), (12, 12)])
def test_a_lowered_shaper_is_a_change(before: int, after: int) -> None:
    (change,) = changes(series(STEADY[:before] + LOWER[:after]))
    assert (len(change.before), len(change.after)) == (before, after)
    assert change.value_before == pytest.approx(306, abs=0.2)
    assert change.value_after == pytest.approx(250, abs=0.2)
    assert change.percent == pytest.approx(-18.3, abs=0.2)
    assert change.after[0].run.run == f"run-{before}"


def test_up_and_down_again_are_two_changes() -> None:
    told = changes(series(STEADY[:4] + LOWER[:3] + STEADY[:4]))
    assert [len(change.before) for change in told] == [4, 3]
    assert [change.percent > 0 for change in told] == [False, True]


def test_between_two_runs_their_trials_decide() -> None:
    """The same means, 306 and 250: trials far apart say little of them."""
    assert changes(series([(306.1, 305.9, 306.0), (250.1, 249.9, 250.0)]))
    assert not changes(series([(346, 266, 306), (290, 210, 250)]))


def test_a_single_trial_says_less_than_several() -> None:
    assert not changes(series([(306.0,), (301.0,)]))
    assert changes(series([(306.0,), (200.0,)]))


def test_a_small_step_needs_many_runs() -> None:
    small = [tuple(value * 0.98 for value in trials) for trials in STEADY]
    assert not changes(series(STEADY[:1] + small[:1]))
    assert len(changes(series(STEADY + small))) == 1


def test_loss_that_stays_far_below_what_is_allowed_is_no_change() -> None:
    none, little, much = (0.0, 0.0, 0.0), (0.004, 0.0, 0.002), (2.1, 1.9, 2.0)
    about = {"unit": "%", "threshold": 0.1, "relation": "at most"}
    assert not changes(series([none, none, none, little], **about))
    assert len(changes(series([none, none, none, much], **about))) == 1


def test_numbers_that_never_vary() -> None:
    users = [(75.0, 75.0, 75.0)] * 5
    assert changes(series(users, unit="users", threshold=75)) == []
    fewer = [*users, (38.0, 38.0, 37.0)]
    assert len(changes(series(fewer, unit="users", threshold=75))) == 1


def test_negative_figures_are_taken() -> None:
    degradation = [(-0.2, 0.1, -0.1), (0.0, 0.1, -0.3), (0.2, -0.1, 0.1)]
    assert changes(series(degradation, unit="%", threshold=10, relation="at most")) == []


def test_no_step_is_certain_to_be_chance() -> None:
    same = series([(300.0, 300.0)] * 2).points
    assert by_chance(same[:1], same[1:], "Mbit/s") == 1.0
