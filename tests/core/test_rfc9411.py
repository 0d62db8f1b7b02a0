"""What RFC 9411 asks of a sustain phase, and how many attempts show it."""

from __future__ import annotations

import pytest

from gatepass.verdict.rfc9411 import (
    deviation_percent,
    failing_at_most,
    failures_in_words,
    steadiness_in_words,
    too_many,
)


def test_a_rate_that_swings_is_no_figure_by_the_rfc() -> None:
    assert deviation_percent([100, 100]) == 0
    assert deviation_percent([154, 184, 169]) == pytest.approx(8.88, abs=0.01)
    assert deviation_percent([0, 0]) == 0
    assert "less than 5 % is met" in steadiness_in_words(4.99)
    assert steadiness_in_words(5).startswith("RFC 9411's 5 % not met: the rate deviated by 5.0 %")


@pytest.mark.parametrize(
    ("failed", "attempted", "wrong", "told"),
    [
        (0, 299_000, False, "is not demonstrated by so few attempts"),
        (0, 300_000, False, "is demonstrated"),
        (1, 300_000, False, "is not demonstrated by so few attempts"),
        (1, 475_000, False, "is demonstrated"),
        (1, 100_000, True, "is not met"),
        (1, 18_000, True, "is not met"),
    ],
)
def test_less_than_a_share_takes_many_attempts(
    failed: int, attempted: int, wrong: bool, told: str
) -> None:
    assert too_many(failed, attempted) is wrong
    assert told in failures_in_words(failed, attempted, 0.95)


def test_none_of_few_leaves_much_room() -> None:
    assert failing_at_most(0, 3, 0.95) == pytest.approx(0.9986, abs=0.001)
    assert failing_at_most(0, 1, 0.95) == 1
    assert failures_in_words(0, 18_000, 0.95).startswith(
        "0 of 18,000 failed, so at most 0.017 % do (95 %)."
    )
    assert failures_in_words(0, 0, 0.95) == "No attempt was made."
