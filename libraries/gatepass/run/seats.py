"""Who takes part in a fleet, and who has died: a killed run holds nothing for ever.

Each run has a slot and beats a heart on the lock server. The beats are counted and never dated, so
the clocks of several machines need not agree. Who waits looks at the others' hearts: one that has
stood still over several looks is dead, and its locks are given back in its name. A pause of the
whole machine lasts for one look only and kills nobody.
"""

from __future__ import annotations

import itertools
import threading
from contextlib import suppress
from dataclasses import dataclass

from gatepass.run.lock_server import LockServer, ServerLost

BEAT_S = 2.0
"""Between two beats, in seconds."""
LOOK_S = 4.0
"""Between two looks at the others' hearts, in seconds."""
LOOKS = 5
"""So many in a row without a beat, and a run is dead."""
_SLOTS = "gatepass slots"


@dataclass(frozen=True)
class Seat:
    """The place of one run in its fleet.

    Attributes:
        caller: its id on the lock server; no other run has it.
        order: the order's name, for those who wait for it.
        slot: which one of the fleet's it is, from 0; of all its machines together.
        slots: how many there are.
    """

    caller: str
    order: str
    slot: int
    slots: int

    def sit_down(self, server: LockServer) -> None:
        """Take part from now on; the heart has to beat as long.

        Raises:
            ServerLost: the server does not answer.
        """
        server.put(_lost(self.caller), "")
        server.put(_SLOTS, self.all_slots(server))
        seated = _seated(server, self.slot)
        if self.caller not in seated:
            server.put(_slot(self.slot), [*seated, self.caller])

    def all_slots(self, server: LockServer) -> int:
        """How many slots there are, also those of another fleet that uses the same server.

        Raises:
            ServerLost: the server does not answer.
        """
        return max(self.slots, int(server.get(_SLOTS) or 0))

    def lost(self, server: LockServer) -> bool:
        """Whether others have taken this run for dead, and its locks with it.

        Raises:
            ServerLost: the server does not answer.
        """
        return bool(server.get(_lost(self.caller)))

    def leave(self, server: LockServer) -> None:
        """Hold nothing any more, and take no part.

        Raises:
            ServerLost: the server does not answer.
        """
        give_back(server, self.caller)
        _vacate(server, self.slot, self.caller)


class Heartbeat(threading.Thread):
    """Beats from a thread of its own for as long as the process lives."""

    def __init__(self, seat: Seat, socket: str) -> None:
        super().__init__(name="heart", daemon=True)
        self._beat = _beat(seat.caller)
        self._server = LockServer(socket)
        self._still = threading.Event()

    def run(self) -> None:
        """Beat until it is told to stop; a server that is away for a moment is tried again."""
        for count in itertools.count(1):
            with suppress(ServerLost):
                self._server.put(self._beat, count)
            if self._still.wait(BEAT_S):
                return

    def stop(self) -> None:
        """Beat no more."""
        self._still.set()
        self.join()


class Watchdog:
    """Looks at the others' hearts on behalf of one who waits."""

    def __init__(self, seat: Seat) -> None:
        self.pace_s = LOOK_S * max(1, seat.slots / 8)  # a large fleet is not to drown its server
        self._seat = seat
        self._seen: dict[str, tuple[object, int]] = {}  # beat, and how many looks it has stood

    def look(self, server: LockServer) -> None:
        """Look once; what a dead run holds is given back.

        Raises:
            ServerLost: the server does not answer.
        """
        for slot in range(self._seat.all_slots(server)):
            for caller in _seated(server, slot):
                if caller != self._seat.caller and self._stands_still(server, caller):
                    _release_dead(server, slot, caller)

    def _stands_still(self, server: LockServer, caller: str) -> bool:
        beat = server.get(_beat(caller))
        known, looks = self._seen.get(caller, (None, 0))
        self._seen[caller] = (beat, looks + 1 if beat == known else 0)
        return self._seen[caller][1] >= LOOKS


def give_back(server: LockServer, caller: str) -> None:
    """Give back whatever a run holds that will not go on, once its process has ended.

    Args:
        server: of its fleet.
        caller: its id there.

    Raises:
        ServerLost: the server does not answer.
    """
    for _ in range(2):  # a lock that was asked for twice, as an answer got lost, counts twice
        server.release_all(caller)
    server.release_value_set(caller)


def _release_dead(server: LockServer, slot: int, caller: str) -> None:
    give_back(server, caller)
    # After the locks: who was only slow finds it at the end of a turn that was not all its own.
    server.put(_lost(caller), True)
    _vacate(server, slot, caller)


def _vacate(server: LockServer, slot: int, caller: str) -> None:
    server.put(_slot(slot), [other for other in _seated(server, slot) if other != caller])


def _seated(server: LockServer, slot: int) -> list[str]:
    return list(server.get(_slot(slot)) or [])


def _slot(slot: int) -> str:
    return f"gatepass slot {slot}"


def _beat(caller: str) -> str:
    return f"gatepass beat {caller}"


def _lost(caller: str) -> str:
    return f"gatepass lost {caller}"
