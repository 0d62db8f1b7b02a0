"""Intervals against published tables of Student's t (two-sided)."""

from __future__ import annotations

import math
import random
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepass.stats.intervals import Interval, degradation, interval

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
    value = interval([5.0, 5.0, 5.0], 0.99)
    assert (value.mean, value.half_width) == (5.0, 0.0)


@given(st.lists(st.floats(1, 1e5), min_size=2, max_size=20))
def test_more_confidence_is_a_wider_interval_around_the_same_mean(samples: list[float]) -> None:
    narrow, wide = interval(samples, 0.9), interval(samples, 0.99)
    assert narrow.mean == wide.mean
    assert wide.lower <= narrow.lower <= narrow.mean <= narrow.upper <= wide.upper


# Hokkanen 2016, tables 12 to 14: FTP download of 1 GiB, MB/s
PHYSICAL = (82.17, 69.11, 77.83, 79.39, 82.31, 78.75, 76.72, 79.66, 87.85, 81.01)
SERVICES_OFF = (78.59, 76.82, 80.68, 77.73, 77.23, 75.52, 76.53, 75.86, 79.45, 78.25)
SERVICES_ON = (74.85, 75.48, 72.67, 76.63, 75.72, 74.41, 76.88, 77.22, 59.19, 68.46)


def test_the_published_tables_give_the_published_figures() -> None:
    assert interval(PHYSICAL, 0.95).mean == pytest.approx(79.48, abs=1e-9)
    assert interval(SERVICES_OFF, 0.95).mean == pytest.approx(77.666, abs=1e-9)
    assert interval(SERVICES_ON, 0.95).mean == pytest.approx(73.151, abs=1e-9)
    told = degradation(SERVICES_OFF, SERVICES_ON, 0.95)
    assert round(told.percent) == 6
    # one slow download of the ten makes it wide: a cost of 1 % cannot be excluded
    assert 0.5 < told.lower < 1.5 and 10 < told.upper < 11.5


def test_what_costs_nothing_has_nothing_in_its_interval() -> None:
    told = degradation(SERVICES_OFF, SERVICES_OFF, 0.95)
    assert told.percent == 0
    assert told.lower < 0 < told.upper


@pytest.mark.parametrize(("without", "with_it"), [([100.0], [90.0, 91.0]), ([100.0, 99.0], [90.0])])
def test_one_download_gives_no_interval(without: list[float], with_it: list[float]) -> None:
    told = degradation(without, with_it, 0.95)
    assert (told.lower, told.upper) == (None, None)


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    dice = random.Random(2016)
    hits = 0
    for _ in range(400):
        off = [dice.gauss(300, 6) for _ in range(10)]
        on = [dice.gauss(240, 15) for _ in range(10)]
        told = degradation(off, on, 0.95)
        hits += told.lower <= 20 <= told.upper
    assert 0.92 * 400 < hits < 0.98 * 400
    assert fmean(off) > fmean(on)
