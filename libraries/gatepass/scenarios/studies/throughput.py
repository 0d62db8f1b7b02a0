"""Throughput by frame size (RFC 2544, 26.1): the highest rate at which no frame is lost."""

from __future__ import annotations

from dataclasses import dataclass

from gatepass.base.errors import NotProven
from gatepass.scenarios.studies.conditions import Conditions
from gatepass.scenarios.studies.frames import FrameSize, Way, Ways
from gatepass.scenarios.studies.search import NO_LOSS, SOME_LOSS, Attempt, Bounds, Found, search
from gatepass.scenarios.studies.trials import Send, by_rig, tried

FLAT_OUT = 1_000_000.0
"""Frames a second that no program sends: what is sent of them is as fast as it goes."""
_BACK_OFF = 0.85
_LEAST_OF_RIG = 1e-3
"""Share of the rig's rate below which nobody wants to know a throughput."""
_STEPS = 14


@dataclass(frozen=True)
class Throughput:
    """What was found for a frame size.

    Attributes:
        size: of the frames.
        rig_per_s: that the rig carries without loss beside the gateway, frames a second.
        found: by the search.
    """

    size: FrameSize
    rig_per_s: float
    found: Found

    @property
    def without_loss(self) -> Bounds:
        """RFC 2544's throughput."""
        return self.found.bounds[NO_LOSS]

    @property
    def with_some_loss(self) -> Bounds:
        """With half a per cent lost."""
        return self.found.bounds[SOME_LOSS]


def rig_rate(send: Send, beside: Way, size: FrameSize, seconds: float) -> float:
    """The highest of some rates that the rig carries beside the gateway without loss, frames/s.

    Args:
        send: sends.
        beside: the direct path.
        size: of the frames.
        seconds: of a trial.

    Raises:
        NotProven: it loses frames there at every rate.
    """
    flat_out = send([beside.stream(size, FLAT_OUT, min(seconds, 1.0))]).one
    rate = flat_out.sent_per_s
    for _ in range(_STEPS):
        rate *= _BACK_OFF
        if rate < 1:
            break
        seen, why = tried(send, beside.stream(size, rate, seconds))
        if not why and not seen.one.lost:
            return rate
    raise NotProven(
        f"the path without the gateway loses frames of {size} at every rate. Look at the "
        "endpoints' links, and run again when nothing else is at work on them."
    )


def throughput(send: Send, ways: Ways, size: FrameSize, conditions: Conditions) -> Throughput:
    """Search up to what the rig carries.

    Raises:
        NotProven: the rig carries nothing without loss, or a program failed.
    """
    rig = rig_rate(send, ways.beside, size, conditions.rig_s)

    def trial(per_s: float, seconds: float) -> tuple:
        seen, why = tried(send, ways.through.stream(size, per_s, seconds))
        return seen.one, why

    return Throughput(size, rig, search(trial, rig * _LEAST_OF_RIG, rig, conditions.search))


def loss_at(send: Send, way: Way, size: FrameSize, per_s: float, seconds: float) -> Attempt:
    """One trial at a rate, told with what the rig did in it."""
    seen = send([way.stream(size, per_s, seconds)])
    return Attempt(per_s, seconds, seen.one, by_rig(seen))
