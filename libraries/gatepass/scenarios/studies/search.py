"""The highest rate at which no more than a share of the frames is lost, by MLRsearch.

MLRsearch looks for several loss ratios at once and begins with short trials, so that it needs less
traffic than a binary search (draft-ietf-bmwg-mlrsearch; FD.io's own implementation). What it finds
is a rate that holds and one that does not, and the truth lies between the two.

A queue lifts short trials: what it takes in by their end was not lost, and not carried at that rate
either (see `came_through`). So both bounds are told as the rates at which frames came through.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from gatepass.results.datagrams import TICK_S, Carried
from gatepass.scenarios.studies.conditions import Effort

NO_LOSS, SOME_LOSS = 0.0, 0.005
"""RFC 2544's throughput (RFC 1242, 3.17), and the ratio that is told beside it."""
_US = 1e6
_TOLD_TO = 0.005
"""Share to which a rate of a trial of a second is told: a sender and a host pause now and then."""
_SATURATED = 0.99
"""What came through at less than so much of what was offered was held up on the way."""
_BURST_TICKS = 2
"""Tenths of a second at a trial's begin in which a shaper lets more pass than its rate."""

Trial = Callable[[float, float], tuple[Carried, str]]
"""A trial of so many frames a second for so many seconds, and why the rig was its limit, if so."""


@dataclass(frozen=True)
class Attempt:
    """A trial of a search.

    Attributes:
        per_s: frames a second that were asked for.
        seconds: for how long.
        carried: what became of them.
        by_rig: why the rig was its limit; empty where it was not.
    """

    per_s: float
    seconds: float
    carried: Carried
    by_rig: str = ""

    def holds(self, ratio: float) -> bool:
        """Whether no larger share was lost."""
        return not self.by_rig and self.carried.loss_ratio <= ratio


@dataclass(frozen=True)
class Bounds:
    """Between which rates the searched one lies, frames a second.

    Attributes:
        ratio: that may be lost.
        lower: that came through; 0 where even the least rate lost more.
        offered: at which it did.
        upper: at which more is lost; None where no rate that the rig carries loses so much.
        by_rig: why no upper bound is known; empty where it is.
    """

    ratio: float
    lower: float
    offered: float
    upper: float | None
    by_rig: str = ""


@dataclass(frozen=True)
class Found:
    """What a search found.

    Attributes:
        bounds: by the loss ratios.
        attempts: all its trials, in their order.
        whole: whether it came to its end in time.
    """

    bounds: dict[float, Bounds]
    attempts: Sequence[Attempt] = field(repr=False)
    whole: bool = True

    @property
    def traffic_s(self) -> float:
        """Seconds of traffic that it took."""
        return sum(one.seconds for one in self.attempts)


def search(
    trial: Trial,
    least: float,
    most: float,
    effort: Effort,
    ratios: Sequence[float] = (NO_LOSS, SOME_LOSS),
) -> Found:
    """Search between two rates for each loss ratio.

    Args:
        trial: sends.
        least, most: frames a second; the rig carries that many without loss beside the gateway.
        effort: how thoroughly.
        ratios: shares that may be lost.
    """
    from gatepass.scenarios.studies import by_mlrsearch  # not a moment earlier, as it says

    attempts: list[Attempt] = []

    def send(per_s: float, seconds: float) -> tuple[Carried, str]:
        carried, by_rig = trial(per_s, seconds)
        attempts.append(Attempt(per_s, seconds, carried, by_rig))
        return carried, by_rig

    found = by_mlrsearch.rates(send, least, most, effort, ratios)
    if found is None:
        bounds = {ratio: _of_trials(attempts, ratio, effort) for ratio in ratios}
        return Found(bounds, attempts, whole=False)
    bounds = {one.ratio: _bounds(attempts, one.ratio, one.holds, one.too_high) for one in found}
    return Found(bounds, attempts)


def came_through(carried: Carried) -> float:
    """Frames a second at which a trial's frames came through, not counting what waited at its end.

    It is told in two ways, and the lesser counts. By how much the delay grew in the trial tells how
    long the queue took to empty after it; one frame in a hundred is left out, as the few that a
    pause held up say nothing of a queue. And what arrived in the middle of the trial tells how fast
    frames came out of the queue, without the burst that a shaper lets pass at its begin.
    """
    if carried.sent < 2 or not carried.sent_per_s:
        return 0.0
    grown_s = (carried.delay.percentile(99) - carried.delay.percentile(0)) / _US
    lasted_s = carried.sent / carried.sent_per_s + max(0.0, grown_s)
    whole = (carried.sent - carried.lost) / lasted_s
    middle = _in_the_middle(carried)
    return whole if middle is None else min(whole, middle)


def _in_the_middle(carried: Carried) -> float | None:
    """Frames a second that arrived between a trial's begin and end; None of a short one."""
    arrived = carried.arrivals[_BURST_TICKS : len(carried.ticks) - 1]
    return sum(arrived) / (len(arrived) * TICK_S) if arrived else None


def _bounds(
    attempts: Sequence[Attempt], ratio: float, low: float | None, high: float | None
) -> Bounds:
    """Bounds by the rates that a search has told."""
    held = [one for one in attempts if one.per_s == low and one.holds(ratio)]
    lower = min((came_through(one.carried) for one in _longest(held)), default=0.0)
    lower *= 1 - _TOLD_TO
    lossy = [one for one in attempts if one.per_s == high and not one.holds(ratio)]
    reasons = [one.by_rig for one in lossy if one.by_rig]
    by_rig = high is None or (reasons and len(reasons) == len(lossy))
    known = [one for one in (None if by_rig else high, _capacity(attempts, ratio)) if one]
    if known:
        return Bounds(ratio, lower, low or 0.0, min(known))
    why = reasons[0] if reasons else (
        "the test set-up carries no more on the path without the gateway"
    )
    return Bounds(ratio, lower, low or 0.0, None, why)


def _capacity(attempts: Sequence[Attempt], ratio: float) -> float | None:
    """The rate at which no larger share than this is lost for long, by trials that a queue held up.

    Such a queue is never empty, so that what comes out of it is all that is carried.
    """
    came = [
        middle
        for one in _longest([one for one in attempts if not one.by_rig])
        if (middle := _in_the_middle(one.carried))
        and middle < _SATURATED * one.carried.sent_per_s
    ]
    return max(came) * (1 + _TOLD_TO) / (1 - ratio) if came else None


def _longest(attempts: Sequence[Attempt]) -> list[Attempt]:
    most = max((one.seconds for one in attempts), default=0.0)
    return [one for one in attempts if one.seconds == most]


def _of_trials(attempts: Sequence[Attempt], ratio: float, effort: Effort) -> Bounds:
    """Bounds of a search that was cut short, by its trials of full length."""
    full = [one for one in attempts if one.seconds >= effort.final_s]
    lossy = [one.per_s for one in full if not one.holds(ratio)]
    high = min(lossy, default=None)
    held = [one.per_s for one in full if one.holds(ratio) and (high is None or one.per_s < high)]
    return _bounds(full, ratio, max(held, default=None), high)
