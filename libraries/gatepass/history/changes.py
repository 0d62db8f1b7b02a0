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

from gatepass.history import steps
from gatepass.history.series import Point, Trend
from gatepass.stats.quantiles import special

LOOK_BACK = 100
"""At most so many runs are looked at, the latest."""
SURE = 0.003
"""A step stays if runs without a change would show one as large less often than this."""
LEAST_SPREAD = 0.005
"""Runs are taken to differ by no less than this share of the figure."""
LEAST_SPREAD_OF_ALLOWED = 0.1
"""The same for a figure such as loss, which may be 0: of what is allowed."""
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
        """The step in per cent of what was before; None where that says nothing (see `steps`)."""
        return steps.percent(self.value_before, self.value_after, self.series.unit, self._spread)

    @property
    def step(self) -> str:
        """The step in words."""
        return steps.step(self.value_before, self.value_after, self.series.unit, self._spread)

    @property
    def _spread(self) -> float | None:
        return steps.spread(point.half_width for point in self.before)


def changes(series: Trend) -> list[Change]:
    """The steps of a series, in order of time."""
    groups = _groups(series.points[-LOOK_BACK:])
    while len(groups) > 1:
        borders = [by_chance(*pair, series.unit) for pair in pairwise(groups)]
        weakest = max(range(len(borders)), key=borders.__getitem__)
        if borders[weakest] < SURE:
            break
        groups[weakest : weakest + 2] = [groups[weakest] + groups[weakest + 1]]
    return [Change(series, before, after) for before, after in pairwise(groups)]


def by_chance(before: Sequence[Point], after: Sequence[Point], unit: str) -> float:
    """How probable a step as large is where nothing has changed (two-sided, Student's t).

    Args:
        before, after: at least one figure each.
        unit: of all of them.
    """
    step = abs(fmean(point.value for point in before) - fmean(point.value for point in after))
    if not step:
        return 1.0
    seen = sum(_squares(side) for side in (before, after))
    freedom = len(before) + len(after) - 2
    both = [*before, *after]
    expected = assumed_spread(both)
    if _scatters_with_its_size(both, unit) and _crosses_its_limit(before, after):
        expected = min(expected, spread_of_calmest(both))
    spread = math.sqrt((ASSUMED_RUNS * expected**2 + seen) / (ASSUMED_RUNS + freedom))
    error = spread * math.sqrt(1 / len(before) + 1 / len(after))
    return float(2 * special().stdtr(ASSUMED_RUNS + freedom, -step / error)) if error else 0.0


def _scatters_with_its_size(points: Sequence[Point], unit: str) -> bool:
    """Whether it is a share, such as loss or availability, or what may be so much at most."""
    return unit == steps.SHARE or points[-1].relation == "at most"


def _crosses_its_limit(before: Sequence[Point], after: Sequence[Point]) -> bool:
    """Whether what is promised was kept on one side and missed on the other."""
    missed = {
        steps.room(fmean(point.value for point in side), side[-1].threshold, side[-1].relation) < 1
        for side in (before, after)
        if side[-1].threshold is not None
    }
    return len(missed) == 2


def assumed_spread(points: Sequence[Point]) -> float:
    """Standard deviation to expect between runs, from what the trials within them say."""
    return max(_least_spread(points), RUNS_OVER_TRIALS * math.sqrt(fmean(_variances(points))))


def spread_of_calmest(points: Sequence[Point]) -> float:
    """The same of loss and delay, which scatter with their size.

    The calmest run says what to expect: the others would hide the very loss that is looked for.
    """
    allowed = (
        point.threshold if point.relation == "at most" else 100 - point.threshold
        for point in points
        if point.threshold is not None
    )
    least = LEAST_SPREAD_OF_ALLOWED * max(allowed, default=0.0)
    return max(least, RUNS_OVER_TRIALS * math.sqrt(min(_variances(points))))


def _variances(points: Sequence[Point]) -> list[float]:
    """Of the trials within each run; of none that tells it, 0."""
    spreads = (_trial_spread(point) for point in points)
    return [spread**2 for spread in spreads if spread is not None] or [0.0]


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
