"""The trials of a measurement as a picture the size of a line of text."""

from __future__ import annotations

from html import escape

from gatepass.results.record import Measurement, figure

_BAR, _GAP, _HEIGHT, _MOST = 9, 3, 30, 40
_INK, _LIMIT = "#37474f", "#c62828"


def sparkline(measurement: Measurement) -> str:
    """A bar a trial, from zero, and the promise as a broken line; as SVG that needs nothing else.

    Args:
        measurement: with at least one trial; of more than fit the last are shown.

    Returns:
        Empty where there are no trials.
    """
    rates = measurement.trials[-_MOST:]
    highest = max((*rates, measurement.threshold or 0), default=0)
    if not rates or highest <= 0:
        return ""
    width = len(rates) * (_BAR + _GAP) + _GAP
    bars = "".join(
        f'<rect x="{_GAP + at * (_BAR + _GAP)}" y="{_HEIGHT - tall:.1f}" width="{_BAR}" '
        f'height="{tall:.1f}" fill="{_INK}"/>'
        for at, tall in enumerate(rate / highest * (_HEIGHT - 2) for rate in rates)
    )
    limit = ""
    if measurement.threshold is not None:
        y = _HEIGHT - measurement.threshold / highest * (_HEIGHT - 2)
        limit = (
            f'<path d="M0 {y:.1f}H{width}" stroke="{_LIMIT}" stroke-width="1.5" '
            'stroke-dasharray="4 2"/>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HEIGHT}" role="img">'
        f"<title>{escape(in_words(measurement))}</title>{bars}{limit}</svg>"
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
