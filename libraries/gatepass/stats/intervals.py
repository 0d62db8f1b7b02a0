"""Means with confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, stdev, variance

from gatepass.stats.quantiles import special, student

FEWEST_TO_SEE_DEPENDENCE = 10
"""Samples; in fewer nothing can be seen of whether they hang together."""


@dataclass(frozen=True)
class Interval:
    """A mean and half the width of its confidence interval, in the samples' unit.

    Attributes:
        mean: of the samples.
        half_width: None with fewer than two samples: one figure says nothing of its spread.
        worth: how many independent samples they are worth; None where that was not looked at.
        level: one-sided, of each bound after Student's t; None where another rule made them.
        fail_half_width: of the wider interval whose bounds a fail takes; None where it is the same.
        fail_level: the level of that one.
        fail_error: the chance of a wrong fail by it, over all looks; None where it is not known.
    """

    mean: float
    half_width: float | None
    worth: float | None = None
    level: float | None = None
    fail_half_width: float | None = None
    fail_level: float | None = None
    fail_error: float | None = None

    @property
    def lower(self) -> float:
        """Lower bound; minus infinity where the spread is not known."""
        return -math.inf if self.half_width is None else self.mean - self.half_width

    @property
    def upper(self) -> float:
        """Upper bound; infinity where the spread is not known."""
        return math.inf if self.half_width is None else self.mean + self.half_width

    @property
    def fail_lower(self) -> float:
        """Lower bound that a fail takes, as where less is promised than that."""
        return self.lower if self.fail_half_width is None else self.mean - self.fail_half_width

    @property
    def fail_upper(self) -> float:
        """Upper bound that a fail takes."""
        return self.upper if self.fail_half_width is None else self.mean + self.fail_half_width


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
    half = student(freedom, (1 + confidence) / 2) * ratio * math.sqrt(total) * 100
    return Degradation(percent, percent - half, percent + half)


def interval(
    samples: Sequence[float],
    confidence: float,
    level: float | None = None,
    fail_level: float | None = None,
) -> Interval:
    """The mean of samples and its interval after Student's t.

    From `FEWEST_TO_SEE_DEPENDENCE` samples on, those that hang together count for as many
    independent ones as they are worth (see `worth`).

    Args:
        samples: at least one, of one unit, in the order in which they were taken.
        confidence: two-sided, 0.95 for 95 %.
        level: one-sided, of each bound, where it has to be surer than the confidence says because
            there are several looks (see `gatepass.stats.sequential`).
        fail_level: one-sided, of the bounds that a fail takes; None where there are no others.

    Raises:
        ValueError: no samples.
    """
    mean, count = fmean(samples), len(samples)
    if count < 2:
        return Interval(mean, None)
    level = (1 - confidence) / 2 if level is None else level
    independent = worth(samples) if count >= FEWEST_TO_SEE_DEPENDENCE else None
    size = independent or count
    error = stdev(samples) / math.sqrt(size)
    half_width = -student(size - 1, level) * error
    wider = None if fail_level is None else -student(size - 1, fail_level) * error
    return Interval(mean, half_width, independent, level, wider, fail_level)


def share(count: float, tried: float, confidence: float) -> tuple[float, float]:
    """Bounds of the share of attempts that succeed (Clopper and Pearson 1934): exact, never short.

    Args:
        count: how many succeeded; no whole number where they count for fewer independent ones.
        tried: how many there were, at least `count` and above 0.
        confidence: two-sided, 0.95 for 95 %.

    Returns:
        Lower and upper bound, 0 to 1.
    """
    error = (1 - confidence) / 2
    low = float(special().betaincinv(count, tried - count + 1, error)) if count else 0.0
    if count == tried:
        return low, 1.0
    high = float(special().betaincinv(count + 1, tried - count, 1 - error))
    return low, high


def per_cent(
    count: int, tried: int, error: float, fail_error: float, part: float = 1.0
) -> Interval:
    """A share that may be so much at most, per cent, with exact bounds.

    Args:
        count, tried: see `share`.
        error: one-sided, of the upper bound, which a pass takes.
        fail_error: one-sided, of the lower bound, which a fail takes.
        part: how much of an independent attempt each is, see `design_worth`.
    """
    percent = 100 * count / tried
    most = 100 * share(count * part, tried * part, 1 - 2 * error)[1]
    least = 100 * share(count * part, tried * part, 1 - 2 * fail_error)[0]
    width, wider = most - percent, percent - least
    return Interval(percent, width, fail_half_width=wider, fail_error=fail_error)


def design_worth(hits: Sequence[int], sizes: Sequence[int]) -> float:
    """How much of an independent sample each of several groups' samples is, above 0 to 1.

    The variance of the share of hits, between groups, over what it would be if all were
    independent, is the design effect (Rao and Scott 1992, section 2).

    Args:
        hits: in each group.
        sizes: of the groups, at least their hits.
    """
    count, number = sum(sizes), len(sizes)
    if number < 2 or not 0 < sum(hits) < count:
        return 1.0
    part = sum(hits) / count
    scattered = sum(
        (one - part * size) ** 2 for one, size in zip(hits, sizes, strict=True)
    ) * number / (number - 1)
    return min(1.0, count * part * (1 - part) / scattered) if scattered else 1.0


def burst_worth(hits: Sequence[int], sizes: Sequence[int]) -> float:
    """The same of groups in the order of time, where a burst goes on from one to the next.

    Args:
        hits: in each group.
        sizes: of the groups, each above 0.
    """
    if not any(hits) or len(sizes) < FEWEST_TO_SEE_DEPENDENCE:
        return design_worth(hits, sizes)
    shares = [one / size for one, size in zip(hits, sizes, strict=True)]
    return design_worth(hits, sizes) * worth(shares) / len(shares)


def worth(samples: Sequence[float]) -> float:
    """How many independent samples these are worth: n (1 - r) / (1 + r), at least 2, at most n.

    r is the correlation of neighbours, as in a first-order autoregressive series (Bayley and
    Hammersley 1946). What is seen of it in few samples is too low by about (1 + 3 r) / n (Marriott
    and Pope 1954), which is added, and half of its standard error 1 / sqrt(n) (Bartlett 1946) for
    safety: without it ten samples with r = 0.5 would pass by chance in 5 % instead of 2.5 %.

    Args:
        samples: at least three, in the order in which they were taken.
    """
    count, mean = len(samples), fmean(samples)
    around = [sample - mean for sample in samples]
    squares = sum(one * one for one in around)
    if squares == 0:
        return float(count)
    seen = sum(a * b for a, b in pairwise(around)) / squares
    correlation = seen + (1 + 3 * seen) / count + 0.5 / math.sqrt(count)
    correlation = min(max(correlation, 0.0), 0.95)
    return max(2.0, count * (1 - correlation) / (1 + correlation))
