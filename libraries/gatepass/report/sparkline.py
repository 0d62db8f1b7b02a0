"""The trials of a measurement as a picture the size of a line of text."""

from __future__ import annotations

from html import escape

from gatepass.results.record import Measurement, figure

_BAR, _GAP, _HEIGHT, _MOST = 14, 4, 56, 40
_LETTER, _SIZE = 7, 11
_INK, _LIMIT = "#37474f", "#c62828"


def sparkline(measurement: Measurement) -> str:
    """A bar a trial, from zero, and the promise as a broken line; as SVG that needs nothing else.

    Beside them stand the figure and the promise, each as high as it is.

    Args:
        measurement: with at least one trial; of more than fit the last are shown.

    Returns:
        Empty where there are no trials.
    """
    rates = measurement.trials[-_MOST:]
    limit = measurement.threshold
    highest = max((*rates, limit or 0), default=0)
    if not rates or highest <= 0:
        return ""

    def y(value: float) -> float:
        return _HEIGHT - value / highest * (_HEIGHT - 2)

    bars_end = len(rates) * (_BAR + _GAP) + _GAP
    parts = [
        f'<rect x="{_GAP + at * (_BAR + _GAP)}" y="{y(rate):.1f}" width="{_BAR}" '
        f'height="{_HEIGHT - y(rate):.1f}" fill="{_INK}"/>'
        for at, rate in enumerate(rates)
    ]
    beside = f"{figure(measurement.value)} {measurement.unit}"
    labels, at = [beside], _readable(y(measurement.value))
    if limit is not None:
        parts.append(
            f'<path d="M0 {y(limit):.1f}H{bars_end}" stroke="{_LIMIT}" stroke-width="1.5" '
            'stroke-dasharray="4 2"/>'
        )
        labels.append(f"{measurement.relation} {limit:g}")
        of_limit = _readable(y(limit))
        if abs(of_limit - at) < _SIZE:  # the higher one above the other
            at, of_limit = sorted((_SIZE, 2 * _SIZE + 1), reverse=measurement.value < limit)
        parts.append(_label(bars_end, of_limit, labels[-1], _LIMIT))
    parts.append(_label(bars_end, at, beside, _INK))
    width = bars_end + _GAP + _LETTER * max(map(len, labels))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HEIGHT}" role="img">'
        f"<title>{escape(in_words(measurement))}</title>{''.join(parts)}</svg>"
    )


def _readable(y: float) -> float:
    """Where a label's foot is, beside a height, so that all of it is seen."""
    return min(max(y + _SIZE / 2, _SIZE), _HEIGHT - 2)


def _label(x: float, y: float, text: str, colour: str) -> str:
    return (
        f'<text x="{x + _GAP}" y="{y:.1f}" font-size="{_SIZE}" font-family="sans-serif" '
        f'fill="{colour}">{escape(text)}</text>'
    )


def in_words(measurement: Measurement) -> str:
    """The same for who does not see it."""
    rates = ", ".join(figure(rate) for rate in measurement.trials[-_MOST:])
    promised = (
        ""
        if measurement.threshold is None
        else f"; {measurement.relation} {measurement.threshold:g} is promised"
    )
    return f"Trials: {rates} {measurement.unit}{promised}"
