"""All that one endpoint sends in a scan: numbered, in blocks, as its program there wants it."""

from __future__ import annotations

import json
import secrets
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from scapy.layers.inet import IP
from scapy.layers.inet6 import IPv6

from gatepass.gateway.packet import Packet
from gatepass.scenarios.leaks.craft import control, words_for_helpers
from gatepass.scenarios.leaks.frames import framed, template
from gatepass.scenarios.leaks.kinds import HELPERS
from gatepass.scenarios.leaks.parts import WORDS_PORT, Part, Stamp, Sweep
from gatepass.scenarios.leaks.ways import Link, Side, Way

BLOCK = 4096
"""Frames of a block at most. A block counts only if all its permitted datagrams arrived."""
EVERY = 256
"""Frames between two permitted datagrams."""
CONTROL_BITS = 5
"""Of the number of a permitted datagram, for its place in its block: 17 of them at most."""


@dataclass(frozen=True)
class Block:
    """Frames that are sent one after the other, and counted together.

    Attributes:
        number: over all parts of a plan.
        part: what they belong to.
        first: number of the first frame.
        frames: how many, without the permitted datagrams.
    """

    number: int
    part: Part
    first: int
    frames: int

    @property
    def controls(self) -> range:
        """The numbers of its permitted datagrams."""
        count = -(-self.frames // EVERY) + 1
        return range(self.number << CONTROL_BITS, (self.number << CONTROL_BITS) + count)


@dataclass(eq=False)
class Plan:
    """What one endpoint sends.

    Attributes:
        side: the endpoint.
        permitted: TCP and UDP port that the scan's policies permit.
        parts: in the order in which they are sent.
        mark, control_mark: by which its frames and its permitted datagrams are known.
    """

    side: Side
    permitted: int
    parts: Sequence[Part]
    mark: int = field(default_factory=lambda: secrets.randbits(31) | 1 << 31)
    control_mark: int = field(default_factory=lambda: secrets.randbits(31) | 1 << 31)

    def __post_init__(self) -> None:
        self._firsts, number = [], 1
        for part in self.parts:
            self._firsts.append(number)
            number += len(part)
        self.frames = number - 1
        self.blocks = [
            Block(count, part, first + at, min(BLOCK, len(part) - at))
            for count, (part, first, at) in enumerate(
                (part, first, at)
                for part, first in zip(self.parts, self._firsts, strict=True)
                for at in range(0, len(part), BLOCK)
            )
        ]

    @property
    def numbered(self) -> list[tuple[Part, range]]:
        """The parts, each with the numbers of its frames."""
        return [
            (part, range(first, first + len(part)))
            for part, first in zip(self.parts, self._firsts, strict=True)
        ]

    @property
    def ways(self) -> list[Way]:
        """The ways on which something is sent."""
        return list(dict.fromkeys(part.way for part in self.parts))

    def part_of(self, number: int) -> tuple[Part, int]:
        """The part that a frame belongs to, and its place in it."""
        at = bisect_right(self._firsts, number) - 1
        return self.parts[at], number - self._firsts[at]

    @cached_property
    def _crafted(self) -> list[list[bytes]]:
        """Of each part its IP packets as they are sent; of a sweep the one that has no port yet."""
        made = []
        for part, first in zip(self.parts, self._firsts, strict=True):
            if isinstance(part, Sweep):
                made.append([bytes(part.build(Stamp(self.mark, 0), 0))])
            else:
                made.append(
                    [
                        bytes(build(Stamp(self.mark, first + index)))
                        for index, (_, build) in enumerate(part.packets)
                    ]
                )
        return made

    @cached_property
    def too_short(self) -> set[int]:
        """The numbers of frames that have no room for them: fragments of eight bytes."""
        mark = self.mark.to_bytes(4, "big")
        return {
            first + index
            for part, first, crafted in zip(self.parts, self._firsts, self._crafted, strict=True)
            if not isinstance(part, Sweep)
            for index, packet in enumerate(crafted)
            if packet.find(mark) + 8 > len(packet)
        }

    @property
    def words(self) -> list[tuple[str, int, str, int, str]]:
        """Connections that say what a helper would listen to: from where, to where, the text."""
        return [
            (way.ends[0], WORDS_PORT, way.ends[1], self.permitted, words_for_helpers(way))
            for way in dict.fromkeys(part.way for part in self.parts if part.kind == HELPERS)
        ]

    # -- for the endpoint ----------------------------------------------------------------------

    def as_json(self, sample: bool = False, link: Link | None = None) -> str:
        """The plan as the endpoint's program reads it.

        Args:
            sample: of each sweep one port alone.
            link: by which all of it is sent; each way's own unless given.
        """
        own = next(iter(self.side.links.values()))
        content = {
            "interface": (link or own).interface,
            "block": BLOCK,
            "every": EVERY,
            "together": False,
            "first_port": 0,
            "words": [] if sample else self.words,
            "parts": [
                self._part(part, first, crafted, sample, link)
                for part, first, crafted in zip(
                    self.parts, self._firsts, self._crafted, strict=True
                )
            ],
        }
        return json.dumps(content)

    def _part(
        self, part: Part, first: int, crafted: list[bytes], sample: bool, link: Link | None
    ) -> dict:
        by = link or part.way.link
        datagram = bytes(control(part.way, Stamp(self.control_mark, 0), self.permitted))
        told = {"controls": [template(datagram, self.control_mark, by)], "first": first}
        if isinstance(part, Sweep):
            ports = [part.spans[0][:1] * 2] if sample else part.spans
            made = template(crafted[0], self.mark, by)
            return told | {"ports": ports, "port_at": made["transport"] + 2} | made
        return told | {"frames": [framed(packet, by).hex() for packet in crafted]}

    # -- for the rule set ----------------------------------------------------------------------

    def as_met(self, number: int, leaves: str) -> Packet:
        """What a policy would be asked about a frame.

        Args:
            number: of the frame.
            leaves: the gateway's port by which it was seen to leave.
        """
        part, index = self.part_of(number)
        if isinstance(part, Sweep):
            return replace(self._met(self._number_of(part), leaves), target_port=part.port(index))
        return self._met(number, leaves)

    def _number_of(self, part: Part) -> int:
        """The number of a part's first frame."""
        return next(first for one, first in zip(self.parts, self._firsts, strict=True)
                    if one is part)

    @lru_cache(maxsize=4096)  # noqa: B019 - a plan lives as long as its run
    def _met(self, number: int, leaves: str) -> Packet:
        part, index = self.part_of(number)
        raw = self._crafted[self.parts.index(part)][0 if isinstance(part, Sweep) else index]
        layer = IP(raw) if raw[0] >> 4 == 4 else IPv6(raw)
        rest = layer.payload
        protocol = layer.proto if layer.version == 4 else layer.nh
        while layer.version == 6 and protocol in (0, 43, 44, 60) and hasattr(rest, "nh"):
            protocol, rest = rest.nh, rest.payload
        ports = hasattr(rest, "dport")
        return Packet(
            self.side.port,
            leaves,
            layer.src,
            layer.dst,
            protocol,
            target_port=rest.dport if ports else 0,
            source_port=rest.sport if ports else 0,
            icmp_type=rest.type if protocol in (1, 58) and hasattr(rest, "type") else 0,
        )
