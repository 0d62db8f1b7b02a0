"""Something that is done again and again while the gateway runs."""

from __future__ import annotations

import asyncio


class Periodic:
    """Begins with `start`, ends with `stop`.

    Attributes:
        seconds: between two times; said by the class.
    """

    seconds: float
    _task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin; the first time comes after `seconds`."""
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Do it no more."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self.seconds)
            await self.tick()

    async def tick(self) -> None:
        """What is done; it must not raise."""
        raise NotImplementedError
