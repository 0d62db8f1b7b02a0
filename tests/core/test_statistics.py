"""Intervals against published tables of Student's t (two-sided)."""

from __future__ import annotations

import math
from statistics import stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepass.statistics import Interval, interval

# NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2
TABLE = [
    (0.95, 1, 12.706),
    (0.95, 2, 4.303),
    (0.95, 4, 2.776),
    (0.95, 9, 2.262),
    (0.95, 29, 2.045),
    (0.95, 89, 1.987),
    (0.90, 4, 2.132),
    (0.99, 4, 4.604),
    (0.99, 1, 63.657),
    (0.998, 9, 4.297),
]


@pytest.mark.parametrize(("confidence", "freedom", "quantile"), TABLE)
def test_students_t(confidence: float, freedom: int, quantile: float) -> None:
    samples = [300 + (index * 7 % 11) for index in range(freedom + 1)]
    told = interval(samples, confidence)
    assert told.half_width is not None
    t = told.half_width * math.sqrt(len(samples)) / stdev(samples)
    assert t == pytest.approx(quantile, abs=6e-4)


def test_one_sample_says_nothing_of_its_spread() -> None:
    told = interval([300.0], 0.95)
    assert told == Interval(300.0, None)
    assert (told.lower, told.upper) == (-math.inf, math.inf)


def test_no_sample_is_an_error() -> None:
    with pytest.raises(ValueError):
        interval([], 0.95)


def test_equal_samples_have_no_width() -> None:
    assert interval([5.0, 5.0, 5.0], 0.99) == Interval(5.0, 0.0)


@given(st.lists(st.floats(1, 1e5), min_size=2, max_size=20))
def test_more_confidence_is_a_wider_interval_around_the_same_mean(samples: list[float]) -> None:
    narrow, wide = interval(samples, 0.9), interval(samples, 0.99)
    assert narrow.mean == wide.mean
    assert wide.lower <= narrow.lower <= narrow.mean <= narrow.upper <= wide.upper
