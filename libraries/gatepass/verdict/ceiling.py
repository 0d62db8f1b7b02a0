"""Whether a tunnel carries more than the tier's ceiling: then nothing holds it to what was ordered.

No promise is broken to the customer, so the check passes. The provider gives away what others have
to pay for, so the certificate tells it as a deviation.
"""

from __future__ import annotations

from dataclasses import replace

from gatepass.results.record import Measurement

FACT = "above_ceiling_mbps"
"""Of a measurement that is above it: the ceiling, Mbit/s."""


def held_against(measurement: Measurement, ceiling: float | None) -> Measurement:
    """The measurement, with the ceiling among its facts where it is above.

    Args:
        measurement: of a rate, Mbit/s.
        ceiling: the tier's rate with the burst allowance; None where the order names no shaper.
    """
    surely = measurement.value if measurement.half_width is None else measurement.lower
    if ceiling is None or surely <= ceiling:
        return measurement
    return replace(measurement, facts=measurement.facts | {FACT: round(ceiling, 3)})


def words(measurement: Measurement) -> str:
    """The deviation in a sentence; empty where there is none."""
    ceiling = measurement.facts.get(FACT)
    if ceiling is None:
        return ""
    return (
        f"A deviation: the tunnel carries more than {ceiling:g} Mbit/s, the tier's rate with the "
        "burst allowance, so the rate limit does not apply to its traffic."
    )
