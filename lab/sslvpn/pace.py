"""The limit of the fault that the VPN is slow: one rate for all users together, both ways."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from lab.io.loop import Loop

_TICK_S = 0.004
_SAVED_S = 0.01
_QUEUE_S = 0.1
_LEAST_QUEUE = 65_536


class PacketPace:
    """Holds packets back until their turn, and drops what would wait too long.

    Args:
        loop: runs what lets them go.

    Attributes:
        mbps: the rate in Mbit/s; 0 for no limit.
    """

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._queue: deque[tuple[int, Callable[[], None]]] = deque()
        self._queued = 0
        self._free_at = 0.0
        self.mbps = 0.0

    def put(self, length: int, send: Callable[[], None]) -> None:
        """Have a packet of so many bytes sent when it is its turn."""
        room = max(self.mbps * 1e6 / 8 * _QUEUE_S, _LEAST_QUEUE)
        if self._queued + length > room:
            return
        if not self._queue:
            self._loop.spawn(self._run())
        self._queue.append((length, send))
        self._queued += length

    async def _run(self) -> None:
        while self._queue:
            self._let_go(time.monotonic())
            await self._loop.sleep(_TICK_S)

    def _let_go(self, now: float) -> None:
        self._free_at = max(self._free_at, now - _SAVED_S)
        while self._queue and self._free_at <= now:
            length, send = self._queue.popleft()
            self._queued -= length
            if self.mbps:
                self._free_at += length * 8 / (self.mbps * 1e6)
            send()
