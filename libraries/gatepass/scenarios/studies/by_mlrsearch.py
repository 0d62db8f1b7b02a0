"""MLRsearch's own search, with trials that are sent here.

Its library looks through the stack of all callers where it is imported, which takes half a second
of a processor within Robot: only who searches imports this module.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from MLRsearch import (
    AbstractMeasurer,
    Config,
    MeasurementResult,
    MultipleLossRatioSearch,
    SearchGoal,
)

from gatepass.results.datagrams import Carried
from gatepass.scenarios.studies.conditions import Effort

Send = Callable[[float, float], tuple[Carried, str]]
"""A trial of so many frames a second for so many seconds, and why the rig was its limit, if so."""


@dataclass(frozen=True)
class Rates:
    """Frames a second that a search ended with, each None where it found none."""

    ratio: float
    holds: float | None
    too_high: float | None


def rates(
    send: Send, least: float, most: float, effort: Effort, ratios: Sequence[float]
) -> list[Rates] | None:
    """Search between two rates for each loss ratio; None where the time was over before the end.

    Args:
        send: a trial.
        least, most: frames a second.
        effort: how thoroughly.
        ratios: shares that may be lost.
    """
    config = Config()
    config.min_load = least  # first, as each is held against the other where it is set
    config.max_load = most
    config.goals = [
        SearchGoal(
            loss_ratio=ratio,
            exceed_ratio=effort.exceed,
            relative_width=effort.width,
            initial_trial_duration=effort.first_s,
            final_trial_duration=effort.final_s,
            duration_sum=effort.sum_s,
            fail_fast=False,
        )
        for ratio in ratios
    ]
    config.search_duration_max = effort.limit_s
    config.warmup_duration = None
    search = MultipleLossRatioSearch(config=config)
    try:
        results = search.search(measurer=_Measurer(send), debug=_silent)
    except RuntimeError:  # the time is over
        return None
    return [
        Rates(goal.loss_ratio, _told(one.relevant_lower_bound), _told(one.relevant_upper_bound))
        for goal, one in results.items()
    ]


def _told(bound: object) -> float | None:
    return None if bound is None else float(bound)


class _Measurer(AbstractMeasurer):
    """Sends MLRsearch's trials."""

    def __init__(self, send: Send) -> None:
        self._send = send

    def measure(self, intended_duration: float, intended_load: float) -> MeasurementResult:
        """One trial; what the rig brought about is loss to MLRsearch, and told apart after it."""
        carried, by_rig = self._send(intended_load, intended_duration)
        # what was not sent would be taken for lost, and a frame too many as well
        lost = max(1, carried.lost, carried.unsent) if by_rig else carried.lost
        return MeasurementResult(
            intended_duration=intended_duration,
            intended_load=intended_load,
            offered_count=max(carried.sent, lost),
            loss_count=lost,
        )


def _silent(text: str) -> None:
    """It tells each of its steps; the trials say the same."""
