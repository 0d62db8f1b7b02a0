"""Floods through the gateway: without a DoS policy, with one, and without it again."""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from gatepass.base.errors import NotProven
from gatepass.base.waiting import until
from gatepass.endpoint.frames import FrameCapture, FrameSender, looking_for, must_be_root
from gatepass.endpoint.shell import Shell
from gatepass.endpoint.taken_down import must_be_whole
from gatepass.endpoint.talk import Answering, Asking, Talked
from gatepass.gateway.dos_policy import DosPolicy
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.rules import ADDRESS, RuleSet, dotted
from gatepass.inputs.testbed import Testbed
from gatepass.scenarios.floods.findings import (
    MOST_CONNECTIONS,
    THRESHOLD,
    TRIED_CONNECTIONS,
    FloodFindings,
    Seen,
)
from gatepass.scenarios.floods.kinds import FLOODS, SESSIONS, SOURCE, TARGET
from gatepass.scenarios.floods.plan import MOST, PPS, Hosts, Round, round_numbers
from gatepass.scenarios.leaks.counters import counted_in, not_counted
from gatepass.scenarios.leaks.ways import INTERFACES, Side, sides_of

_LIMIT_S = 120
_APPLY_S = 3
"""How long a change may take to come into force."""
_CALM_S = 0.1
_FEW = 30
_CANDIDATES = 6
_TALK_S = 0.02
_POLICY = 80


def try_floods(
    gateway: FortiGate, rules: RuleSet, testbed: Testbed, shells: Mapping[str, Shell]
) -> FloodFindings:
    """Flood the server from the client, and see what arrives there.

    Args:
        gateway: the device.
        rules: the run's test policies; one for this takes their place.
        testbed: where it stands.
        shells: client and server by their names.

    Raises:
        NotApplicable: the device has no DoS policies.
        NotProven: an endpoint cannot do what is needed, or is not connected as is needed.
    """
    rows = {str(row.get("name")): row for row in gateway.rows(INTERFACES)}
    sides = {side.name: side for side in sides_of(testbed, shells, rows)}
    client, server = sides["client"], sides["server"]
    for side in (client, server):
        must_be_root(shells[side.name])
    port = testbed.endpoints.server.probe_port
    with _others(shells, client, server) as (other_source, other_target):
        hosts = Hosts(
            client.addresses[4], server.addresses[4], other_source, other_target, client.links[4]
        )
        floods = _Floods(shells, hosts, server, port)
        policy = _permitted(gateway, rules, hosts, client.port)
        counted = counted_in(gateway, [client])
        answering = Answering(shells["server"], hosts.target, port, _LIMIT_S)
        try:
            found = _rounds(floods, policy)
        finally:
            answering.stop()
            policy.drop()
        sent = {client.name: floods.sent}
        trouble = not_counted(gateway, [client], counted, sent)
    return FloodFindings(*found, trouble)


def _rounds(floods: _Floods, policy: DosPolicy) -> tuple[Seen, dict[str, Seen], Seen, Seen]:
    """Connections first: what a flood leaves in the session table would count among them."""
    policy.hold({SESSIONS: MOST_CONNECTIONS})
    connections = floods.until(
        lambda seen: seen.talked.opened <= MOST_CONNECTIONS, _FEW, TRIED_CONNECTIONS
    )
    policy.drop()
    before = floods.until(Seen.all_passed, connections=TRIED_CONNECTIONS)
    during = {}
    for held_by in (TARGET, SOURCE):
        chosen = [flood for flood in FLOODS if flood.held_by == held_by]
        policy.hold({flood.anomaly: THRESHOLD for flood in chosen})
        during[held_by] = floods.until(lambda seen, of=chosen: all(map(seen.held, of)))
    policy.drop()
    return before, during, connections, floods.until(Seen.all_passed)


