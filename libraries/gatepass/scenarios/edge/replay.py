"""Segments in the name of a connection that cannot belong to it: with anti-replay and without.

`anti-replay` of a policy (FortiOS CLI reference, `firewall policy`): whether the sequence numbers
of its connections are looked at.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from typing_extensions import TypedDict

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import say
from gatepass.base.waiting import until
from gatepass.endpoint.answers import of_json, words_of
from gatepass.endpoint.frames import FrameCapture, looking_for, members, must_be_root
from gatepass.endpoint.probe import install
from gatepass.endpoint.script import script
from gatepass.endpoint.shell import Shell
from gatepass.endpoint.talk import Answering
from gatepass.gateway.fortigate import Refused
from gatepass.gateway.rules import RuleSet
from gatepass.inputs.testbed import Testbed
from gatepass.scenarios.leaks.ways import links_of

COUNT = 40
_LIMIT_S = 60
_APPLY_S = 3
"""How long a change may take to come into force."""
_POLICY = 82


@dataclass(frozen=True)
class Seen:
    """One connection, and what was sent in its name.

    Attributes:
        arrived: of `COUNT` segments beyond its window.
        goes_on: whether it was answered before and after them.
    """

    arrived: int
    goes_on: bool


class _Report(TypedDict):
    before: bool
    after: bool


@dataclass(frozen=True)
class Replayed:
    """What arrived without anti-replay, with it, and without it again."""

    before: Seen
    during: Seen
    after: Seen


def replay(rules: RuleSet, testbed: Testbed, shells: Mapping[str, Shell]) -> Replayed:
    """Send segments beyond the windows of connections from the client to the server.

    Args:
        rules: the run's test policies; one for this takes their place.
        testbed: where the gateway stands.
        shells: client and server by their names.

    Raises:
        NotApplicable: the device's policies have no anti-replay.
        NotProven: an endpoint cannot do what is needed, or a connection does not open.
    """
    client, server = shells["client"], shells["server"]
    for shell in shells.values():
        must_be_root(shell)
    ends = testbed.endpoints
    number = rules.free_id(_POLICY)
    try:
        rules.only(rules.test_row(number, nat=False, **{"anti-replay": "disable"}))
    except Refused as refused:
        raise NotApplicable(say("no_anti_replay", why=str(refused))) from None
    far = links_of(server, [ends.client.address])[ends.client.address].interface
    answering = Answering(server, ends.server.address, ends.server.probe_port, _LIMIT_S)
    connections = _Connections(client, server, testbed, far)
    try:
        before = connections.until(lambda seen: seen.arrived == COUNT)
        rules.attach(number, {"anti-replay": "enable"})
        during = connections.until(lambda seen: seen.arrived == 0 and seen.goes_on)
        rules.attach(number, {"anti-replay": "disable"})
        after = connections.until(lambda seen: seen.arrived == COUNT)
    finally:
        answering.stop()
        rules.clear()
    return Replayed(before, during, after)


class _Connections:
    """Connections from the client to the server, one after the other."""

    def __init__(self, client: Shell, server: Shell, testbed: Testbed, interface: str) -> None:
        self._client, self._server, self._interface = client, server, interface
        ends = testbed.endpoints
        server_end = ends.server
        self._where = (ends.client.address, server_end.address, server_end.probe_port)
        self._program = install(client, "replay.py")

    def until(self, holds: Callable[[Seen], bool]) -> Seen:
        """Connections until one is as it should be, while a change may still come into force."""
        seen: list[Seen] = []

        def again() -> bool:
            seen.append(self._one())
            return holds(seen[-1])

        until(again, _APPLY_S)
        return seen[-1]

    def _one(self) -> Seen:
        mark = f"{secrets.randbits(31) | 1 << 31:08x}"
        told = looking_for(self._interface, {mark: COUNT})
        capture = FrameCapture(self._server, "replay-capture", told, _LIMIT_S)
        try:
            capture.ready()
            send = script(
                "python3 {program} {where} {mark} {count}",
                program=self._program,
                where=self._where,
                mark=mark,
                count=COUNT,
            )
            done = self._client.run(send)
        finally:
            arrived = capture.stop()
        try:
            report = of_json(_Report, done.output)
        except ValueError:
            raise NotProven(
                f"segments could not be sent on the client: {words_of(done)}."
            ) from None
        count = len(members(arrived["arrived"][mark]))
        return Seen(count, report["before"] and report["after"])
