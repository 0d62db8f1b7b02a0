"""Whether two figures are one, where one was written down with fewer digits."""

from __future__ import annotations

import math
from dataclasses import fields

from gatepass.results.record import Measurement

DIGITS = 7
"""Significant ones of a measurement."""


def same(noted: float, figure: float) -> bool:
    """Whether a figure is another one with fewer digits."""
    return math.isclose(noted, figure, rel_tol=5 * 10.0**-DIGITS, abs_tol=6e-4)


def differs(one: Measurement, again: Measurement) -> str:
    """In what two figures differ, by its name in the record; empty where in nothing."""
    return next(
        (
            field.name
            for field in fields(Measurement)
            if getattr(one, field.name) != getattr(again, field.name)
        ),
        "",
    )
