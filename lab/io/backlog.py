"""Bytes between the two halves of a session: taken in fast, given out as far as released.

While a large download is on its way to the client, the inspector already has the whole of it and
the scanner's verdict is there before the client has reached the part that is held back.
"""

from __future__ import annotations

import os

from lab.io.loop import Loop, Signal
from lab.io.stream import Stream

HELD = 256 << 10
"""Bytes that flow inspection holds back: something that is blocked never arrives whole."""
AHEAD = 64 << 20
"""Bytes that may lie here and wait for the receiver."""
_AT_ONCE = 1 << 20


class Backlog:
    """A file in memory that one side fills and the other empties.

    Args:
        loop: the loop.
        target: where the bytes go.
    """

    def __init__(self, loop: Loop, target: Stream) -> None:
        self._loop, self._target = loop, target
        self._fd = os.memfd_create("backlog", os.MFD_CLOEXEC)
        self._added = self._sent = self._released = 0
        self._changed = Signal(loop)
        self._error: OSError | None = None
        self._over = False
        self._users = 2  # this object's owner, and the coroutine that gives out
        loop.spawn(self._give_out())

    @property
    def gave(self) -> bool:
        """Whether anything was released."""
        return self._released > 0

    def add(self, piece: bytes | memoryview, hold: int) -> None:
        """Take bytes in, and release those before the last `hold`."""
        os.write(self._fd, piece)
        self._added += len(piece)
        if self._added - hold > self._released:
            self._released = self._added - hold
            self._changed.wake()

    async def room(self) -> None:
        """Wait until more may be added.

        Raises:
            OSError: the bytes cannot be given out any more.
        """
        while self._released - self._sent > AHEAD and self._error is None:
            await self._changed.wait()
        if self._error is not None:
            raise self._error

    async def release(self) -> None:
        """Give out everything and wait until that is done.

        Raises:
            OSError: it cannot be given out.
        """
        self._released, self._over = self._added, True
        self._changed.wake()
        while self._sent < self._added and self._error is None:
            await self._changed.wait()
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """Give out nothing more; once."""
        self._over = True
        self._released = min(self._released, self._sent)
        self._changed.wake()
        self._leave()

    def _leave(self) -> None:
        self._users -= 1
        if not self._users:
            os.close(self._fd)

    async def _give_out(self) -> None:
        try:
            while True:
                ready = self._released - self._sent
                if ready > 0:
                    size = min(ready, _AT_ONCE)
                    self._sent += await self._target.send_file(self._fd, self._sent, size)
                    self._changed.wake()
                elif self._over:
                    return
                else:
                    await self._changed.wait()
        except OSError as error:
            self._error = error
        finally:
            self._changed.wake()
            self._leave()
