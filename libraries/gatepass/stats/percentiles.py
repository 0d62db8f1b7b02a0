"""Between which of the sorted samples a percentile lies, whatever their distribution is."""

from __future__ import annotations

import math
from bisect import bisect_left

from gatepass.stats.quantiles import special


def ranks(count: int, percent: float, error: float) -> tuple[int, int]:
    """The order statistics that bound a percentile: exact (David and Nagaraja 2003, 7.1).

    How many of the samples do not pass the percentile is binomial. The bounds are the samples of
    these ranks, 1 for the smallest.

    Args:
        count: how many samples there are.
        percent: which percentile, above 0 and under 100.
        error: one-sided, of each bound, 0.025 for 2.5 %.

    Returns:
        Lower rank, 0 where so few samples have no lower bound; upper rank, `count` + 1 where they
        have no upper one.
    """
    share = percent / 100
    every = range(count + 2)
    low = bisect_left(every, True, key=lambda rank: _at_most(rank, count, share) > error)
    high = bisect_left(every, True, key=lambda rank: _at_most(rank - 1, count, share) >= 1 - error)
    return low, high


def fewest(percent: float, error: float) -> int:
    """How many samples it takes at least for an upper bound of a percentile.

    The largest of them is one as soon as not all of them are likely to lie under the percentile.
    """
    return math.ceil(math.log(error) / math.log(percent / 100))


def _at_most(most: int, count: int, share: float) -> float:
    """The chance that at most so many of so many do not pass what this share does not pass."""
    if most < 0:
        return 0.0
    if most >= count:
        return 1.0
    return float(special().betainc(count - most, most + 1, 1 - share))
