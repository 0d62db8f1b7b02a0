"""Looking after each trial without being fooled by it: the level of each look.

A figure that is looked at again and again crosses its bound by chance sooner or later. So each
look has to be surer than the whole: the error is shared out evenly among the looks that there may
be (Bonferroni), which holds however these hang together. What that leaves over where they do, and
Student's t of trials that scatter as Gaussian ones do, is what covers trials that do not: the
benchmark `order_error` tells how much. The interval at such a level is a repeated confidence
interval (Jennison and Turnbull 1989): it holds at whichever look one stops.
"""

from __future__ import annotations

import math

from gatepass.stats.quantiles import student


def level_of_looks(first: int, last: int, error: float) -> float:
    """The one-sided level of each look, of which all together err with at most `error`.

    Args:
        first, last: numbers of samples at the first and at the last look; there is one after each
            sample in between.
        error: one-sided, of a verdict over all looks, 0.025 for 2.5 %.

    Raises:
        ValueError: no spread can be known at the first look.
    """
    if first < 2:
        raise ValueError("a spread needs two samples")
    return error / max(1, last - first + 1)


def hopeless(mean: float, spread: float, count: int, last: int, level: float) -> bool:
    """Whether the rest of the budget could not decide any more.

    Even if the mean lay one standard error further off the threshold, its interval would still
    reach it at the last look. Giving up never makes a verdict wrong, and costs hardly any that
    would still have come: see the benchmark `sequential`.

    Args:
        mean: of the samples' distances to the threshold.
        spread: their standard deviation, same unit.
        count: how many there are.
        last: how many there could be at the last look.
        level: of each look, see `level_of_looks`.
    """
    if spread == 0 or count >= last:
        return False
    optimistic = abs(mean) / spread + 1 / math.sqrt(count)
    return optimistic * math.sqrt(last) < -student(last - 1, level)
