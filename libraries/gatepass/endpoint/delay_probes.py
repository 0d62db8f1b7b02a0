"""Probes through the gateway and beside it, and the load that they are sent beside."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gatepass.endpoint.datagrams import DatagramTrial
from gatepass.endpoint.shell import Shell
from gatepass.results.datagrams import MEGA, Carried, Stream
from gatepass.results.delays import LARGE, SMALL, DelayTrial, Kind, Pair

MOST_PER_S = {SMALL: 1250.0, LARGE: 1000.0}
"""Probes of one kind. Of small ones three trials of a second bound a 99.9th percentile."""
SHARE = 0.05
"""Of a tier's rate: the most that large probes may take, so that what is idle stays nearly so."""
LOAD_FRAME = 1518
SINGLY_PER_S = 30_000
"""What the sender was seen to send one by one on a busy machine; more is cut by its kernel out of
larger ones, which come in bursts."""
PORTS = 10
"""That probes and load take, at most."""
THROUGH, BESIDE, LOAD = "through", "beside", "load"


@dataclass(frozen=True)
class Target:
    """Where probes and load arrive.

    Attributes:
        through: addresses of the far endpoint through the gateway, by IP version.
        beside: its addresses without the gateway, likewise; may lack some.
        first_port: the ports from here on are free there.
        source: address that what goes through comes from; empty leaves that to the routes.
        avoid: a port that is not free.
    """

    through: Mapping[int, str]
    beside: Mapping[int, str] = field(default_factory=dict)
    first_port: int = 5311
    source: str = ""
    avoid: int = 0

    def ports(self) -> Iterator[int]:
        """Ports, one after another."""
        port = self.first_port
        while True:
            if port != self.avoid:
                yield port
            port += 1


def plan(
    target: Target, kinds: Sequence[Kind], seconds: float, tier_mbps: float, load_mbps: float = 0.0
) -> list[Stream]:
    """The streams of a trial; the load is what is left of its rate beside the probes.

    Args:
        target: where they arrive.
        kinds: of the probes; those of an IP version without an address are left out.
        seconds: how long.
        tier_mbps: the tier's rate.
        load_mbps: of all frames that go that way, Mbit/s with check sequence; 0 for no load.
    """
    large = sum(kind.size == LARGE for kind in kinds) or 1
    rates = dict(MOST_PER_S)
    rates[LARGE] = min(rates[LARGE], SHARE * tier_mbps * MEGA / 8 / large / LOAD_FRAME)
    ports, streams = target.ports(), []
    for way, addresses in ((THROUGH, target.through), (BESIDE, target.beside)):
        for kind in kinds:
            if kind.version in addresses:
                streams.append(
                    Stream(
                        f"{kind.name}-{way}",
                        addresses[kind.version],
                        next(ports),
                        (kind.frame,),
                        rates[kind.size],
                        seconds,
                        source=target.source if way == THROUGH else "",
                    )
                )
    if load_mbps:
        ends = target.through or target.beside
        probes = sum(
            stream.per_s * stream.frames[0] * 8 / MEGA
            for stream in streams
            if stream.address in ends.values()
        )
        left = max(load_mbps - probes, 0.0)
        streams.append(
            Stream.at_rate(
                left,
                name=LOAD,
                address=ends[4],
                port=next(ports),
                frames=(LOAD_FRAME,),
                seconds=seconds,
                source=target.source if target.through else "",
                divisible=True,
                segmented=left * MEGA / 8 / LOAD_FRAME > SINGLY_PER_S,
            )
        )
    return streams


def run(
    sender: Shell, receiver: Shell, streams: Sequence[Stream], kinds: Sequence[Kind]
) -> DelayTrial:
    """One trial, without the hosts' conduct.

    Args:
        sender, receiver: the endpoints.
        streams: as `plan` has made them.
        kinds: of the probes.

    Raises:
        NotProven: a program failed, with its own words.
    """
    began = time.time()
    carried = DatagramTrial(sender, receiver, streams, "delays").wait()
    return DelayTrial(
        paired(carried, kinds), carried.get(LOAD), began=began, ended=time.time()
    )


def paired(carried: Mapping[str, Carried], kinds: Sequence[Kind]) -> dict[Kind, Pair]:
    """What became of the probes, by kind; those that were not sent are left out."""
    pairs = {
        kind: Pair(carried.get(f"{kind.name}-{THROUGH}"), carried.get(f"{kind.name}-{BESIDE}"))
        for kind in kinds
    }
    return {kind: pair for kind, pair in pairs.items() if pair.through or pair.beside}
