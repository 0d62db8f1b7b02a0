"""Probes while TCP fills a path both ways, between two times of rest (flent's RRUL test)."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from gatepass.endpoint import delay_probes, iperf
from gatepass.endpoint.datagrams import DatagramTrial
from gatepass.endpoint.delay_probes import MOST_PER_S, THROUGH, Target
from gatepass.endpoint.shell import Shell
from gatepass.results.conduct import Conduct
from gatepass.results.datagrams import Carried, Stream
from gatepass.results.delays import SMALL, DelayTrial, Kind
from gatepass.results.trial import Load

KIND = Kind(SMALL, 4)
"""Of probe: hardly a load itself."""
TO_SERVER, TO_CLIENT = "to_server", "to_client"
_AROUND_S = 1.5
"""Starting iperf3 and fetching what it told."""


@dataclass(frozen=True)
class BesideTcp:
    """What was seen.

    Attributes:
        trials: the probes, by the way that they went.
        mbps: that TCP carried meanwhile on either way, Mbit/s of goodput.
        number: of TCP among the run's trials; 0 where nothing is kept.
        numbers: of the probes among them, by the way that they went.
    """

    trials: Mapping[str, DelayTrial]
    mbps: Mapping[str, float]
    number: int = 0
    numbers: Mapping[str, int] = field(default_factory=dict)

    def watched(self, conduct: Mapping[str, Conduct]) -> BesideTcp:
        """The same with what the hosts did meanwhile."""
        return replace(
            self,
            trials={way: replace(one, conduct=conduct) for way, one in self.trials.items()},
        )

    def through(self, way: str) -> Carried:
        """The probes on the path that TCP took."""
        seen = self.trials[way].pairs[KIND].through
        assert seen is not None
        return seen


def run(
    client: Shell,
    server: Shell,
    there: Target,
    back: Target,
    port: int,
    load: Load,
    rest_s: float,
    keep: Path | None = None,
) -> BesideTcp:
    """One trial, without the hosts' conduct.

    Args:
        client, server: the endpoints.
        there, back: where the probes arrive on the server, and on the client; TCP takes the way of
            `through` over IPv4.
        port: where iperf3 may listen on the server.
        load: of TCP, each way.
        rest_s: of probes alone, before and after.
        keep: path without ending where iperf3's JSON texts are kept; None keeps nothing.

    Raises:
        NotProven: a program failed, with its own words.
    """
    lasts = 2 * rest_s + load.seconds + load.omit_s + _AROUND_S
    streams = delay_probes.plan(there, [KIND], lasts, MOST_PER_S[SMALL])
    began = time.time()
    sent = {
        TO_SERVER: DatagramTrial(client, server, streams, "delays"),
        TO_CLIENT: DatagramTrial(server, client, _mirrored(streams, back), "delays-back"),
    }
    try:
        time.sleep(rest_s)
        with iperf.both_ways(client, server, there.through[4], port, load, keep) as rates:
            carried = dict(zip((TO_SERVER, TO_CLIENT), rates(), strict=True))
        seen = {way: probes.wait() for way, probes in sent.items()}
    finally:
        for probes in sent.values():
            probes.stop()
    ended = time.time()
    return BesideTcp(
        {
            way: DelayTrial(delay_probes.paired(one, [KIND]), began=began, ended=ended)
            for way, one in seen.items()
        },
        carried,
    )


def _mirrored(streams: Sequence[Stream], back: Target) -> list[Stream]:
    """The same the other way; the client begins the sessions, as a gateway wants it."""
    found, ports = [], back.ports()
    for stream in streams:
        way = back.through if stream.name.endswith(THROUGH) else back.beside
        port = next(ports)
        found.append(
            replace(
                stream,
                address=way[4],
                port=port,
                source=stream.address,
                source_port=port,
                knocks=True,
            )
        )
    return found
