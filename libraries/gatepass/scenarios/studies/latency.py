"""Latency at the throughput's rate (RFC 2544, 26.2), one way.

The RFC times one tagged frame of each trial. Here every frame is timed, so that a trial has a mean
and percentiles, and the mean of the trials has an interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from gatepass.base.errors import NotProven
from gatepass.results.agreement import Agreement
from gatepass.results.datagrams import Carried
from gatepass.scenarios.studies.frames import FrameSize, Way, Ways
from gatepass.scenarios.studies.trials import Send
from gatepass.stats.intervals import Interval, interval

_BESIDE = 3
"""Trials beside the gateway, which tell what of the latency is the rig's."""


ONE_CLOCK = Agreement(0.0, 0.0, 0)
"""Of two hosts on one machine."""


@dataclass(frozen=True)
class Delays:
    """Over some trials, microseconds.

    Attributes:
        mean: of the trials' means, with its interval.
        p50, p99, longest: means of the trials' percentiles, and the longest delay of all.
        lost: share of the frames that were lost meanwhile.
    """

    mean: Interval
    p50: float
    p99: float
    longest: float
    lost: float


@dataclass(frozen=True)
class Latency:
    """At a frame size's throughput.

    Attributes:
        size: of the frames.
        per_s: frames a second that were sent.
        through, beside: the gateway.
        error_us: of the clocks.
    """

    size: FrameSize
    per_s: float
    through: Delays
    beside: Delays
    error_us: float


def latency(
    send: Send,
    ways: Ways,
    size: FrameSize,
    per_s: float,
    repeats: int,
    seconds: float,
    clocks: Callable[[], Agreement] = lambda: ONE_CLOCK,
    confidence: float = 0.95,
) -> Latency:
    """Measure it in so many trials.

    Args:
        send: sends.
        ways: through the gateway and beside it.
        size: of the frames.
        per_s: frames a second.
        repeats: trials through the gateway.
        seconds: of each.
        clocks: how far the receiver's clock is ahead of the sender's now; asked before the trials
            and after them, as clocks drift.
        confidence: of the mean's interval.

    Raises:
        NotProven: a clock was set meanwhile.
    """
    before = clocks()

    def trials(way: Way, times: int) -> list[Carried]:
        return [send([way.stream(size, per_s, seconds)]).one for _ in range(times)]

    ran = trials(ways.beside, min(repeats, _BESIDE)), trials(ways.through, repeats)
    agreed = before.and_then(clocks())
    if math.isinf(agreed.error_us):
        raise NotProven(
            "by how much the clocks of client and server differ cannot be determined: one of "
            "them was set, or runs unevenly. Check their time synchronization and run again."
        )

    def delays(seen: Sequence[Carried]) -> Delays:
        spreads = [one.delay for one in seen if one.delay.count]
        if not spreads:
            nothing = float("nan")
            return Delays(Interval(nothing, None), nothing, nothing, nothing, 1.0)
        off = agreed.offset_us
        return Delays(
            mean=interval([one.mean - off for one in spreads], confidence),
            p50=fmean(one.percentile(50) for one in spreads) - off,
            p99=fmean(one.percentile(99) for one in spreads) - off,
            longest=max(one.percentile(100) for one in spreads) - off,
            lost=sum(one.lost for one in seen) / max(1, sum(one.sent for one in seen)),
        )

    beside, through = map(delays, ran)
    return Latency(size, per_s, through, beside, agreed.error_us)
