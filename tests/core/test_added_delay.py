"""What a gateway adds to packets, from delays through it and beside it."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from probes import carried

from gatepass.results.agreement import Agreement
from gatepass.results.delays import Pair
from gatepass.verdict.added_delay import AddedDelay

ERROR, LIMIT_MS = 0.01, 5.0
QUIET = [10] * 990 + [60] * 10
"""Of the path without the gateway, us: hardly ever longer than the shortest."""


def added(*pairs: tuple[list[int], list[int] | None], **more: object) -> AddedDelay:
    """Of trials, each with its delays through the gateway and without it."""
    made = [Pair(carried(one), None if two is None else carried(two)) for one, two in pairs]
    return AddedDelay(made, **more)  # type: ignore[arg-type]


def bounds(*pairs: tuple[list[int], list[int] | None], **more: object) -> tuple[float, float]:
    return added(*pairs, **more).bounds_ms(99, ERROR, LIMIT_MS)


def test_a_gateway_that_adds_little_and_one_that_adds_much() -> None:
    low, high = bounds(*[([40] * 990 + [300] * 10, QUIET)] * 3)
    assert 0 <= low <= high == pytest.approx(0.29)
    low, high = bounds(*[([20_010] * 1000, QUIET)] * 3)
    assert low == pytest.approx(19.95) and high == pytest.approx(20.0)


@pytest.mark.parametrize("ahead_us", [-7_000_000, 3_600_000_000])
def test_clocks_that_differ_fall_out(ahead_us: int) -> None:
    pairs = [([40] * 900 + [90] * 100, QUIET)] * 3
    drifted = [
        ([one + ahead_us + 5000 * number for one in there], [one + ahead_us + 5000 * number
                                                             for one in beside])
        for number, (there, beside) in enumerate(pairs)
    ]
    assert bounds(*drifted) == bounds(*pairs)


def test_a_rig_that_is_slow_by_itself_blames_nobody() -> None:
    uneven = [10] * 900 + [9000] * 100
    low, high = bounds(*[(uneven, uneven)] * 3)
    assert low == 0 and high > LIMIT_MS


def test_what_got_lost_is_late() -> None:
    pairs = [Pair(carried([40] * 980, lost=20), carried(QUIET))] * 3
    assert AddedDelay(pairs).bounds_ms(99, ERROR, LIMIT_MS)[1] > 900
    assert AddedDelay(pairs, lost_is_late=False).bounds_ms(99, ERROR, LIMIT_MS)[1] < 0.1


def test_a_path_that_lost_some_itself_blames_nobody() -> None:
    both = carried([40] * 950, lost=50)
    low, _ = AddedDelay([Pair(both, both)] * 3).bounds_ms(99, ERROR, LIMIT_MS)
    assert low == 0


def test_too_few_have_no_bounds() -> None:
    assert bounds(([40] * 100, [10] * 100)) == (0, math.inf)
    assert bounds(([], [])) == (0, math.inf)


def test_what_comes_in_bursts_counts_for_less() -> None:
    calm, burst = [40] * 1000, [40] * 980 + [9000] * 20
    apart = [40] * 993 + [9000] * 7
    assert bounds((apart, QUIET), (apart, QUIET), (apart, QUIET))[1] < math.inf
    together = bounds((calm, QUIET), (calm, QUIET), (burst, QUIET))
    assert together[1] == math.inf  # as if of far fewer
    assert added((calm, QUIET), (calm, QUIET), (burst, QUIET)).worth(99) < 500


class TestWithoutAPathBeside:
    """Clocks alone tell."""

    def test_a_delay_is_as_unsure_as_the_clocks(self) -> None:
        ahead = Agreement(999_900.0, 1_000_100.0, 100)
        low, high = bounds(*[([1_000_400] * 1000, None)] * 3, clocks=ahead)
        assert (low, high) == (0, pytest.approx(0.5))

    def test_clocks_that_nobody_knows_tell_nothing(self) -> None:
        assert bounds(*[([40] * 1000, None)] * 3) == (0, math.inf)


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=60),
    st.permutations(range(60)),
)
def test_the_bounds_hold_however_the_two_parts_go_together(
    parts: list[tuple[int, int]], order: list[int]
) -> None:
    """Of the very packets that were seen: nothing is left to chance with so large an error."""
    own = [path for path, _ in parts] * 20
    gateway = [extra for _, extra in parts] * 20
    gateway = [gateway[order[place % 60] % len(gateway)] for place in range(len(own))]
    both = [here + there for here, there in zip(own, gateway, strict=True)]
    low, high = added((both, own)).bounds_ms(99, 0.49)
    truth = sorted(gateway)[math.ceil(0.99 * len(gateway)) - 1]
    more = sorted(gateway)[min(len(gateway) - 1, math.ceil(0.99 * len(gateway)))]
    assert low * 1000 <= more + 1e-6
    assert high * 1000 >= truth - 1e-6
