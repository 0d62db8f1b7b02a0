"""Figures that cannot be, and how they are told."""

from __future__ import annotations

import math

import pytest
from pydantic import TypeAdapter

from gatepass.base.figures import Count, Figures, NotNegative, Percent, Positive, impossible


class Told(Figures):
    share: Percent
    count: Count = 0


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (Percent, (0, 100, 3.5), (-0.01, 100.1, math.nan, math.inf, None, "much")),
        (Count, (0, 10**12), (-1, 2**64 - 1, 1.5, None, math.nan)),
        (NotNegative, (0, 1e9), (-1e-9, math.inf, math.nan, None)),
        (Positive, (1e-6,), (0, -1, math.inf)),
    ],
)
def test_ranges(kind: object, good: tuple, bad: tuple) -> None:
    assert [one for one in good if impossible(TypeAdapter(kind), one)] == []
    assert [one for one in bad if not impossible(TypeAdapter(kind), one)] == []


def test_the_first_is_named_as_it_was_told() -> None:
    assert impossible(Told, {"share": -3.25, "count": -1}) == ("share", "-3.25")
    assert impossible(Told, {"share": None}) == ("share", "nothing")
    assert impossible(Told, {"share": math.nan}) == ("share", "no number")
    assert impossible(Told, {"share": 3, "more": -1}) is None


def test_one_that_is_missing_is_another_fault() -> None:
    with pytest.raises(KeyError, match="share"):
        impossible(Told, {"count": 1})
