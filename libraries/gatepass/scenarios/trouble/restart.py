"""Restarts the gateway while permitted and forbidden packets go through it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from gatepass.base.errors import NotProven
from gatepass.base.waiting import until
from gatepass.endpoint.frames import must_be_root
from gatepass.endpoint.shell import Shell
from gatepass.endpoint.stream import Arrivals, Stream, clock_of
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.restart import BACK_S, Restart
from gatepass.gateway.rules import RuleSet
from gatepass.inputs.testbed import Testbed
from gatepass.scenarios.leaks.counters import counted_in, not_counted
from gatepass.scenarios.leaks.ways import INTERFACES, sides_of
from gatepass.scenarios.trouble.forbidden import PPS, Sent, Way
from gatepass.scenarios.trouble.permitted import permit_only

_LIMIT_S = BACK_S + 120
_INTERVAL_S = 0.02
_BEFORE_S, _AFTER_S = 0.5, 1.0
AGAIN_S = 10
"""How long what is permitted may stay away once the gateway answers again."""
_MANY = PPS
"""So many forbidden packets have to come to each port before the restart."""
_POLICY = 81


@dataclass(frozen=True)
class Restarted:
    """A restart that was seen from both sides.

    What arrived is placed by when it was sent, never by when it was read: between the call and the
    gateway's going down much still passes, and whoever takes it down may stand still.

    Attributes:
        asked: when it was asked for, by the client's clock, which sends.
        back: when the gateway's API was known to be there again, by the same clock.
        answered_s: after how many seconds it was.
        permitted: what arrived of the permitted stream.
        forbidden: packets that no policy permits, by way.
    """

    asked: float
    back: float
    answered_s: float
    permitted: Arrivals
    forbidden: tuple[Sent, ...]

    @property
    def passed_before(self) -> bool:
        """Whether what is permitted arrived before the restart."""
        return self.permitted.last_before(self.asked) is not None

    def passes_again(self) -> bool:
        """Whether something arrived that was sent when the gateway was there again.

        Raises:
            NotProven: nothing was sent then.
        """
        if self.permitted.first_after(self.back) is not None:
            return True
        self.permitted.must_have_been_sent(
            self.back + AGAIN_S / 2, self.back + AGAIN_S, "client"
        )
        return False


def restart(
    rules: RuleSet,
    another: FortiGate,
    testbed: Testbed,
    shells: Mapping[str, Shell],
    mark: str,
) -> Restarted:
    """Restart the gateway; only datagrams to the server's probe port are permitted.

    Args:
        rules: the run's test policies; one for these datagrams takes their place.
        another: a client of the gateway of its own.
        testbed: where it stands.
        shells: client and server by their names.
        mark: of the run.

    Raises:
        AssertionError: it does not come back.
        NotProven: it does not restart, an endpoint cannot do what is needed, or what is forbidden
            does not come to the gateway's ports.
    """
    gateway = rules.gateway
    rows = {str(row.get("name")): row for row in gateway.rows(INTERFACES)}
    sides = {side.name: side for side in sides_of(testbed, shells, rows)}
    client, server = sides["client"], sides["server"]
    for side in (client, server):
        must_be_root(shells[side.name])
    port = testbed.endpoints.server.probe_port
    permit_only(rules, _POLICY, "restart", udp_portrange=str(port))
    ways = [
        Way(shells, *ends, "restart", port, _LIMIT_S)
        for ends in ((client, server), (server, client))
    ]
    ends = (shells["client"], shells["server"])
    counted = counted_in(gateway, (client, server))
    stream = None
    try:
        for way in ways:
            way.begin()
        # before anything else is sent: what never came to the gateway is not its merit
        lost = not_counted(
            gateway, (client, server), counted, {client.name: _MANY, server.name: _MANY}
        )
        if lost:
            raise NotProven(lost)
        stream = Stream(*ends, server.addresses[4], port, mark, _INTERVAL_S, _LIMIT_S)
        time.sleep(_BEFORE_S)
        asked = clock_of(ends[0])
        device = Restart(another)
        device.begin()
        seconds = device.await_back()
        back = clock_of(ends[0])
        until(lambda: stream.brings(since=back), AGAIN_S)
        time.sleep(_AFTER_S)
        arrivals = stream.end()
        forbidden = tuple(way.end() for way in ways)
    finally:
        if stream:
            stream.stop()
        for way in ways:
            way.stop()
    return Restarted(asked, back, seconds, arrivals, forbidden)
