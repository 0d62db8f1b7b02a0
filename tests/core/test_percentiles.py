"""Ranks that bound a percentile, held against the binomial distribution itself."""

from __future__ import annotations

from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gatepass.stats.percentiles import fewest, ranks


def at_most(most: int, count: int, share: float) -> float:
    """The binomial distribution, added up."""
    return sum(
        comb(count, one) * share**one * (1 - share) ** (count - one) for one in range(most + 1)
    )


@pytest.mark.parametrize(
    ("count", "percent", "error", "wanted"),
    [
        (10, 50, 0.025, (2, 9)),  # the table of every book on the median
        (20, 50, 0.025, (6, 15)),
        (5, 50, 0.025, (0, 6)),  # too few for either
        (368, 99, 0.025, (360, 368)),  # the largest is a bound from here on
        (367, 99, 0.025, (359, 368)),
        (0, 99, 0.025, (0, 1)),
    ],
)
def test_known_ranks(count: int, percent: float, error: float, wanted: tuple[int, int]) -> None:
    assert ranks(count, percent, error) == wanted


@given(st.integers(1, 200), st.sampled_from([50, 90, 99]), st.sampled_from([0.005, 0.025, 0.1]))
def test_the_nearest_ranks_that_hold(count: int, percent: float, error: float) -> None:
    share = percent / 100
    low, high = ranks(count, percent, error)
    if low:
        assert at_most(low - 1, count, share) <= error + 1e-12
    assert at_most(low, count, share) > error - 1e-12 or low == count
    if high <= count:
        assert at_most(high - 1, count, share) >= 1 - error - 1e-12
    assert high == 0 or at_most(high - 2, count, share) < 1 - error + 1e-12


@pytest.mark.parametrize(("percent", "error"), [(50, 0.025), (99, 0.025), (99.9, 0.005)])
def test_the_fewest_that_have_an_upper_bound(percent: float, error: float) -> None:
    count = fewest(percent, error)
    assert ranks(count, percent, error)[1] == count
    assert ranks(count - 1, percent, error)[1] == count


def test_a_day_of_samples_has_bounds() -> None:
    low, high = ranks(10**8, 99.9, 0.025)
    assert 0 < 99_900_000 - low < 10_000 and 0 < high - 99_900_000 < 10_000
