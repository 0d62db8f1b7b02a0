"""What the sessions of all protocols share: two halves, a coroutine each way, one end."""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lab.inspector.clamd import Clamd
from lab.inspector.http import Unreadable
from lab.inspector.judge import Blocked, Judge
from lab.inspector.legs import Leg, opened
from lab.inspector.pace import InspectionPace
from lab.inspector.plan import InspectionPlan
from lab.inspector.reader import Reader
from lab.inspector.relay import Relay
from lab.io.loop import Loop, Signal
from lab.io.stream import Stream

if TYPE_CHECKING:
    from lab.inspector.events import SecurityLog
    from lab.inspector.ftp_data import Expected


@dataclass(slots=True)
class Room:
    """What all sessions work with."""

    loop: Loop
    clamd: Clamd
    log: SecurityLog
    pace: InspectionPace
    expected: Expected
    plan: InspectionPlan


class InspectedSession:
    """One session. It ends when both ways have ended, or at once when one of them breaks."""

    service = "TCP"

    def __init__(self, room: Room, leg: Leg) -> None:
        self.room, self.leg, self.client = room, leg, leg.stream
        self.policy = room.plan.policies[leg.slot]
        self.judge = Judge(room.plan, self.policy, leg, self.service, room.log)
        self.changed = Signal(room.loop)
        self.server: Stream | None = None
        self._ways = 0

    async def run(self) -> None:
        """Open the other half and let both ways run."""
        try:
            self.server = await self.open()
        except (OSError, TimeoutError):
            self.client.reset()
            return
        self.from_client, self.from_server = Reader(self.client), Reader(self.server)
        self.to_client = Relay(self.client, self.room.pace, self.room.plan.altered)
        self.to_server = Relay(self.server, self.room.pace, False)
        for way in (self.upward(), self.downward()):
            self._ways += 1
            self.room.loop.spawn(self._guarded(way))

    async def open(self) -> Stream:
        """Open the other half."""
        return await opened(self.room.loop, self.leg)

    async def upward(self) -> None:
        """The way from the client to the server."""
        raise NotImplementedError

    async def downward(self) -> None:
        """The way from the server to the client."""
        raise NotImplementedError

    async def _guarded(self, way: Coroutine[Any, Any, None]) -> None:
        try:
            await way
        except (OSError, TimeoutError, Unreadable, Blocked):
            self.abort()
        finally:
            self._ways -= 1
            if not self._ways:
                self.close()

    def abort(self) -> None:
        """End both halves at once."""
        for stream in (self.client, self.server):
            if stream is not None:
                stream.reset()

    def close(self) -> None:
        """Both ways have ended."""
        for stream in (self.client, self.server):
            if stream is not None:
                stream.close()
