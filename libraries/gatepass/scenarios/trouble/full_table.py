"""A session table without room: what passes meanwhile, and what becomes of the sessions in it.

The gateway's own limit (`system/resource-limits`, `session`) is lowered to a little more than what
it holds. That it is full shows by connections: of many that a policy permits only some open, and
all of them as soon as the limit is gone.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import say
from gatepass.base.waiting import until
from gatepass.endpoint.frames import must_be_root
from gatepass.endpoint.shell import Shell
from gatepass.endpoint.talk import Answering, Asking, Talked
from gatepass.gateway.fortigate import GatewayLost, Refused
from gatepass.gateway.rules import RuleSet
from gatepass.gateway.session_limit import SessionLimit
from gatepass.inputs.testbed import Testbed
from gatepass.scenarios.leaks.counters import counted_in, not_counted
from gatepass.scenarios.leaks.ways import INTERFACES, sides_of
from gatepass.scenarios.trouble.forbidden import PPS, Sent, Way
from gatepass.scenarios.trouble.permitted import permit_only

TRIED = 300
"""So many that what a gateway counts a few seconds late cannot make room for all of them."""
_ROOM = 30
_TALK_S = 0.02
_APPLY_S = 3
"""How long a change may take to come into force."""
_LOOK_S = 1.0
"""How long a connection is looked at once the table has been seen to be full."""
BACK_S = 10
"""How long new connections may go on being refused once there is room."""
_LIMIT_S = BACK_S + 120
_POLICY = 84


@dataclass(frozen=True)
class FullTable:
    """A session table that was full.

    Attributes:
        most: sessions that there might be.
        opened: of `TRIED` connections while it was full.
        lasted_s: for how long it had certainly been at the end, in seconds.
        kept: how a connection from before fared until then.
        again_s: how long after the limit all of `TRIED` opened, in seconds; None if they did not.
        forbidden: packets that no policy permits.
    """

    most: int
    opened: int
    lasted_s: float
    kept: Talked
    again_s: float | None
    forbidden: Sent

    @property
    def kept_on(self) -> bool:
        """Whether the connection from before was answered what it said while it certainly was.

        Only the end counts: a limit comes into force some time after it is set.

        Raises:
            NotProven: the client stood still for most of that time and said nothing.
        """
        if self.kept.silent_s < self.lasted_s:
            return True
        if self.kept.still_s > self.lasted_s / 2:
            raise NotProven(
                f"the client stood still for {self.kept.still_s * 1000:.0f} ms, so it cannot be "
                "determined whether the earlier connection continued. Give it more processors."
            )
        return False

    def must_have_been_full(self) -> None:
        """What is seen tells of a full table only if it was.

        Raises:
            NotProven: it was not, or nobody can say.
        """
        if not self.kept.opened:
            raise NotProven(
                "the connection that was to continue did not open even while there was room, so "
                "it would prove nothing that it does not continue."
            )
        if self.opened == TRIED:
            raise NotProven(
                f"the session table was never full: all {TRIED} connections opened, although it "
                f"was to hold {self.most:,} sessions at most (system/resource-limits). What passes "
                "when it is full was not seen."
            )


def fill_table(rules: RuleSet, testbed: Testbed, shells: Mapping[str, Shell]) -> FullTable:
    """Fill the session table, and see what passes; only one TCP port of the server is permitted.

    Args:
        rules: the run's test policies; one for this takes their place.
        testbed: where the gateway stands.
        shells: client and server by their names.

    Raises:
        NotApplicable: the device has no such limit.
        NotProven: an endpoint cannot do what is needed, or what is forbidden does not come to the
            gateway's port.
    """
    gateway = rules.gateway
    rows = {str(row.get("name")): row for row in gateway.rows(INTERFACES)}
    sides = {side.name: side for side in sides_of(testbed, shells, rows)}
    client, server = sides["client"], sides["server"]
    for side in (client, server):
        must_be_root(shells[side.name])
    where = server.addresses[4], testbed.endpoints.server.probe_port
    permit_only(rules, _POLICY, "table", tcp_portrange=str(where[1]))
    way = Way(shells, client, server, "full-table", where[1], _LIMIT_S)
    counted = counted_in(gateway, [client])
    answering = Answering(shells["server"], *where, _LIMIT_S)
    kept = None
    try:
        kept = _asking(shells["client"], where, 1, "-kept")
        way.begin()
        # what never came to the gateway is not its merit
        if lost := not_counted(gateway, [client], counted, {client.name: PPS}):
            raise NotProven(lost)
        limit = _limit(rules)
        try:
            limit.hold()
            opened = _opened_while_full(shells["client"], where)
            full = time.monotonic()
            time.sleep(_LOOK_S)
            lasted_s, talked = time.monotonic() - full, kept.end()
        finally:
            _drop(limit)
        again_s = _all_open_again(shells["client"], where)
        forbidden = way.end()
    finally:
        if kept:
            kept.stop()
        way.stop()
        answering.stop()
    return FullTable(limit.most, opened, lasted_s, talked, again_s, forbidden)


def _limit(rules: RuleSet) -> SessionLimit:
    try:
        return SessionLimit(rules.changes, _ROOM)
    except Refused as refused:
        if refused.status != 404:
            raise
        raise NotApplicable(say("no_session_limit", why=str(refused))) from None


def _drop(limit: SessionLimit) -> None:
    """A gateway that has no room for a session has none for one that asks it to have more."""

    def dropped() -> bool:
        try:
            limit.drop()
        except GatewayLost:
            return False
        return True

    if not until(dropped, BACK_S):
        limit.drop()


def _opened_while_full(client: Shell, where: tuple[str, int]) -> int:
    """How many connections open, at last, while the limit may still come into force."""
    opened: list[int] = []

    def full() -> bool:
        opened.append(_opened(client, where))
        return opened[-1] < TRIED

    until(full, _APPLY_S)
    return opened[-1]


def _all_open_again(client: Shell, where: tuple[str, int]) -> float | None:
    began = time.monotonic()
    if until(lambda: _opened(client, where) == TRIED, BACK_S):
        return time.monotonic() - began
    return None


def _opened(client: Shell, where: tuple[str, int]) -> int:
    """How many of the connections were answered; they are closed again."""
    asking = _asking(client, where, TRIED, "-many")
    try:
        return asking.end().opened
    finally:
        asking.stop()


def _asking(client: Shell, where: tuple[str, int], count: int, name: str) -> Asking:
    return Asking(client, *where, count, _TALK_S, _LIMIT_S, name)
