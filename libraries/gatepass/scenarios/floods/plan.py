"""The packets of one round: floods of three protocols at once, and what has no part in them."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from gatepass.endpoint.frames import members
from gatepass.scenarios.floods.frames import frame
from gatepass.scenarios.floods.kinds import FLOOD, FROM_ANOTHER, PROTOCOLS, TO_ANOTHER
from gatepass.scenarios.leaks.ways import Link

PPS = 1000
"""Packets of each protocol a second."""
EVERY = 30
"""Packets of a flood between two of its neighbours."""
MOST = 600
_PORTS, _NEIGHBOURS_PORTS = 1024, 60_000
_MOST_ROUNDS, _ROUND_S = 100, 0.75
"""The shortest rounds take as long, so that their numbers do not run ahead of the clock."""
_NUMBERS = 4096


def round_numbers() -> Iterator[int]:
    """Numbers of rounds, by the clock.

    What belongs to a session that a gateway still knows is no part of a sweep, and of echoes it
    knows one for up to a minute after its last packet. So a run right after another one takes other
    numbers, and with them other identifiers; these come again after a minute and a quarter, as
    there are no more than 65,536. Of TCP and UDP each round has a port of its own besides.
    """
    last = 0
    while True:
        last = max(last + 1, int(time.time() / _ROUND_S))
        yield last


@dataclass(frozen=True)
class Hosts:
    """Between whom it goes.

    Attributes:
        source, target: the endpoints' addresses.
        other_source, other_target: addresses behind the same ports that nobody has.
        link: the sender's, to the gateway.
    """

    source: str
    target: str
    other_source: str
    other_target: str
    link: Link

    def ends(self, role: str) -> tuple[str, str]:
        """From where to where the packets of a role go."""
        return (
            self.other_source if role == FROM_ANOTHER else self.source,
            self.other_target if role == TO_ANOTHER else self.target,
        )


@dataclass(frozen=True)
class Round:
    """One round, by whose marks its packets are known.

    Attributes:
        packets: of each flood, at most `MOST`.
        number: of the round; what it sends are other sessions than those of the others.
        port: of its TCP and UDP, the one that does not vary.
        marks: by protocol and role.
    """

    packets: int
    number: int
    marks: Mapping[tuple[str, str], int] = field(
        default_factory=lambda: {
            (protocol, role): secrets.randbits(31) | 1 << 31
            for protocol in PROTOCOLS
            for role in (FLOOD, TO_ANOTHER, FROM_ANOTHER)
        }
    )
    port: int = field(default_factory=lambda: _PORTS + secrets.randbelow(_NEIGHBOURS_PORTS))

    @property
    def sent(self) -> dict[str, int]:
        """How many packets of each protocol there are, by role."""
        neighbours = -(-self.packets // EVERY) + 1
        to_another = -(-neighbours // 2)
        return {
            FLOOD: self.packets,
            TO_ANOTHER: to_another,
            FROM_ANOTHER: neighbours - to_another,
        }

    @property
    def looked_for(self) -> dict[str, int]:
        """What a capture is told: how high the numbers after each mark go at most."""
        return {f"{mark:08x}": _NUMBERS for mark in self.marks.values()}

    def arrived(self, told: Mapping[str, list]) -> dict[tuple[str, str], int]:
        """How many a capture saw, by protocol and role.

        Args:
            told: rows of numbers by mark, as it tells them.
        """
        return {key: len(members(told[f"{mark:08x}"])) for key, mark in self.marks.items()}

    def as_json(self, hosts: Hosts) -> str:
        """The plan as the endpoint's program reads it."""
        parts = [self._part(protocol, hosts) for protocol in PROTOCOLS]
        return json.dumps(
            {
                "interface": hosts.link.interface,
                "block": _NUMBERS,
                "every": EVERY,
                "together": True,
                "first_port": _NEIGHBOURS_PORTS + self._place * 50,
                "words": [],
                "parts": parts,
            }
        )

    @property
    def _place(self) -> int:
        return self.number % _MOST_ROUNDS

    def _part(self, protocol: str, hosts: Hosts) -> dict:
        controls = [
            self._frame(protocol, role, hosts) for role in (TO_ANOTHER, FROM_ANOTHER)
        ]
        first = _PORTS + self._place * MOST
        ports = [[first, first + self.packets - 1]]
        flood = self._frame(protocol, FLOOD, hosts)
        return {"controls": controls, "first": 1, "ports": ports} | flood

    def _frame(self, protocol: str, role: str, hosts: Hosts) -> dict:
        mark = self.marks[protocol, role]
        ends, by_target = hosts.ends(role), role == FLOOD
        return frame(protocol, mark, ends, hosts.link, by_target, self.port)
