"""Frames of a size on a way, and how fast they are: frames a second, bits, bits on the line."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

from gatepass.inputs.objectives import SIMPLE_IMIX
from gatepass.results.datagrams import ETHERNET, LEAST_PAYLOAD, MEGA, Stream, headers

RFC2544_SIZES = (64, 128, 256, 512, 1024, 1280, 1518)
"""Of Ethernet, bytes with check sequence (RFC 2544, 9.1; the same for IPv6 in RFC 5180, 5.1.1)."""
IPV4, IPV6 = "IPv4", "IPv6"
LEAST_IPV6 = headers("::") + LEAST_PAYLOAD
"""Bytes of the smallest frame over IPv6 that holds what tells one from another."""
ON_THE_LINE = 20
"""Bytes that a line is busy with beside a frame: preamble, start of frame, gap (IEEE 802.3)."""


@dataclass(frozen=True)
class FrameSize:
    """Frames of one size, or of a mix, over IPv4 or IPv6.

    Attributes:
        family: IPv4 or IPv6.
        sizes: of the frames with their check sequence, bytes, in turn.
    """

    family: str
    sizes: tuple[int, ...]

    @property
    def label(self) -> str:
        """As tables name it."""
        return "IMIX" if len(self.sizes) > 1 else str(self.sizes[0])

    def __str__(self) -> str:
        return f"{self.label}{'' if len(self.sizes) > 1 else ' bytes'} over {self.family}"

    def mbps(self, per_s: float) -> float:
        """Of frames with check sequence, Mbit/s."""
        return per_s * fmean(self.sizes) * 8 / MEGA

    def packets_mbps(self, per_s: float) -> float:
        """Of IP packets, Mbit/s: without what Ethernet adds."""
        return per_s * (fmean(self.sizes) - ETHERNET) * 8 / MEGA

    def line_mbps(self, per_s: float) -> float:
        """What an Ethernet line is busy with, Mbit/s of its rate."""
        return per_s * (fmean(self.sizes) + ON_THE_LINE) * 8 / MEGA

    def line_per_s(self, mbps: float) -> float:
        """Frames a second that fill an Ethernet line of so many Mbit/s (RFC 2544, appendix B)."""
        return mbps / self.line_mbps(1)


def sizes(family: str, asked: tuple[int, ...]) -> tuple[FrameSize, ...]:
    """Frame sizes over IPv4 or IPv6; what is too small over IPv6 is the smallest possible."""
    least = LEAST_IPV6 if family == IPV6 else 0
    possible = dict.fromkeys(max(one, least) for one in asked)
    return tuple(FrameSize(family, (size,)) for size in possible)


IMIX = FrameSize(IPV4, SIMPLE_IMIX)
"""7 to 4 to 1 frames of 64, 570 and 1518 bytes, which is no size of RFC 2544's (see RFC 6985)."""


@dataclass(frozen=True)
class Way:
    """From the client to the server, through the gateway or beside it.

    Attributes:
        address: of the server.
        port: where the frames' datagrams arrive; the one after it is used as well.
    """

    address: str
    port: int

    def stream(
        self, size: FrameSize, per_s: float, seconds: float, name: str = "frames", after: int = 0
    ) -> Stream:
        """Frames at an even pace.

        Args:
            size: of the frames.
            per_s: frames a second.
            seconds: for how long.
            name: of the stream among those of a trial.
            after: by how much its port lies after the way's.
        """
        return Stream(name, self.address, self.port + after, size.sizes, per_s, seconds)


@dataclass(frozen=True)
class Ways:
    """The ways of one family.

    Attributes:
        through: the gateway, or a tunnel of it.
        beside: it, on the direct path.
        without: what the way beside does not pass.
    """

    through: Way
    beside: Way
    without: str = "the gateway"
