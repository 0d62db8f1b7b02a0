"""Turns for traffic: where gateways share something, one measures alone, or many talk.

A readers-writer lock for each resource that testbeds have in common, made of pabot's named locks: a
gate, and a room for each run of the fleet. Who talks goes through the gate into its own room. Who
measures stands in the gate until all rooms are its own; meanwhile nobody slips past, so nobody
waits for ever. Resources are taken in their order by name, so no two runs wait for each other.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TypeVar

from gatepass.base.errors import InputError
from gatepass.run.lock_server import LockServer, ServerLost
from gatepass.run.progress import tell
from gatepass.run.seats import Heartbeat, Seat, Watchdog

PLACE = "GATEPASS_TURNS"
"""Tells a run of its place in a fleet, as JSON; a run of its own has none."""
POLL_S = 0.2
"""Between two tries for a lock, in seconds."""
_TOLD_S = 1.0
"""After so long in seconds it is waiting, and no mere passing through the gate."""
PATIENCE_S = 20.0
"""How long the server may be away before a run gives up on it, in seconds."""
_T = TypeVar("_T")


class SharedTurns:
    """One run's turns on everything that its testbed shares.

    Args:
        seat: the run's place.
        resources: what its testbed shares with others of the fleet.
        server: the lock server.
    """

    def __init__(
        self,
        seat: Seat,
        resources: Collection[str],
        server: LockServer,
    ) -> None:
        self.stopping = threading.Event()
        """Set once the run is being stopped: no turn is waited for any more."""
        self._seat = seat
        self._resources = sorted(resources)
        self._server = server
        self._watch = Watchdog(seat)
        self._unsure = 0  # locks that may have been asked for twice, as an answer got lost
        self._patience_s = 0.0  # until it has answered once
        self._told = False

    def sit_down(self) -> None:
        """Take part in the fleet.

        Raises:
            ServerLost: the server does not answer.
        """
        self._ask(self._seat.sit_down, self._server)

    def leave(self) -> None:
        """Take no part any more; a server that is gone holds nothing."""
        with suppress(ServerLost):
            self._ask(self._seat.leave, self._server)

    def take(self, measuring: bool) -> bool:
        """Wait until it is this run's turn.

        Args:
            measuring: whether nobody else may have one on the same resources meanwhile.

        Returns:
            Whether it is; not when the run is being stopped.

        Raises:
            ServerLost: the server does not answer.
        """
        self.give_back()
        while not self.stopping.is_set():
            taken = all(self._take(resource, measuring) for resource in self._resources)
            self._go_on()
            if taken and not self._ask(self._seat.lost, self._server):
                return True
            self.give_back()
        return False

    def give_back(self) -> bool:
        """End the turn, if there is one.

        Returns:
            Whether it was this run's until now; not when others have taken the run for dead.

        Raises:
            ServerLost: the server does not answer.
        """
        lost = self._ask(self._seat.lost, self._server)
        again, self._unsure = self._unsure, 0
        for _ in range(1 + again):
            self._ask(self._server.release_all, self._seat.caller)
        if lost:
            self.sit_down()
        return not lost

    def _take(self, resource: str, measuring: bool) -> bool:
        gate = f"gate {resource}"
        if not self._await(gate, resource):
            return False
        if measuring:
            slots = range(self._ask(self._seat.all_slots, self._server))
        else:
            slots = range(self._seat.slot, self._seat.slot + 1)
        if not all(self._await(f"room {resource} {slot}", resource) for slot in slots):
            return False
        self._ask(self._server.release, gate, self._seat.caller)
        return True

    def _await(self, lock: str, resource: str) -> bool:
        """Take one lock; not when the run is being stopped."""
        look_at = time.monotonic() + _TOLD_S
        while not self.stopping.is_set():
            if self._ask(self._server.acquire, lock, self._seat.caller):
                self._ask(self._server.put, f"holder {lock}", self._seat.order)
                return True
            if time.monotonic() >= look_at:
                holder = self._ask(self._server.get, f"holder {lock}")
                tell("waits", resource=resource, held_by=holder)
                self._told = True
                self._ask(self._watch.look, self._server)
                look_at = time.monotonic() + self._watch.pace_s
            time.sleep(POLL_S)
        return False

    def _go_on(self) -> None:
        if self._told:
            tell("goes on")
        self._told = False

    def _ask(self, function: Callable[..., _T], *arguments: object) -> _T:
        """Call the server; for a while it may be away."""
        give_up = time.monotonic() + self._patience_s
        while True:
            try:
                answer = function(*arguments)
            except ServerLost:
                self._unsure += 1
                if time.monotonic() >= give_up or self.stopping.is_set():
                    self._patience_s = 0.0  # what is gone is not waited for at every check
                    raise
                time.sleep(POLL_S)
            else:
                self._patience_s = PATIENCE_S
                return answer


current: SharedTurns | None = None
"""Of this process; None where a run shares nothing."""


@contextmanager
def joined() -> Iterator[None]:
    """Take part in the fleet that the environment names; without one nothing is done.

    Raises:
        InputError: the lock server does not answer.
    """
    global current
    briefing = os.environ.get(PLACE)
    place = json.loads(briefing) if briefing else {}
    if not place.get("resources"):
        yield
        return
    seat = Seat(place["caller"], place["order"], place["slot"], place["slots"])
    server = LockServer(place["socket"])
    current = SharedTurns(seat, place["resources"], server)
    try:
        current.sit_down()
    except ServerLost as lost:
        raise InputError(
            f"turns: {lost}. Start it, or open the tunnel to it; see docs/fleet.md."
        ) from None
    heart = Heartbeat(seat, place["socket"])
    heart.start()
    try:
        yield
    finally:
        current.leave()
        heart.stop()
        current = None


def shared(resources: Sequence[Collection[str]]) -> list[list[str]]:
    """What at least two testbeds have in common, for each of them.

    Args:
        resources: of each testbed; one that two orders use stands there twice.
    """
    times = Counter(name for one in resources for name in set(one))
    return [sorted(name for name in set(one) if times[name] > 1) for one in resources]
