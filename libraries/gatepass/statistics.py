"""Means with confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev, variance

# scipy.special alone loads in half the time of scipy.stats
from scipy.special import stdtrit


@dataclass(frozen=True)
class Interval:
    """A mean and half the width of its two-sided confidence interval, in the samples' unit.

    `half_width` is None with fewer than two samples: one figure says nothing of its spread.
    """

    mean: float
    half_width: float | None

    @property
    def lower(self) -> float:
        """Lower bound; minus infinity where the spread is not known."""
        return -math.inf if self.half_width is None else self.mean - self.half_width

    @property
    def upper(self) -> float:
        """Upper bound; infinity where the spread is not known."""
        return math.inf if self.half_width is None else self.mean + self.half_width


@dataclass(frozen=True)
class Degradation:
    """By how many per cent a rate is lower than another, with the bounds of its interval.

    The bounds are None with fewer than two samples of either rate.
    """

    percent: float
    lower: float | None
    upper: float | None


def degradation(
    without: Sequence[float], with_it: Sequence[float], confidence: float
) -> Degradation:
    """What a service costs: (mean without - mean with) / mean without, in per cent.

    The figure is the published test's (Hokkanen 2016, tables 13 and 14). Its interval is that of
    the ratio of two independent means by the delta method, with the degrees of freedom after
    Welch and Satterthwaite.

    Args:
        without, with_it: independent samples of one unit, at least one each, means above 0.
        confidence: two-sided, 0.95 for 95 %.
    """
    base, rate = fmean(without), fmean(with_it)
    ratio = rate / base
    percent = (1 - ratio) * 100
    if min(len(without), len(with_it)) < 2:
        return Degradation(percent, None, None)
    # relative variances of the two means
    parts = [
        (variance(samples) / len(samples) / fmean(samples) ** 2, len(samples) - 1)
        for samples in (without, with_it)
    ]
    total = sum(part for part, _ in parts)
    if total == 0:
        return Degradation(percent, percent, percent)
    freedom = total**2 / sum(part**2 / degrees for part, degrees in parts)
    quantile = float(stdtrit(freedom, (1 + confidence) / 2))
    half = quantile * ratio * math.sqrt(total) * 100
    return Degradation(percent, percent - half, percent + half)


def interval(samples: Sequence[float], confidence: float) -> Interval:
    """The mean of independent samples and its interval after Student's t.

    Args:
        samples: at least one, of one unit.
        confidence: two-sided, 0.95 for 95 %.

    Raises:
        ValueError: no samples.
    """
    mean = fmean(samples)
    if len(samples) < 2:
        return Interval(mean, None)
    freedom = len(samples) - 1
    quantile = float(stdtrit(freedom, (1 + confidence) / 2))
    return Interval(mean, quantile * stdev(samples) / math.sqrt(len(samples)))
