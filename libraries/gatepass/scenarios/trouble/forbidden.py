"""Packets that no policy permits, sent while the gateway is in trouble."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from gatepass.base.errors import NotProven
from gatepass.endpoint.frames import FrameCapture, FrameSender, looking_for, members
from gatepass.endpoint.shell import Shell
from gatepass.endpoint.taken_down import must_be_whole
from gatepass.scenarios.floods.frames import frame
from gatepass.scenarios.floods.kinds import PROTOCOLS
from gatepass.scenarios.leaks.ways import Link, Side

PPS = 100
"""Packets of each protocol a second, on each way."""
_FIRST, _LAST = 1, 60_000


@dataclass(frozen=True)
class Forbidden:
    """Packets of one way.

    Attributes:
        ends: from where to where.
        link: the sender's, to the gateway.
        permitted: the one port that a policy permits; 0 where none does.
        marks: by protocol.
    """

    ends: tuple[str, str]
    link: Link
    permitted: int
    marks: Mapping[str, int] = field(
        default_factory=lambda: {
            protocol: secrets.randbits(31) | 1 << 31 for protocol in PROTOCOLS
        }
    )

    @property
    def looked_for(self) -> dict[str, int]:
        """What a capture is told: how high the numbers after each mark go at most."""
        return {f"{mark:08x}": _LAST for mark in self.marks.values()}

    def arrived(self, told: Mapping[str, list]) -> dict[str, int]:
        """How many a capture saw, by protocol.

        Args:
            told: rows of numbers by mark, as it tells them.
        """
        return {
            protocol: len(members(told[f"{mark:08x}"])) for protocol, mark in self.marks.items()
        }

    def as_json(self) -> str:
        """The plan as the endpoint's program reads it."""
        ports = (
            [[_FIRST, self.permitted - 1], [self.permitted + 1, _LAST]]
            if self.permitted
            else [[_FIRST, _LAST]]
        )
        parts = []
        for protocol, mark in self.marks.items():
            made = frame(protocol, mark, self.ends, self.link, by_target=True)
            parts.append({"controls": [made], "first": 1, "ports": ports} | made)
        return json.dumps(
            {
                "interface": self.link.interface,
                "block": _LAST,
                "every": _LAST,
                "together": True,
                "first_port": 0,
                "words": [],
                "parts": parts,
            }
        )


@dataclass(frozen=True)
class Sent:
    """What became of one way's packets.

    Attributes:
        way: that they went, in words.
        count: how many were sent.
        arrived: by protocol, how many did.
    """

    way: str
    count: int
    arrived: Mapping[str, int]

    @property
    def stopped(self) -> bool:
        """Whether none arrived."""
        return not any(self.arrived.values())

    def __str__(self) -> str:
        passed = [f"{count:,} {name.upper()}" for name, count in self.arrived.items() if count]
        told = f"{' and '.join(passed)} packets" if passed else "none"
        return (
            f"Of {self.count:,} packets from the {self.way} that no policy permits, {told} "
            "arrived."
        )


class Way:
    """Forbidden packets from one side to another, and what takes them down there.

    Args:
        shells: the endpoints by name.
        source, target: the sides.
        stem: of the programs' files on the endpoints.
        permitted: the one port that a policy permits; 0 where none does.
        limit_s: after which both programs end by themselves.
    """

    def __init__(
        self,
        shells: Mapping[str, Shell],
        source: Side,
        target: Side,
        stem: str,
        permitted: int,
        limit_s: float,
    ) -> None:
        self._name = f"{source.name} to the {target.name}"
        self._sender, self._receiver = shells[source.name], shells[target.name]
        ends = source.addresses[4], target.addresses[4]
        self._packets = Forbidden(ends, source.links[4], permitted)
        self._interface = target.links[4].interface
        self._stem, self._limit_s = stem, limit_s
        self._capture: FrameCapture | None = None
        self._frames: FrameSender | None = None

    def begin(self) -> None:
        """Take down what arrives, and send."""
        told = looking_for(self._interface, self._packets.looked_for)
        stem = f"{self._stem}-{self._receiver.name}"
        self._capture = FrameCapture(self._receiver, stem, told, self._limit_s)
        self._capture.ready()
        plan, pace = self._packets.as_json(), PPS * len(PROTOCOLS)
        stem = f"{self._stem}-from-{self._sender.name}"
        self._frames = FrameSender(
            self._sender, stem, plan, pace, self._limit_s, until_ended=True
        )

    def end(self) -> Sent:
        """Send no more; what became of what was sent.

        Raises:
            NotProven: not all that arrived was taken down.
        """
        sent = self._frames.end()
        told = self._capture.stop()
        self._capture = self._frames = None
        must_be_whole(self._receiver.name, told["dropped"])
        count = sent["sent"] + sent["control"]
        return Sent(self._name, count, self._packets.arrived(told["arrived"]))

    def stop(self) -> None:
        """End both, whatever they do."""
        if self._frames:
            self._frames.stop()
        if self._capture:
            with suppress(NotProven):
                self._capture.stop()
