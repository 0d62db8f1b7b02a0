"""Probes while TCP fills a path both ways, between two times of rest (flent's RRUL test)."""

from __future__ import annotations

import time
from dataclasses import dataclass

from gatepass.endpoint import delay_probes, iperf
from gatepass.endpoint.datagrams import DatagramTrial
from gatepass.endpoint.delay_probes import MOST_PER_S, Target
from gatepass.endpoint.shell import Shell
from gatepass.results.datagrams import TICK_S, Carried
from gatepass.results.delays import SMALL, DelayTrial, Kind
from gatepass.results.trial import Load

KIND = Kind(SMALL, 4)
"""Of probe: hardly a load itself."""
_AROUND_S = 1.5
"""Starting iperf3 and fetching what it told."""


@dataclass(frozen=True)
class BesideTcp:
    """What was seen.

    Attributes:
        trial: the probes.
        to_server_mbps, to_client_mbps: that TCP carried meanwhile, Mbit/s of goodput.
    """

    trial: DelayTrial
    to_server_mbps: float
    to_client_mbps: float

    @property
    def through(self) -> Carried:
        """The probes on the path that TCP took."""
        seen = self.trial.pairs[KIND].through
        assert seen is not None
        return seen

    def series_ms(self) -> list[float]:
        """Mean delay by tenths of a second, from when the shortest of all took no time, ms.

        The shortest is of the path without the gateway, where there is one. Tenths in which nothing
        arrived are left out.
        """
        beside = self.trial.pairs[KIND].beside
        zero = (beside if beside and beside.received else self.through).delay.least
        return [
            round((mean - zero) / 1000, 3)
            for (mean, _), (_, arrived) in zip(
                self.through.tick_delays, self.through.ticks, strict=True
            )
            if arrived
        ]


def run(
    client: Shell, server: Shell, target: Target, port: int, load: Load, rest_s: float
) -> BesideTcp:
    """One trial, without the hosts' conduct.

    Args:
        client, server: the endpoints.
        target: where the probes arrive; TCP takes the way of `through` over IPv4.
        port: where iperf3 may listen on the server.
        load: of TCP, each way.
        rest_s: of probes alone, before and after.

    Raises:
        NotProven: a program failed, with its own words.
    """
    lasts = 2 * rest_s + load.seconds + load.omit_s + _AROUND_S
    streams = delay_probes.plan(target, [KIND], lasts, MOST_PER_S[SMALL])
    began = time.time()
    probes = DatagramTrial(client, server, streams, "delays")
    try:
        time.sleep(rest_s)
        with iperf.both_ways(client, server, target.through[4], port, load) as rates:
            to_server, to_client = rates()
        carried = probes.wait()
    finally:
        probes.stop()
    trial = DelayTrial(
        delay_probes.paired(carried, [KIND]), began=began, ended=time.time()
    )
    return BesideTcp(trial, to_server, to_client)


def joined(series_ms: list[float], most: int) -> tuple[tuple[float, ...], float]:
    """Of a series at most so many figures, the longest of those that are joined; and their length.

    Args:
        series_ms: one figure for each tenth of a second.
        most: figures.
    """
    length = max(1, -(-len(series_ms) // most))
    parts = [series_ms[at : at + length] for at in range(0, len(series_ms), length)]
    return tuple(max(part) for part in parts), round(length * TICK_S, 3)
