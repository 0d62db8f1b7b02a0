"""System recovery (RFC 2544, 26.5): how long after an overload frames are still lost.

110 % of the throughput is offered for a minute, then half of it. Two streams make that up: one at
half the throughput all the time, one at the rest until the overload ends.
"""

from __future__ import annotations

from dataclasses import dataclass

from gatepass.results.datagrams import TICK_S, Carried
from gatepass.scenarios.studies.frames import FrameSize, Way
from gatepass.scenarios.studies.trials import Send, tried

OVERLOAD, AFTER = 1.1, 0.5
"""Of the throughput."""
STEADY, MORE = "steady", "more"


@dataclass(frozen=True)
class Recovery:
    """What was found for a frame size.

    Attributes:
        size: of the frames.
        per_s: that the throughput is, frames a second.
        seconds: from the end of the overload to the last frame that was lost, to within a tenth;
            None where it cannot be told.
        lost: frames of both streams.
        why: why it cannot be told; empty where it can.
    """

    size: FrameSize
    per_s: float
    seconds: float | None
    lost: int = 0
    why: str = ""


def recovery(
    send: Send,
    through: Way,
    size: FrameSize,
    per_s: float,
    rig_per_s: float,
    overload_s: float,
    after_s: float,
) -> Recovery:
    """Overload the gateway and relieve it.

    Args:
        send: sends.
        through: the gateway.
        size: of the frames.
        per_s: the throughput, frames a second.
        rig_per_s: what the rig carries.
        overload_s, after_s: how long each of the two lasts.
    """
    if per_s * OVERLOAD > rig_per_s:
        return Recovery(size, per_s, None, why="the rig carries no overload")
    seen, why = tried(
        send,
        through.stream(size, per_s * AFTER, overload_s + after_s, STEADY),
        through.stream(size, per_s * (OVERLOAD - AFTER), overload_s, MORE, after=1),
    )
    if why:
        return Recovery(size, per_s, None, why=why)
    steady, more = seen.carried[STEADY], seen.carried[MORE]
    lost = steady.lost + more.lost
    if not lost:
        return Recovery(size, per_s, None, why="the overload lost nothing: a queue took it in")
    return Recovery(size, per_s, _after(steady, more), lost)


def _after(steady: Carried, more: Carried) -> float:
    """From the last tenth of a second with both streams to the last one with a loss.

    Both streams begin together, so that their tenths of a second are the same ones.
    """
    lossy = [at for at, (sent, came) in enumerate(steady.ticks) if came < sent]
    return max(0, max(lossy, default=0) - (len(more.ticks) - 1)) * TICK_S
