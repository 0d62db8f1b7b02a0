"""The ends of what is shown of a figure, as a page writes them: never more than was shown."""

from __future__ import annotations

import math

from gatepass.report.wording import Wording, digits
from gatepass.results.record import Measurement

_MOST_DECIMALS = 6
_LEAST = 1e-9
"""Of a last digit: what the way computers keep figures may be off by."""


def bound(held: Measurement, lower: bool, words: Wording) -> str:
    """The lower or the upper bound of a measurement: of the two that decide, each in its own way.

    On the good side that is the bound which a pass takes, on the other the one which a fail takes.

    It is rounded outwards: the lower one down, the upper one up; and no further than leaves it on
    its side of the threshold. A figure seen itself, such as a count, stands as it is.

    Args:
        held: the measurement.
        lower: which of its bounds.
        words: of the page's language.

    Returns:
        Empty where there is no such bound.
    """
    if lower == (held.relation == "at least") or held.threshold is None:
        value = held.lower if lower else held.upper
    else:
        value = held.fail_lower if lower else held.fail_upper
    decimals = digits(held)
    if not math.isfinite(value):
        return ""
    if held.observed:
        return words.number(value, decimals)
    while decimals < _MOST_DECIMALS and _looks_otherwise(held, value, _out(value, lower, decimals)):
        decimals += 1
    return words.number(_out(value, lower, decimals), decimals)


def _out(value: float, lower: bool, decimals: int) -> float:
    scaled = value * 10**decimals
    outwards = math.floor(scaled + _LEAST) if lower else math.ceil(scaled - _LEAST)
    return outwards / 10**decimals


def _looks_otherwise(held: Measurement, value: float, rounded: float) -> bool:
    """Whether the rounded bound would decide otherwise than the bound."""
    limit = held.threshold
    if limit is None:
        return False
    crosses = value < limit < rounded or rounded < limit < value
    if held.relation == "at least":
        return crosses or (value < limit) != (rounded < limit)
    return crosses or (value > limit) != (rounded > limit)
