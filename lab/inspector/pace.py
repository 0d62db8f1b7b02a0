"""The limits of the faults that inspection is slow: one turn after the other for everything."""

from __future__ import annotations

import time

from lab.io.loop import Loop


class InspectionPace:
    """Lets whoever has taken something wait as long as the limits ask for.

    Attributes:
        mbps: what is inspected at most, in Mbit/s; 0 for no limit.
        object_ms: what each object takes besides, in milliseconds.
    """

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._free_at = 0.0
        self.mbps = self.object_ms = 0.0

    async def spend(self, count: int) -> None:
        """Wait for these bytes' turn, where there is a limit."""
        if self.mbps:
            await self._take(count * 8 / (self.mbps * 1e6))

    async def look(self) -> None:
        """Wait for one object's turn, where an object takes any time."""
        if self.object_ms:
            await self._take(self.object_ms / 1000)

    async def _take(self, seconds: float) -> None:
        now = time.monotonic()
        self._free_at = max(self._free_at, now - 0.05) + seconds
        if self._free_at > now:
            await self._loop.sleep(self._free_at - now)
