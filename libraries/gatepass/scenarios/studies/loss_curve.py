"""Frame loss rate over the offered load (RFC 2544, 26.3).

From the highest rate downwards in steps of a tenth of it, until two trials in a row lose nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from gatepass.scenarios.studies.frames import FrameSize, Way
from gatepass.scenarios.studies.trials import Send, tried

STEP_PERCENT = 10
_CLEAN_ONES = 2


@dataclass(frozen=True)
class Point:
    """A trial of the curve.

    Attributes:
        size: of the frames.
        percent: of the highest rate.
        per_s: frames a second that were offered in truth.
        loss_percent: of the frames; None where the rig was the limit.
        by_rig: why it was; empty where it was not.
    """

    size: FrameSize
    percent: int
    per_s: float
    loss_percent: float | None
    by_rig: str = ""


def loss_curve(
    send: Send, through: Way, size: FrameSize, highest: float, seconds: float
) -> list[Point]:
    """Measure it.

    Args:
        send: sends.
        through: the gateway.
        size: of the frames.
        highest: frames a second that the rig carries; the RFC takes the medium's.
        seconds: of a trial.
    """
    points: list[Point] = []
    clean = 0
    for percent in range(100, 0, -STEP_PERCENT):
        rate = highest * percent / 100
        seen, why = tried(send, through.stream(size, rate, seconds))
        loss = None if why else 100 * seen.one.loss_ratio
        points.append(Point(size, percent, seen.one.sent_per_s, loss, why))
        clean = clean + 1 if loss == 0 else 0
        if clean == _CLEAN_ONES:
            break
    return points
