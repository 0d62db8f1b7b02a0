"""Steps and margins in words, by the kind of the figure.

A per cent of nothing says nothing. A share compares by difference, in percentage points; so does a
figure that is no larger than its own spread, or that grew to many times itself, in its own unit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import median

SHARE = "%"
"""Unit of a share: compared by difference, however large it is."""
_POINTS = "points"
"""Percentage points."""
_MINUS = "\u2212"
_MOST_PERCENT = 1000.0
"""A step of ten times the figure or more is told in the figure's unit."""
_MOST_DIGITS = 6


def percent(before: float, after: float, unit: str, spread: float | None = None) -> float | None:
    """A step in per cent of what was before; None where that says nothing.

    Args:
        before, after: of the same unit.
        unit: of both.
        spread: half of a confidence interval of what was before; None where there is none.
    """
    if unit == SHARE or not before or abs(before) <= (spread or 0.0):
        return None
    step = (after - before) / abs(before) * 100
    return step if abs(step) < _MOST_PERCENT else None


def step(before: float, after: float, unit: str, spread: float | None = None) -> str:
    """A step in words: "−18 %", "+14 percentage points", "+20 ms".

    Args:
        before, after, unit, spread: see `percent`.
    """
    share = percent(before, after, unit, spread)
    if share is not None:
        return f"{signed(share)} %"
    return f"{_difference(after - before)} {_POINTS if unit == SHARE else unit}".rstrip()


def margin(value: float, threshold: float, relation: str, unit: str) -> str:
    """How far a figure is on the good side of its threshold, in words.

    Of a share in percentage points; of what is more than twice the most that is allowed as so many
    times that; else in per cent of the threshold.

    Args:
        value, threshold: of one unit.
        relation: "at least" or "at most".
        unit: of both.
    """
    good = value - threshold if relation == "at least" else threshold - value
    if unit == SHARE or not threshold:
        return f"{_difference(good)} {_POINTS if unit == SHARE else unit}".rstrip()
    if relation == "at most" and value > 2 * threshold > 0:
        return f"{_digits(value / threshold)} times the limit"
    return f"{signed(good / abs(threshold) * 100)} %"


def room(value: float, threshold: float, relation: str) -> float:
    """How good a figure is beside its threshold, to compare figures of any kind by.

    Returns:
        1 on the threshold, less where it is missed (0 where it is missed altogether), more where
        there is room; infinity where nothing at all came of what is allowed at most.
    """
    good, bad = (value, threshold) if relation == "at least" else (threshold, value)
    if bad <= 0:
        return math.inf if good >= bad else 0.0
    return max(good, 0.0) / bad


def spread(half_widths: Iterable[float | None]) -> float | None:
    """The spread that a step is held against, of the half widths of several runs; may be None."""
    known = [one for one in half_widths if one is not None]
    return median(known) if known else None


def signed(number: float) -> str:
    """A step in per cent with its sign, and a decimal where it is small."""
    rounded = round(number, 0 if abs(number) >= 9.5 else 1) + 0.0  # no minus before a zero
    text = f"{rounded:+.0f}" if abs(rounded) >= 10 else f"{rounded:+.1f}"
    return text.replace("-", _MINUS)


def _difference(number: float) -> str:
    sign = _MINUS if number < 0 else "+"
    return f"{sign}{_digits(abs(number))}"


def _digits(number: float) -> str:
    """A number that is not negative with two digits that say something, whole from 10 on."""
    if not number:
        return "0"
    decimals = min(_MOST_DIGITS, max(0, 1 - math.floor(math.log10(number))))
    text = f"{number:,.{decimals}f}".replace(",", "\u202f")
    return text.rstrip("0").rstrip(".") if decimals else text
