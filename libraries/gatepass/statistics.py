"""Means with confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

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
