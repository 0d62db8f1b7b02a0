"""Gateways of the same tier and version beside each other."""

from __future__ import annotations

import random

import pytest

from gatepass.history.fleet import across_gateways
from history_examples import series, simulated


def _fleet(*figures: tuple[float, ...]):
    fleet = ((f"GW{number}", [series([trials])]) for number, trials in enumerate(figures))
    return across_gateways(fleet)


def test_the_odd_one_is_pointed_out() -> None:
    (row,) = _fleet((306, 305), (307, 306), (250, 251), (306, 307), (305, 306))
    assert row.odd == ("GW2",)
    assert row.median == 305.5
    assert row.off("GW2") == "−18 %" and row.distance("GW2") > 5


def test_none_is_odd_where_all_differ() -> None:
    (row,) = _fleet((306, 270), (240, 250), (288, 251), (306, 307), (270, 260))
    assert row.odd == ()


def test_three_are_too_few_to_tell() -> None:
    (row,) = _fleet((306, 305), (307, 306), (150, 151))
    assert row.odd == ()


def test_only_the_latest_figure_counts() -> None:
    (row,) = across_gateways([("GW", [series([(100, 100), (306, 306)])])])
    assert row.latest["GW"].value == 306


def test_a_gateway_without_the_figure_is_left_out() -> None:
    (row,) = across_gateways([("GW1", [series([(306, 306)])]), ("GW2", [])])
    assert set(row.latest) == {"GW1"}


@pytest.mark.parametrize(("between", "within"), [(0.002, 0.002), (0.02, 0.02), (0.05, 0.02)])
def test_a_fleet_without_an_odd_one(between: float, within: float) -> None:
    """At most one of 500 fleets of eight is told to have one."""
    chance = random.Random(20261121)
    alarms = 0
    for _ in range(500):
        points = simulated(chance, 8, between, within).points
        fleet = [(f"GW{at}", [series([point.trials])]) for at, point in enumerate(points)]
        alarms += bool(across_gateways(fleet)[0].odd)
    assert alarms <= 1
