"""For how long a path was closed around a moment, and whether that is more than is allowed.

Numbered pulses tell an outage to within the time between two of them. It is held against its limit
as a time: a share of lost packets would depend on how long was looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

from gatepass.base.errors import NotProven
from gatepass.endpoint.pulse import Gap, Pulses

_UNEVEN = 2
"""By so many times the time between two pulses one may be late."""


@dataclass(frozen=True)
class Outage:
    """The longest time in which no pulse was answered.

    Attributes:
        ms: of that time, in milliseconds; 0 where each pulse was answered.
        resolution_ms: between two pulses. The path was closed for at most so much less or more.
        unseen_ms: the longest time in which it may have been closed because no pulse was sent; 0
            where the sender kept its pace.
    """

    ms: float
    resolution_ms: float
    unseen_ms: float = 0.0

    @property
    def least(self) -> float:
        """The path was closed for at least so long."""
        return max(0.0, self.ms - self.resolution_ms)

    @property
    def most(self) -> float:
        """It was not closed for longer; a path may close and open between two pulses."""
        return max(self.ms + self.resolution_ms, self.unseen_ms)

    def __str__(self) -> str:
        if not self.ms:
            return f"no pulse got lost, one each {self.resolution_ms:g} ms"
        return f"{self.ms:.0f} ± {self.resolution_ms:g} ms without an answer"


def longest(gaps: tuple[Gap, ...], interval_s: float) -> Outage:
    """The outage that these gaps show."""
    ms = round(max((gap.seconds for gap in gaps), default=0.0) * 1000, 1)
    resolution_ms = round(interval_s * 1000, 3)
    most_ms = round(max((gap.most_s for gap in gaps), default=0.0) * 1000, 1)
    # of a pulse that is a little late nothing is made
    paused = most_ms > ms + _UNEVEN * resolution_ms
    return Outage(ms, resolution_ms, most_ms if paused else 0.0)


def around(
    pulses: Pulses, moment: tuple[float, float], within_s: float
) -> tuple[tuple[Gap, ...], ...]:
    """The gaps that touch the time around a moment, and all others.

    Args:
        pulses: of one path.
        moment: not before and not after, in seconds since the epoch by the sender's clock.
        within_s: how far from it a gap may be.
    """
    begin, end = moment[0] - within_s, moment[1] + within_s
    found = (*pulses.gaps, *pulses.pauses)
    near = tuple(
        gap for gap in found if gap.at <= end and gap.at + max(gap.seconds, gap.most_s) >= begin
    )
    return near, tuple(gap for gap in found if gap not in near)


def conclude(
    subject: str, inside: Outage, outside: Outage, elsewhere: Outage, limit_ms: float
) -> None:
    """Return where the outage is within its limit; raise for every other verdict.

    Args:
        subject: what the limit is for, for the sentence: "Outage while …".
        inside: of the path that is judged, at that moment.
        outside: of a path beside it, at the same moment: what shows there as well is the rig's.
        elsewhere: of the path that is judged, at other times: what shows there as well has
            another cause than that moment.
        limit_ms: the longest outage that is allowed.

    Raises:
        AssertionError: it lasted longer.
        NotProven: the pulses cannot tell, or what was seen has another cause.
    """
    if inside.most <= limit_ms:
        return
    seen = (
        f"{subject}: {inside} (one observation, which has no spread; a pulse each "
        f"{inside.resolution_ms:g} ms tells it no closer); allowed are {limit_ms:g} ms."
    )
    for other, where in (
        (outside, "On the same path without a tunnel there were"),
        (elsewhere, "In the same tunnel, away from that moment, there were"),
    ):
        if other.ms and other.most > limit_ms:
            raise NotProven(
                f"{seen} {where} {other} as well, so that it may be no fault of the renewal. Run "
                "this check alone, when nothing else is running on the endpoints."
            )
    if inside.least > limit_ms:
        raise AssertionError(f"{seen} On the same path without a tunnel: {outside}.")
    if inside.unseen_ms:
        raise NotProven(
            f"{seen} The client stood still and sent nothing during a part of these "
            f"{inside.unseen_ms:.0f} ms, so the interruption may have lasted longer. Give it more "
            "processors."
        )
    raise NotProven(f"{seen} That is too close to call: run this check again.")