class _Floods:
    """Rounds of floods between two endpoints.

    Args:
        shells: the endpoints by name.
        hosts: between whom it goes.
        server: the side where they arrive.
        port: of the server, that answers connections.

    Attributes:
        sent: frames so far.
    """

    def __init__(self, shells: Mapping[str, Shell], hosts: Hosts, server: Side, port: int) -> None:
        self.sent = 0
        self._client, self._server = shells["client"], shells["server"]
        self._hosts, self._port = hosts, port
        self._interface = server.links[4].interface
        self._numbers = round_numbers()

    def until(
        self, holds: Callable[[Seen], bool], packets: int = MOST, connections: int = 1
    ) -> Seen:
        """Rounds until one is as it should be, while a change may still come into force; the last.

        Args:
            holds: what should be.
            packets: of each flood.
            connections: that are open meanwhile.
        """
        seen: list[Seen] = []

        def again() -> bool:
            seen.append(self._round(Round(packets, next(self._numbers)), connections))
            return holds(seen[-1])

        until(again, _APPLY_S)
        return seen[-1]

    def _round(self, one: Round, connections: int) -> Seen:
        told = looking_for(self._interface, one.looked_for)
        capture = FrameCapture(self._server, f"flood-capture-{one.number}", told, _LIMIT_S)
        try:
            asking = Asking(
                self._client, self._hosts.target, self._port, connections, _TALK_S, _LIMIT_S
            )
            try:
                talked, sender = self._sent(one, capture, asking)
            finally:
                asking.stop()
            time.sleep(_CALM_S)
        finally:
            arrived = capture.stop()
        must_be_whole(self._server.name, arrived["dropped"])
        self.sent += sender["sent"] + sender["control"]
        return Seen(one.sent, sender["seconds"], one.arrived(arrived["arrived"]), talked)

    def _sent(self, one: Round, capture: FrameCapture, asking: Asking) -> tuple[Talked, dict]:
        """Send a round; how connections fared beside it, and what the sender says."""
        capture.ready()
        plan = one.as_json(self._hosts)
        sender = FrameSender(self._client, "flood-sender", plan, PPS * 3, _LIMIT_S).wait()
        return asking.end(), sender


@contextmanager
def _others(
    shells: Mapping[str, Shell], client: Side, server: Side
) -> Iterator[tuple[str, str]]:
    """One address behind each port that nobody has, answered for by the endpoint there.

    Raises:
        NotProven: there is none.
    """
    claims = {}
    try:
        for side in (client, server):
            told = looking_for(side.links[4].interface, {"ffffffff": 1}, _candidates(side))
            claims[side] = FrameCapture(shells[side.name], "flood-others", told, _LIMIT_S)
        found = []
        for side, claim in claims.items():
            busy = claim.ready()
            free = [address for address in _candidates(side) if address not in busy]
            if not free:
                raise NotProven(
                    f"there is no free address beside the {side.name} ({side.addresses[4]}), from "
                    "which or to which other hosts' packets could be tried. Give the test network "
                    "a larger range."
                )
            found.append(free[0])
        yield found[0], found[1]
    finally:
        for claim in claims.values():
            claim.stop()


def _candidates(side: Side) -> list[str]:
    """Addresses of a side's network, from its end on, but for those known to be somebody's."""
    network = side.links[4].network(side.addresses[4])
    known = {side.addresses[4], side.gateway[4]}
    last = int(network.broadcast_address) - 1
    first = max(int(network.network_address) + 1, last - 2 * _CANDIDATES)
    found = [str(ipaddress.ip_address(number)) for number in range(last, first - 1, -1)]
    return [address for address in found if address not in known][:_CANDIDATES]


def _permitted(gateway: FortiGate, rules: RuleSet, hosts: Hosts, port: str) -> DosPolicy:
    """Everything is permitted between these hosts; the DoS policy for them, not in force yet."""
    rules.prepare()
    named = {
        "client": hosts.source,
        "server": hosts.target,
        "flood-from": hosts.other_source,
        "flood-to": hosts.other_target,
    }
    for name in ("flood-from", "flood-to"):
        row = {
            "name": rules.named(name),
            "type": "ipmask",
            "subnet": dotted(f"{named[name]}/32"),
        }
        rules.changes.create(ADDRESS, row)
    sources, targets = (
        [rules.named(name) for name in names]
        for names in (("client", "flood-from"), ("server", "flood-to"))
    )
    rules.clear()
    members = {
        "srcaddr": [{"name": name} for name in sources],
        "dstaddr": [{"name": name} for name in targets],
    }
    rules.add(rules.test_row(rules.free_id(_POLICY), nat=False, **members))
    return DosPolicy(gateway, rules.changes, port, sources, targets)
