"""Earlier runs of a gateway beside this one, a line high, with the median of its tier."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from gatepass.base.phrase import from_json
from gatepass.report.wording import Wording, digits
from gatepass.results.outcome import Outcome
from gatepass.results.record import Measurement

_WIDTH, _HEIGHT, _EDGE, _TOP = 120.0, 16.0, 6.0, 3.0


@dataclass(frozen=True)
class Earlier:
    """What the record knew of a figure when the run began (see `gatepass.history.earlier`).

    Attributes:
        values: of this gateway's runs before, in order of time.
        median: of the last figures of the tier's gateways; None where there is no other one.
        gateways: how many these are.
    """

    values: Sequence[float]
    median: float | None
    gateways: int


def earlier_of(outcome: Outcome, held: Measurement) -> Earlier | None:
    """What was known of a figure before this run; None where nothing was."""
    for entry in outcome.run.get("earlier") or ():
        try:
            if _is_of(entry, held):
                several = entry["gateways"] > 1
                median = entry["median"] if several else None
                return Earlier(entry["values"], median, entry["gateways"])
        except (KeyError, TypeError, ValueError):
            continue  # of a newer Gatepass: the page does without
    return None


def _is_of(entry: Mapping[str, Any], held: Measurement) -> bool:
    same = (entry["promise"], entry["unit"], entry["layer"]) == (
        held.promise,
        held.unit,
        held.layer,
    )
    return same and from_json(entry["conditions"]) == held.conditions


def trend(held: Measurement, known: Earlier | None, words: Wording) -> Markup:
    """The picture: a point a run, this one last and larger; the promise, and the tier's median.

    Args:
        held: of this run.
        known: of those before; None, or none of this gateway's, makes no picture.
        words: of the page's language.
    """
    if known is None or not known.values:
        return Markup()
    values = [*known.values, held.value]
    lines = [value for value in (held.threshold, known.median) if value is not None]
    low, high = min(*values, *lines), max(*values, *lines)
    if not (math.isfinite(low) and math.isfinite(high)):
        return Markup()
    span = (high - low) or 1.0

    def y(value: float) -> str:
        middle = high == low
        share = 0.5 if middle else (value - low) / span
        return f"{_HEIGHT - _TOP - share * (_HEIGHT - 2 * _TOP):.1f}"

    step = (_WIDTH - 2 * _EDGE) / (len(values) - 1)
    points = [(f"{_EDGE + place * step:.1f}", y(value)) for place, value in enumerate(values)]
    parts = [f'<polyline class="course" points="{" ".join(",".join(one) for one in points)}"/>']
    if held.threshold is not None:
        parts.append(f'<path class="promise" d="M0 {y(held.threshold)}H{_WIDTH:g}"/>')
    if known.median is not None:
        parts.append(f'<path class="median" d="M{_WIDTH - _EDGE:g} {y(known.median)}h5"/>')
    parts += [f'<circle class="run" cx="{x}" cy="{at}" r="1.4"/>' for x, at in points[:-1]]
    x, at = points[-1]
    parts.append(f'<circle class="run" cx="{x}" cy="{at}" r="2.6"/>')
    return Markup(
        f'<svg class="strip" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" role="img">'
        f"<title>{escape(in_words(held, known, words))}</title>{''.join(parts)}</svg>"
    )


def in_words(held: Measurement, known: Earlier, words: Wording) -> str:
    """The same for who does not see it."""
    decimals, texts = digits(held), words["decision"]

    def figure(value: float) -> str:
        return words.number(value, decimals)

    told = texts["earlier"].format(
        values="; ".join(map(figure, known.values)),
        now=figure(held.value),
        unit=words.unit_name(held.unit),
    )
    if known.median is None:
        return told
    median = texts["tier_median"].format(count=known.gateways, median=figure(known.median))
    return f"{told} {median}"
