"""One direction: when each frame leaves. Knows neither sockets nor clocks."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from lab.impairment.plan import Plan


class Line:
    """Says when frames leave that come in one after the other.

    Attributes:
        plan: what is done to those that come from now on.
    """

    def __init__(self, plan: Plan, began: float, random: Random) -> None:
        """
        Args:
            plan: what is done.
            began: when the time of its gaps begins, in seconds.
            random: the chance.
        """
        self.plan = plan
        self._began, self._random = began, random
        self._last = 0.0  # when the frame before leaves
        self._gate = 0.0  # when those leave that wait for a chance delay
        self._level, self._filled = 0.0, began  # bits in the buffer, and when that was so

    def departures(self, now: float, octets: int) -> Sequence[float]:
        """When a frame leaves, once for each time that it does; empty where it is lost.

        Args:
            now: when it comes, in seconds; never before the one before.
            octets: its length.
        """
        plan = self.plan
        since = now - self._began
        if any(since % gap.every_s >= gap.every_s - gap.seconds for gap in plan.gaps):
            return ()
        due = max(now + plan.delay_ms / 1000 + self._buffered(now, octets), self._last)
        if plan.jitter_ms:
            due = self._gated(due)
        self._last = due
        if self._by_chance(plan.overtaken_percent):
            due += plan.overtaken_ms / 1000  # those behind it do not wait for it
        return (due, due) if self._by_chance(plan.doubled_percent) else (due,)

    def _gated(self, due: float) -> float:
        """All that would leave before the gate opens leave then, so that none is overtaken.

        Were the delay of each drawn by itself, the longest of a while would hold up all behind it,
        and there would be next to no variation where packets are many.
        """
        if due > self._gate:
            self._gate = due + self._random.random() * self.plan.jitter_ms / 1000
        return self._gate

    def _buffered(self, now: float, octets: int) -> float:
        """How long a frame waits in the buffer; what finds it full passes all the same."""
        plan = self.plan
        if not plan.full_mbps:
            return 0.0
        per_s = plan.full_mbps * 1e6
        self._level = max(0.0, self._level - (now - self._filled) * per_s)
        self._filled = now
        wait = self._level / per_s
        self._level = min(self._level + octets * 8, per_s * plan.buffer_ms / 1000)
        return wait

    def _by_chance(self, percent: float) -> bool:
        return percent > 0 and self._random.random() * 100 < percent
