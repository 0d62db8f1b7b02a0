"""A promise beside what is proven: interval, trials and promise on one scale, a line high."""

from __future__ import annotations

import math

from markupsafe import Markup

from gatepass.report.bounds import bound
from gatepass.report.promises import MeasurementRow
from gatepass.report.wording import Wording
from gatepass.results.record import FAIL, PASS, Measurement

_WIDTH, _HEIGHT, _EDGE = 120.0, 16.0, 6.0
_MOST_TRIALS = 60


def proven(row: MeasurementRow, words: Wording) -> str:
    """The bound that decides about a figure; both of them where it decides nothing.

    Args:
        row: with a measurement that is held against a threshold.
        words: of the page's language.
    """
    held = row.measurement
    if held is None:
        return ""
    low, high = bound(held, True, words), bound(held, False, words)
    if held.observed:
        return low
    if row.verdict not in (PASS, FAIL) or not (low and high):
        both = words["decision"]["range"].format(low=low, high=high)
        return both if low and high else words["none"]
    lower = (held.relation == "at least") == (row.verdict == PASS)
    return words["at_least" if lower else "at_most"].format(figure=low if lower else high)


def strip(held: Measurement) -> Markup:
    """The picture: the interval a bar, each trial a stroke, the promise a broken line.

    Args:
        held: with its threshold.

    Returns:
        Empty where there is nothing to be seen.
    """
    trials = held.trials[:_MOST_TRIALS]
    bounds = [bound for bound in (held.lower, held.upper) if math.isfinite(bound)]
    points = [*trials, *bounds, held.value, *([] if held.threshold is None else [held.threshold])]
    low, high = min(points), max(points)
    if held.threshold is None or not high > low:
        return Markup()

    def at(value: float) -> str:
        return f"{_EDGE + (value - low) / (high - low) * (_WIDTH - 2 * _EDGE):.1f}"

    parts = [f'<path class="axis" d="M0 {_HEIGHT / 2:g}H{_WIDTH:g}"/>']
    if len(bounds) == 2 and bounds[1] > bounds[0]:
        wide = max(float(at(bounds[1])) - float(at(bounds[0])), 1.5)
        parts.append(
            f'<rect class="interval" x="{at(bounds[0])}" y="4" width="{wide:.1f}" height="8"/>'
        )
    parts += [f'<path class="trial" d="M{at(value)} 5V11"/>' for value in trials]
    parts.append(f'<path class="promise" d="M{at(held.threshold)} 0V{_HEIGHT:g}"/>')
    return Markup(
        f'<svg class="strip" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" aria-hidden="true">'
        f"{''.join(parts)}</svg>"
    )
