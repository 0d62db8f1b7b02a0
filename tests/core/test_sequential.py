"""The chance of a wrong verdict, simulated, and the traffic that a right one takes."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from scipy.special import stdtrit

from gatepass.inputs import load_profile
from gatepass.stats.intervals import FEWEST_TO_SEE_DEPENDENCE, worth
from gatepass.stats.sequential import hopeless, level_of_looks
from gatepass.verdict.judgement import Rule

PROFILES = Path(__file__).parents[2] / "variables" / "profiles.yaml"
SERIES = 200_000
NAMES = ("quick", "standard", "smoke")


def rule_of(name: str) -> Rule:
    profile = load_profile(PROFILES, name)
    return Rule(profile.min_trials, profile.most_trials, profile.confidence)


def verdicts(
    rule: Rule, mean: float, count: int, correlation: float = 0.0, first: int | None = None
) -> tuple[float, float]:
    """The shares of series that pass and that fail; looked at as `until_decided` does.

    Args:
        rule: of a profile.
        mean: of the trials, in standard deviations above the promise.
        count: of series.
        correlation: of neighbouring trials.
        first: at how many trials the first look is taken; the rule's unless given.
    """
    random = np.random.default_rng(5)
    passed = failed = 0
    for _ in range(-(-count // 50_000)):
        rows = autoregressive(random, 50_000, rule.max_trials, correlation) + mean
        open_rows = np.ones(len(rows), bool)
        for size in range(first or rule.min_trials, rule.max_trials + 1):
            seen = rows[:, :size]
            worths = all_worth(seen) if size >= FEWEST_TO_SEE_DEPENDENCE else float(size)
            statistic = seen.mean(1) / (seen.std(1, ddof=1) / np.sqrt(worths))
            bound = -stdtrit(worths - 1, rule.level)
            surely = stdtrit(worths - 1, rule.fail_level)
            good, bad = open_rows & (statistic >= bound), open_rows & (statistic < surely)
            passed, failed = passed + good.sum(), failed + bad.sum()
            open_rows &= ~(good | bad)
    total = 50_000 * -(-count // 50_000)
    return passed / total, failed / total


def autoregressive(random: np.random.Generator, rows: int, size: int, r: float) -> np.ndarray:
    """Series with mean 0 and standard deviation 1 whose neighbours hang together."""
    noise = random.standard_normal((rows, size))
    for place in range(1, size):
        noise[:, place] = r * noise[:, place - 1] + np.sqrt(1 - r * r) * noise[:, place]
    return noise


def all_worth(rows: np.ndarray) -> np.ndarray:
    """`worth` of many series at once; that both are the same is tested."""
    count = rows.shape[1]
    around = rows - rows.mean(1, keepdims=True)
    seen = (around[:, 1:] * around[:, :-1]).sum(1) / (around**2).sum(1)
    r = np.clip(seen + (1 + 3 * seen) / count + 0.5 / np.sqrt(count), 0, 0.95)
    return np.maximum(2.0, count * (1 - r) / (1 + r))


def test_the_simulation_counts_dependence_as_the_verdict_does() -> None:
    rows = autoregressive(np.random.default_rng(1), 50, 14, 0.4)
    assert all_worth(rows) == pytest.approx([worth(list(row)) for row in rows])


@pytest.mark.parametrize("name", NAMES)
def test_at_the_promise_each_wrong_verdict_is_as_rare_as_the_profile_says(name: str) -> None:
    rule = rule_of(name)
    passed, failed = verdicts(rule, 0.0, SERIES)
    assert passed <= rule.error and failed <= rule.error
    assert passed > rule.error / 3  # and hardly more cautious than need be


@pytest.mark.parametrize("name", NAMES)
def test_below_it_hardly_any_pass_and_above_it_hardly_any_fail(name: str) -> None:
    rule = rule_of(name)
    assert verdicts(rule, -0.5, 100_000)[0] < 0.005
    assert verdicts(rule, 0.5, 100_000)[1] < 0.005


@pytest.mark.parametrize("size", [10, 12, 20, 90])
def test_trials_that_hang_together_count_for_what_they_are_worth(size: int) -> None:
    """One look at so many, as at the intervals of one long trial."""
    rule = Rule(size, size, 0.95)
    for correlation, most in ((0.0, 0.025), (0.3, 0.03), (0.5, 0.04)):
        passed, failed = verdicts(rule, 0.0, 100_000, correlation)
        assert max(passed, failed) <= most, correlation


@pytest.mark.parametrize("name", NAMES)
def test_the_same_where_it_is_looked_at_again_and_again(name: str) -> None:
    rule = rule_of(name)
    first = FEWEST_TO_SEE_DEPENDENCE
    if rule.max_trials < first:
        pytest.skip("never so many trials")
    passed, failed = verdicts(rule, 0.0, 100_000, 0.5, first)
    assert max(passed, failed) <= 0.04


def test_the_level_falls_with_the_number_of_looks() -> None:
    levels = [level_of_looks(3, last, 0.025) for last in (3, 4, 6, 12)]
    assert levels[0] == 0.025
    assert all(more > less for more, less in itertools.pairwise(levels))


def test_a_first_look_needs_a_spread() -> None:
    with pytest.raises(ValueError, match="two samples"):
        level_of_looks(1, 5, 0.025)


def test_giving_up_costs_hardly_a_verdict() -> None:
    """A mean of one standard deviation above: with and without the rule that gives up."""
    rule, random = rule_of("quick"), np.random.default_rng(9)
    decided = {False: 0, True: 0}
    for row in random.standard_normal((4_000, rule.max_trials)) + 1:
        for gives_up in decided:
            decided[gives_up] += _decides(row, rule, gives_up)
    assert decided[True] > decided[False] * 0.95


def _decides(row: np.ndarray, rule: Rule, gives_up: bool) -> bool:
    for size in range(rule.min_trials, rule.max_trials + 1):
        seen = row[:size]
        mean, spread = seen.mean(), seen.std(ddof=1)
        if abs(mean) / spread * np.sqrt(size) >= -stdtrit(size - 1, rule.level):
            return True
        if gives_up and size > rule.min_trials and (
            hopeless(mean, spread, size, rule.max_trials, rule.level)
        ):
            return False
    return False
