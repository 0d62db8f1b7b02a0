"""Looking after each trial without being fooled by it: the level of each look.

A figure that is looked at again and again crosses its bound by chance sooner or later. So each
look has to be surer than the whole: a group-sequential test with the same nominal level at every
look (Pocock 1977), read from Student's t instead of the normal distribution, as the spread is not
known either (Jennison and Turnbull, Group Sequential Methods, 2000, section 4.4). The interval at
that level is a repeated confidence interval (Jennison and Turnbull 1989): it holds at whichever
look one stops.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

from gatepass.stats.quantiles import special, student

if TYPE_CHECKING:
    import numpy as np

_SERIES = 200_000
"""Simulated. What chance leaves open at so many, two standard errors, is taken off the error."""
_SEED = 1977


@functools.cache
def nominal_level(first: int, last: int, error: float) -> float:
    """The one-sided level of each look that makes the error of all looks together `error`.

    Independent Gaussian figures whose mean is exactly the threshold are simulated: the chance that
    their t statistic is beyond the level's quantile at any look. It does not depend on the spread.

    Args:
        first, last: numbers of samples at the first and at the last look; there is one after each
            sample in between.
        error: one-sided, of a verdict over all looks, 0.025 for 2.5 %.

    Raises:
        ValueError: no spread can be known at the first look.
    """
    import numpy as np  # here, as it takes long to load

    if first < 2:
        raise ValueError("a spread needs two samples")
    if first >= last:
        return error
    unsure = 2 * math.sqrt(error * (1 - error) / _SERIES)
    return float(np.quantile(_smallest_tails(first, last, error), error - unsure))


def _smallest_tails(first: int, last: int, error: float) -> np.ndarray:
    """For each simulated series the smallest one-sided p value of its looks; 1 above the error."""
    import numpy as np

    random = np.random.default_rng(_SEED)
    total, squares, smallest = np.zeros(_SERIES), np.zeros(_SERIES), np.ones(_SERIES)
    for count in range(1, last + 1):
        figures = random.standard_normal(_SERIES)
        total += figures
        squares += figures**2
        if count >= first:
            spread = np.sqrt((squares - total**2 / count) / (count - 1))
            statistic = total / spread / np.sqrt(count)
            beyond = statistic > student(count - 1, 1 - error)
            tails = special().stdtr(count - 1, -statistic[beyond])
            smallest[beyond] = np.minimum(smallest[beyond], tails)
    return smallest


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
        level: of each look, see `nominal_level`.
    """
    if spread == 0 or count >= last:
        return False
    optimistic = abs(mean) / spread + 1 / math.sqrt(count)
    return optimistic * math.sqrt(last) < -student(last - 1, level)
