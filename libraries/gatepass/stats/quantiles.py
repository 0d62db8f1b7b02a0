"""Quantiles and tails of distributions, by scipy."""

from __future__ import annotations

from types import ModuleType


def special() -> ModuleType:
    """scipy.special, which is loaded when it is first needed.

    That takes longer than all the rest of most commands, and most of them need none of it.
    """
    from scipy import special  # loads in half the time of scipy.stats

    return special


def student(freedom: float, chance: float) -> float:
    """Of Student's t distribution: what a figure stays below with that chance, 0 to 1."""
    return float(special().stdtrit(freedom, chance))
