"""A pool of testbeds: pabot's value sets, which an order takes from and gives back.

A set is held by the worker's id, like a lock, so what a dead worker holds goes back with its locks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable

from gatepass.fleet.briefing import SharedTestbed
from gatepass.run.lock_server import LockServer
from gatepass.run.seats import Heartbeat, Seat, Watchdog

_LOOK_S = 0.5
"""Between two looks whether one is free, in seconds."""


def fill(server: LockServer, places: Iterable[SharedTestbed], tiers: Iterable[str]) -> None:
    """Put testbeds into the pool; one that is there already stays with whoever has it.

    Args:
        server: of the fleet.
        places: the testbeds.
        tiers: all that there are, for testbeds that are for any of them.

    Raises:
        ServerLost: the server does not answer.
    """
    for place in places:
        tags = ",".join(place.tiers or tiers)
        server.add_value_set(place.name, {"testbed": place.name, "tags": tags})


def take(
    socket: str, seat: Seat, tier: str, known: Collection[str], given_up: Callable[[], bool]
) -> str:
    """Wait for a testbed that fits and take it.

    Its run has to be started at once, with turns of this seat: from then on its heart says that the
    testbed is in use.

    Args:
        socket: path of that of the lock server.
        seat: of the worker.
        tier: what was ordered.
        known: names of the testbeds that fit; what an earlier fleet left in the pool is not used.
        given_up: asked between two looks; whether nobody waits any more.

    Returns:
        The testbed's name; empty where it was given up.

    Raises:
        ServerLost: the server does not answer.
    """
    server, watch, heart = LockServer(socket), Watchdog(seat), Heartbeat(seat, socket)
    seat.sit_down(server)
    heart.start()
    try:
        next_look = time.monotonic() + watch.pace_s
        while not given_up():
            if name := server.acquire_value_set(seat.caller, tier):
                if name in known:
                    return name
                server.drop_value_set(name, seat.caller)
                continue
            if time.monotonic() >= next_look:
                watch.look(server)
                next_look = time.monotonic() + watch.pace_s
            time.sleep(_LOOK_S)
        seat.leave(server)
        return ""
    finally:
        heart.stop()
