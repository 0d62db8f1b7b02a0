"""DeCusatis and Mueller 2014: a virtual firewall under UDP, IMIX, translation and IPsec.

The source names packets of so many bytes and no layer. They are taken as IP packets: one of 1500
bytes fills an Ethernet frame of 1518. It tells neither how a rate was found nor how long was tried;
both are as RFC 2544 has it here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from gatepass.base.paths import VARIABLES
from gatepass.inputs.published import load_published
from gatepass.results.agreement import Agreement
from gatepass.results.datagrams import ETHERNET
from gatepass.scenarios.studies import conditions as rfc2544
from gatepass.scenarios.studies.frames import IMIX, IPV4, IPV6, FrameSize, Ways
from gatepass.scenarios.studies.latency import Latency, latency
from gatepass.scenarios.studies.published import figure_of
from gatepass.scenarios.studies.trials import ATTEMPTS, Send

NAME = "decusatis2014"
SOURCE_CIPHER = "3des-sha1-dh2"
"""Triple DES and SHA-1; the source names no group."""
_SOURCE = "decusatis-2014"
_AT_EASE_PER_S, _SHARE = 1_000.0, 0.5
_BESIDE, _AROUND_S = 3, 1.5
"""Trials of a latency beside the gateway; what each trial takes beside its traffic, in seconds."""
_ROUND_S = 6.0
"""What bringing up tunnels and ending them takes, about, in seconds."""


@dataclass(frozen=True)
class Workload:
    """What the source sent.

    Attributes:
        label: as its tables name it.
        size: of the frames that carry its packets.
        published: conditions of its figure among those that are published.
        nat: whether the gateway hides the sender behind its own address.
    """

    label: str
    size: FrameSize
    published: Mapping[str, str] = field(hash=False)
    nat: bool = False


def packets(family: str, size: int) -> FrameSize:
    """Frames that carry IP packets of so many bytes."""
    return FrameSize(family, (size + ETHERNET,))


LARGEST, LATENCY, SMALLEST = packets(IPV4, 1500), packets(IPV4, 512), packets(IPV4, 64)

WORKLOADS = (
    Workload("IMIX, IPv4", IMIX, {"family": IPV4, "frame": "IMIX"}),
    Workload("UDP, 1500 B packets, IPv4", LARGEST, {"family": IPV4, "frame": "1518"}),
    Workload("UDP, 512 B packets, IPv6", packets(IPV6, 512), {"family": IPV6, "frame": "512"}),
    Workload(
        "NAT, 1500 B packets, IPv4", LARGEST, {"family": IPV4, "frame": "1518", "nat": "on"}, True
    ),
)
"""Table 1, in its order."""


def tunnelled(mtu: int) -> tuple[Workload, ...]:
    """Table 3: what was sent through a tunnel.

    Args:
        mtu: largest packet that the tunnel takes whole, bytes; none of the mix is larger, so that
            what is counted are packets and no fragments.
    """
    mix = FrameSize(IPV4, tuple(min(size, mtu + ETHERNET) for size in IMIX.sizes))
    return (
        Workload("IMIX", mix, {"frame": "IMIX", "tunnel": "ipsec"}),
        Workload("UDP, 64 B packets", SMALLEST, {"frame": "82", "tunnel": "ipsec"}),
    )


def figures(promise: str, workloads: Sequence[Workload]) -> dict[str, float]:
    """What the source published of these, by their labels, in the promise's unit."""
    found = {one.label: published_figure(promise, one.published) for one in workloads}
    return {label: value for label, value in found.items() if value is not None}


def published_figure(promise: str, conditions: Mapping[str, str]) -> float | None:
    """What the source published under these conditions, in the promise's unit; None for nothing."""
    published = load_published(VARIABLES / "published_results.yaml")
    return figure_of(published, _SOURCE, promise, conditions)


@dataclass(frozen=True)
class Conditions:
    """How thoroughly.

    Attributes:
        name: as a profile calls them; throughput is searched by RFC 2544's of that name.
        latency_repeats, latency_s: trials of a latency, and their length.
        rounds: how often the tunnels are brought up.
    """

    name: str
    latency_repeats: int
    latency_s: float
    rounds: int

    @property
    def searches(self) -> rfc2544.Conditions:
        """How a throughput is searched."""
        return rfc2544.CONDITIONS[self.name]

    @property
    def lasts_s(self) -> float:
        """About how long it takes with these, in seconds."""
        searches = (len(WORKLOADS) + len(tunnelled(1500))) * self.searches.search_s
        delays = 2 * (self.latency_repeats + _BESIDE) * (self.latency_s + _AROUND_S)
        return searches + delays + self.rounds * _ROUND_S


CONDITIONS = {
    one.name: one
    for one in (
        Conditions("whole", latency_repeats=20, latency_s=120.0, rounds=20),
        Conditions("short", latency_repeats=5, latency_s=0.5, rounds=5),
        Conditions("shortest", latency_repeats=2, latency_s=0.2, rounds=2),
    )
}
"""By the names that a profile calls them."""


def latencies(
    send: Send,
    ways: Ways,
    carried_per_s: float,
    asked: Conditions,
    clocks: Callable[[], Agreement],
    confidence: float,
) -> list[Latency]:
    """Of packets of 512 bytes at ease, and under load; the source tells no load.

    Args:
        send: sends.
        ways: through the gateway and beside it.
        carried_per_s: packets a second of 1500 bytes that the gateway carries; half as many of 512
            bytes are its load.
        asked: how thoroughly.
        clocks: how far the receiver's clock is ahead of the sender's now.
        confidence: of the mean's interval.

    Raises:
        NotProven: a clock was set meanwhile.
    """
    rates = sorted({min(_AT_EASE_PER_S, carried_per_s * _SHARE), carried_per_s * _SHARE})
    repeats, seconds = asked.latency_repeats, asked.latency_s
    return [
        latency(send, ways, LATENCY, rate, repeats, seconds, clocks, confidence) for rate in rates
    ]


@dataclass(frozen=True)
class Round:
    """All tunnels, brought up at once.

    Attributes:
        up: how many came up.
        slowest_s: until the last of them was up.
        peer_percent: of one core, that strongSwan on the peer took meanwhile.
        disturbed: what the rig did that could have caused it; empty where it did nothing.
    """

    up: int
    slowest_s: float
    peer_percent: float = 0.0
    disturbed: str = ""

    @property
    def per_s(self) -> float:
        """Tunnels a second."""
        return self.up / self.slowest_s if self.slowest_s else 0.0


def brought_up(
    raise_all: Callable[[], Round], end_all: Callable[[], None], rounds: int
) -> list[Round]:
    """Rounds of bringing all tunnels up at once, which leave them up after the last.

    A round that the rig disturbed is repeated; after `ATTEMPTS` it is kept and told.

    Args:
        raise_all: brings them up.
        end_all: ends them all.
        rounds: how many.
    """
    made: list[Round] = []
    for _ in range(rounds):
        for _ in range(ATTEMPTS):
            end_all()
            if not (last := raise_all()).disturbed:
                break
        made.append(last)
    return made
