"""What was seen over the time of one observation, as a line in the log and in the report."""

from __future__ import annotations

from html import escape

from gatepass.results.record import Measurement, figure, required

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP, _RIGHT = 420, 120, 52, 16, 10, 8
_INK, _AXIS, _LIMIT = "#37474f", "#90a4ae", "#c62828"
_IN_SIGHT = 2
"""A limit beyond so many times the highest figure is not drawn: the line would lie flat."""


def timeline(measurement: Measurement) -> str:
    """A line over time, and the promise as a broken one; as SVG that needs nothing else.

    Args:
        measurement: of one observation; of several trials each stands in `sparkline`.

    Returns:
        Empty where it has no series.
    """
    series, step_s = measurement.series, measurement.series_interval_s or 0.0
    if not (measurement.observed and len(series) > 1):
        return ""
    limit, highest = measurement.threshold, max(*series, 0.0) or 1.0
    drawn = limit is not None and limit <= _IN_SIGHT * highest
    top = max(highest, limit or 0.0) if drawn else highest
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT

    def height(value: float) -> float:
        return bottom - value / top * (bottom - _TOP)

    points = " ".join(
        f"{_LEFT + (at + 0.5) * (right - _LEFT) / len(series):.1f},{height(value):.1f}"
        for at, value in enumerate(series)
    )
    parts = [
        f'<path d="M{_LEFT} {_TOP}V{bottom}H{right}" fill="none" stroke="{_AXIS}"/>',
        f'<polyline points="{points}" fill="none" stroke="{_INK}" stroke-width="1.5"/>',
        _text(_LEFT - 4, height(highest) + 4, f"{figure(highest)} {measurement.unit}", "end"),
        _text(_LEFT - 4, bottom, "0", "end"),
        _text(_LEFT, _HEIGHT - 3, "0 s", "start"),
        _text(right, _HEIGHT - 3, f"{len(series) * step_s:.1f} s", "end"),
    ]
    if drawn and limit is not None:
        parts.append(
            f'<path d="M{_LEFT} {height(limit):.1f}H{right}" stroke="{_LIMIT}" fill="none" '
            'stroke-dasharray="4 2"/>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" role="img">'
        f"<title>{escape(in_words(measurement))}</title>{''.join(parts)}</svg>"
    )


def in_words(measurement: Measurement) -> str:
    """The same for who does not see it."""
    figures = ", ".join(figure(value) for value in measurement.series)
    wanted = f"; {required(measurement)} is promised" if required(measurement) else ""
    step = f"{measurement.series_interval_s or 0:g} s"
    return f"Each {step}: {figures} {measurement.unit}{wanted}"


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="10" font-family="sans-serif" '
        f'fill="{_INK}" text-anchor="{anchor}">{escape(text)}</text>'
    )
