"""Back-to-back frames (RFC 2544, 26.4): the longest burst that loses nothing.

The RFC varies the burst's length until it has the longest. A queue that is full loses what comes
after it, so that the number of the first frame that is missing tells the next length to try.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

from gatepass.base.errors import NotProven
from gatepass.scenarios.studies.frames import FrameSize, Way
from gatepass.scenarios.studies.trials import Send, tried

_MOST_TRIES = 12
_SLOWER, _RATES = 0.85, 5
"""Where the rig cannot keep the pace of a burst it is tried with so much less, so often at most."""


@dataclass(frozen=True)
class Bursts:
    """What was found for a frame size.

    Attributes:
        size: of the frames.
        per_s: frames a second within the bursts.
        frames: of the longest that lost nothing, in the mean of all repeats.
        repeats: how many there were.
        whole: whether even the longest that was tried lost nothing.
    """

    size: FrameSize
    per_s: float
    frames: float
    repeats: int
    whole: bool

    @property
    def seconds(self) -> float:
        """How long such a burst lasts."""
        return self.frames / self.per_s


def back_to_back(
    send: Send, through: Way, size: FrameSize, per_s: float, longest_s: float, repeats: int
) -> Bursts:
    """Find it so often.

    Args:
        send: sends.
        through: the gateway.
        size: of the frames.
        per_s: that the rig sends at most.
        longest_s: of a burst, in seconds.
        repeats: how often it is found.

    Raises:
        NotProven: the rig itself loses frames of bursts.
    """
    for slower in range(_RATES):
        rate = per_s * _SLOWER**slower
        most = round(rate * longest_s)
        try:
            found = [_longest(send, through, size, rate, most) for _ in range(repeats)]
        except NotProven:
            if slower == _RATES - 1:
                raise
        else:
            break
    return Bursts(size, rate, fmean(found), repeats, min(found) == most)


def _longest(send: Send, through: Way, size: FrameSize, per_s: float, most: int) -> int:
    length = most
    for _ in range(_MOST_TRIES):
        seen, why = tried(send, through.stream(size, per_s, length / per_s))
        if why:
            raise NotProven(
                f"the longest burst of frames of {size} cannot be determined, as {why}. Run again "
                "when nothing else is running on the endpoints."
            )
        if not seen.one.lost:
            return length
        # what overtook others is told among the gaps, but was not lost
        first = min((number for number, _, _ in seen.one.gaps), default=length - seen.one.lost)
        length = min(first, length - 1)
        if length < 1:
            break
    return 0
