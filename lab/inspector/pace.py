"""The limit of the fault that inspection is slow: one rate for everything together."""

from __future__ import annotations

import time

from .loop import Loop


class Pace:
    """Lets whoever has taken bytes wait as long as the rate asks for."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._free_at = 0.0
        self.mbps = 0.0

    async def spend(self, count: int) -> None:
        """Wait for these bytes' turn, where there is a limit."""
        if self.mbps:
            now = time.monotonic()
            self._free_at = max(self._free_at, now - 0.05) + count * 8 / (self.mbps * 1e6)
            if self._free_at > now:
                await self._loop.sleep(self._free_at - now)
