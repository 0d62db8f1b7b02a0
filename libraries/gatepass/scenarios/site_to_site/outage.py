"""For how long a path was closed around a moment, and whether that is more than is allowed.

Numbered pulses tell an outage to within the time between two of them. It is held against its limit
as a time: a share of lost packets would depend on how long was looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

from gatepass.base.errors import NotProven
from gatepass.endpoint.pulse import Gap, Pulses


@dataclass(frozen=True)
class Outage:
    """The longest time in which no pulse was answered.

    Attributes:
        ms: of that time, in milliseconds; 0 where each pulse was answered.
        resolution_ms: between two pulses. The path was closed for at most so much less or more.
    """

    ms: float
    resolution_ms: float

    @property
    def least(self) -> float:
        """The path was closed for at least so long."""
        return max(0.0, self.ms - self.resolution_ms)

    @property
    def most(self) -> float:
        """It was not closed for longer; a path may close and open between two pulses."""
        return self.ms + self.resolution_ms

    def __str__(self) -> str:
        if not self.ms:
            return f"no pulse got lost, one each {self.resolution_ms:g} ms"
        return f"{self.ms:.0f} ± {self.resolution_ms:g} ms without an answer"


def longest(gaps: tuple[Gap, ...], interval_s: float) -> Outage:
    """The outage that these gaps show."""
    seconds = max((gap.seconds for gap in gaps), default=0.0)
    return Outage(round(seconds * 1000, 1), round(interval_s * 1000, 3))


def around(pulses: Pulses, moment: float, within_s: float) -> tuple[tuple[Gap, ...], ...]:
    """The gaps that touch the time around a moment, and all others.

    Args:
        pulses: of one path.
        moment: in seconds since the epoch.
        within_s: how far from it a gap may be.
    """
    begin, end = moment - within_s, moment + within_s
    near = tuple(gap for gap in pulses.gaps if gap.at <= end and gap.at + gap.seconds >= begin)
    return near, tuple(gap for gap in pulses.gaps if gap not in near)


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
                "this check alone, when nothing else is at work on the endpoints."
            )
    if inside.least > limit_ms:
        raise AssertionError(f"{seen} On the same path without a tunnel: {outside}.")
    raise NotProven(f"{seen} That is too close to call: run this check again.")
