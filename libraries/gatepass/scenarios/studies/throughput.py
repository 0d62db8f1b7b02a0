"""Throughput by frame size (RFC 2544, 26.1): the highest rate at which no frame is lost."""

from __future__ import annotations

from dataclasses import dataclass

from gatepass.base.errors import NotProven
from gatepass.scenarios.studies.conditions import Conditions
from gatepass.scenarios.studies.frames import FrameSize, Way, Ways
from gatepass.scenarios.studies.search import NO_LOSS, SOME_LOSS, Bounds, Found, search
from gatepass.scenarios.studies.trials import LATE_SHARE, Send, tried

FLAT_OUT = 1_000_000.0
"""Frames a second that no program sends: what is sent of them is as fast as it goes."""
_BACK_OFF, _LITTLE_LESS = 0.85, 0.95
_LEAST_OF_RIG = 1e-3
"""Share of the rig's rate below which nobody wants to know a throughput."""
_STEPS = 14


@dataclass(frozen=True)
class Throughput:
    """What was found for a frame size.

    Attributes:
        size: of the frames.
        rig_per_s: that the rig carries without loss beside the gateway, frames a second.
        offered_per_s: that it can offer to the gateway, which may slow it down: at most as much.
        found: by the search.
    """

    size: FrameSize
    rig_per_s: float
    offered_per_s: float
    found: Found

    @property
    def without_loss(self) -> Bounds:
        """RFC 2544's throughput."""
        return self.found.bounds[NO_LOSS]

    @property
    def with_some_loss(self) -> Bounds:
        """With half a per cent lost."""
        return self.found.bounds[SOME_LOSS]

    @property
    def told(self) -> str:
        """What is known of RFC 2544's throughput, in a few words."""
        bounds = self.without_loss
        if not bounds.lower:
            return "below what was tried"
        return "between the two" if bounds.upper is not None else "at least: the rig's limit"


def rig_rate(
    send: Send, beside: Way, size: FrameSize, seconds: float, without: str = "the gateway"
) -> float:
    """The highest of some rates that the rig carries beside the gateway without loss, frames/s.

    Args:
        send: sends.
        beside: the direct path.
        size: of the frames.
        seconds: of a trial.
        without: what that path does not pass.

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
        f"the path without {without} loses frames of {size} at every rate. Check the endpoints' "
        "links, and run again when nothing else is running on the endpoints."
    )


def offered_rate(send: Send, through: Way, size: FrameSize, rig: float, seconds: float) -> float:
    """The highest of some rates, up to the rig's, that the sender keeps through the gateway.

    A gateway that shares processors with the sender slows it down, and one may push back.

    Args:
        send: sends.
        through: the gateway.
        size: of the frames.
        rig: frames a second that the rig carries beside it.
        seconds: of a trial.

    Raises:
        NotProven: it keeps none.
    """
    rate = rig
    for _ in range(_STEPS):
        seen = send([through.stream(size, rate, seconds)]).one
        if seen.unsent <= seen.stream.count * LATE_SHARE:
            return rate
        rate = min(rate, seen.sent_per_s) * _LITTLE_LESS
    raise NotProven(f"the sender keeps no rate for frames of {size} through the gateway.")


def throughput(send: Send, ways: Ways, size: FrameSize, conditions: Conditions) -> Throughput:
    """Search up to what the rig carries.

    Raises:
        NotProven: the rig carries nothing without loss, or a program failed.
    """
    rig = rig_rate(send, ways.beside, size, conditions.rig_s, ways.without)

    def trial(per_s: float, seconds: float) -> tuple:
        seen, why = tried(send, ways.through.stream(size, per_s, seconds))
        return seen.one, why

    most = offered_rate(send, ways.through, size, rig, conditions.rig_s)
    found = search(trial, rig * _LEAST_OF_RIG, most, conditions.search)
    return Throughput(size, rig, most, found)
