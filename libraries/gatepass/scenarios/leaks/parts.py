"""What a scan sends: parts, each of one kind, on one way; every frame has a number of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from scapy.packet import Packet as Crafted

from gatepass.scenarios.leaks.ways import Way

SCAN_PORT = 41001
"""Where scans come from, unless the source port is what is tried."""
CONTROL_PORT, WORDS_PORT = 39999, 39998
"""Where the permitted datagrams between the others come from, and the permitted connections."""
Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Stamp:
    """By what a frame of a scan is known wherever it arrives.

    Attributes:
        mark: of the sender, a random number of 32 bits.
        number: of the frame, from 1 on.
    """

    mark: int
    number: int

    def __bytes__(self) -> bytes:
        return self.mark.to_bytes(4, "big") + self.number.to_bytes(4, "big")


Build = Callable[[Stamp], Crafted | bytes]
"""Makes the IP packet of one frame."""


@dataclass(frozen=True, eq=False)
class Sweep:
    """One packet, sent to each of some ports.

    Attributes:
        way: between which ports of the gateway.
        kind: what the check is about.
        words: what a packet is, without its port.
        build: makes the packet to a port.
        spans: first and last port of each row of them.
        target: to which address; empty for the endpoint behind the way.
        source_port: from which port.
    """

    way: Way
    kind: str
    words: str
    build: Callable[[Stamp, int], Crafted]
    spans: Spans
    target: str = ""
    source_port: int = SCAN_PORT

    def __len__(self) -> int:
        return sum(last - first + 1 for first, last in self.spans)

    def port(self, index: int) -> int:
        """The port of the frame in this place."""
        for first, last in self.spans:
            if index <= last - first:
                return first + index
            index -= last - first + 1
        raise IndexError(index)

    def told(self, index: int) -> str:
        """The frame in this place, for a sentence."""
        return f"{self.words} to port {self.port(index)}"


@dataclass(frozen=True, eq=False)
class Handful:
    """Packets that are all different.

    Attributes:
        way, kind: as of a `Sweep`.
        packets: what each is, and what makes it.
    """

    way: Way
    kind: str
    packets: tuple[tuple[str, Build], ...]

    def __len__(self) -> int:
        return len(self.packets)

    def told(self, index: int) -> str:
        """The packet in this place, for a sentence."""
        return self.packets[index][0]


Part = Sweep | Handful


def spans(ports: Sequence[int]) -> Spans:
    """Rows of neighbouring ports: first and last of each."""
    rows: list[list[int]] = []
    for port in sorted(set(ports)):
        if rows and rows[-1][1] == port - 1:
            rows[-1][1] = port
        else:
            rows.append([port, port])
    return tuple((first, last) for first, last in rows)
