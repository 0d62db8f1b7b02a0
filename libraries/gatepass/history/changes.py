"""Where a series of figures changed by more than the runs differ by anyway.

Two steps. `jumpavg`, with which FD.io CSIT watches its own performance tests, puts the runs into
groups by the principle of the shortest message. A border between two groups then stays only where
the step is larger than the spread of the runs; the spread that is held against it is the one seen
between the runs of both groups, and, as long as these are few, what the trials of a run say.

docs/history.md says how often this is wrong; tests/core/test_history_false_alarms.py measures it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, variance

import jumpavg

from gatepass.history.series import Point, Trend
from gatepass.stats.quantiles import special

LOOK_BACK = 100
"""At most so many runs are looked at, the latest."""
SURE = 0.003
"""A step stays if runs without a change would show one as large less often than this."""
LEAST_SPREAD = 0.005
"""Runs are taken to differ by no less than this share of the figure."""
LEAST_SPREAD_OF_ALLOWED = 0.1
"""The same for a share in per cent such as loss, which may be 0: of what is allowed."""
RUNS_OVER_TRIALS = 3.0
"""Between two runs a rig changes more than between the trials of one: by so many times."""
ASSUMED_RUNS = 4
"""How many runs that expectation counts for beside the runs that were seen."""


@dataclass(frozen=True)
class Change:
    """A step in a series.

    Attributes:
        series: in which it is.
        before, after: the figures on both sides, in order of time, up to the next step.
    """

    series: Trend
    before: tuple[Point, ...]
    after: tuple[Point, ...]

    @property
    def value_before(self) -> float:
        """Mean of the runs before."""
        return fmean(point.value for point in self.before)

    @property
    def value_after(self) -> float:
        """Mean of the runs since."""
        return fmean(point.value for point in self.after)

    @property
    def percent(self) -> float | None:
        """The step in per cent of what was before; None where that was 0."""
        if not self.value_before:
            return None
        return (self.value_after - self.value_before) / abs(self.value_before) * 100


def changes(series: Trend) -> list[Change]:
    """The steps of a series, in order of time."""
    groups = _groups(series.points[-LOOK_BACK:])
    while len(groups) > 1:
        borders = [by_chance(*pair) for pair in pairwise(groups)]
        weakest = max(range(len(borders)), key=borders.__getitem__)
        if borders[weakest] < SURE:
            break
        groups[weakest : weakest + 2] = [groups[weakest] + groups[weakest + 1]]
    return [Change(series, before, after) for before, after in pairwise(groups)]


def by_chance(before: Sequence[Point], after: Sequence[Point]) -> float:
    """How probable a step as large is where nothing has changed (two-sided, Student's t).

    Args:
        before, after: at least one figure each.
    """
    step = abs(fmean(point.value for point in before) - fmean(point.value for point in after))
    if not step:
        return 1.0
    seen = sum(_squares(side) for side in (before, after))
    freedom = len(before) + len(after) - 2
    expected = assumed_spread([*before, *after])
    spread = math.sqrt((ASSUMED_RUNS * expected**2 + seen) / (ASSUMED_RUNS + freedom))
    error = spread * math.sqrt(1 / len(before) + 1 / len(after))
    return float(2 * special().stdtr(ASSUMED_RUNS + freedom, -step / error)) if error else 0.0


def assumed_spread(points: Sequence[Point]) -> float:
    """Standard deviation to expect between runs, from what the trials within them say."""
    variances = [spread**2 for point in points if (spread := _trial_spread(point)) is not None]
    of_trials = math.sqrt(fmean(variances)) if variances else 0.0
    return max(_least_spread(points), RUNS_OVER_TRIALS * of_trials)


def _least_spread(points: Sequence[Point]) -> float:
    limits = [
        LEAST_SPREAD_OF_ALLOWED * point.threshold
        for point in points
        if point.relation == "at most" and point.threshold and point.value < point.threshold / 2
    ]
    return max([LEAST_SPREAD * fmean(abs(point.value) for point in points), *limits])


def _trial_spread(point: Point) -> float | None:
    """Standard deviation between the trials of a run; None where that cannot be known."""
    if len(point.trials) > 1:
        return math.sqrt(variance(point.trials))
    return point.half_width  # of one long trial; wider than its intervals' mean is sure


def _squares(points: Sequence[Point]) -> float:
    mean = fmean(point.value for point in points)
    return sum((point.value - mean) ** 2 for point in points)


def _groups(points: tuple[Point, ...]) -> list[tuple[Point, ...]]:
    """The runs in groups of about the same figure."""
    values = [point.value for point in points]
    if len(values) == 2:  # two runs are no series: their trials alone decide
        return [points[:1], points[1:]]
    if not values or min(values) == max(values):
        return [points]
    lowest = min(0.0, *values)  # jumpavg knows no figure below 0
    groups, start = [], 0
    for group in jumpavg.classify([value - lowest for value in values]):
        groups.append(points[start : start + group.stats.size])
        start += group.stats.size
    return groups
