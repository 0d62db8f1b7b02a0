"""A tunnel that carries more than was ordered is told, and held against nobody."""

from __future__ import annotations

import pytest

from gatepass.results.record import Measurement
from gatepass.verdict.ceiling import FACT, held_against, words
from said import measurement


def rate(value: float, half_width: float | None) -> Measurement:
    """A measured rate of a tunnel."""
    return measurement("Remote access throughput", "SSL VPN", value, "Mbit/s", "", half_width)


def test_above_the_ceiling_is_a_deviation() -> None:
    told = held_against(rate(526, 9), 315.0)
    assert told.facts == {FACT: 315.0}
    assert words(told).startswith("A deviation: the tunnel carries more than 315 Mbit/s")


@pytest.mark.parametrize(
    ("value", "half_width", "ceiling"), [(320, 9, 315), (305, 2, 315), (526, 9, None)]
)
def test_what_may_be_below_it_or_has_none_is_not(
    value: float, half_width: float, ceiling: float | None
) -> None:
    told = held_against(rate(value, half_width), ceiling)
    assert told.facts == {} and words(told) == ""


def test_one_figure_is_taken_as_it_is() -> None:
    assert FACT in held_against(rate(526, None), 315.0).facts
