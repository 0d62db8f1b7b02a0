"""How long a queue makes packets wait while TCP fills the path: what a trial of probes comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import median

from gatepass.base.errors import NotProven
from gatepass.base.phrase import say
from gatepass.results.datagrams import TICK_S
from gatepass.results.delays import Pair
from gatepass.results.measurements import observed
from gatepass.results.record import Measurement
from gatepass.verdict.throughput import LONGEST_SERIES

CONDITIONS = "tcp_both_ways"
"""Name of the conditions of such a delay."""


def series_ms(pair: Pair) -> list[float]:
    """Mean delay by tenths of a second, from when the shortest of all took no time, ms.

    The shortest is of the path without the gateway, where there is one. Tenths in which nothing
    arrived are left out.

    Args:
        pair: the probes of a trial; those through the gateway have to be there.
    """
    seen, beside = pair.through, pair.beside
    assert seen is not None
    zero = (beside if beside and beside.received else seen).delay.least
    return [
        round((mean - zero) / 1000, 3)
        for (mean, _), (_, arrived) in zip(seen.tick_delays, seen.ticks, strict=True)
        if arrived
    ]


def measured(
    way: str,
    pair: Pair,
    mbps: Mapping[str, float],
    streams: int,
    limit_ms: float,
    numbers: Sequence[int] = (),
) -> Measurement:
    """The longest tenth of a second, and what is told beside it.

    Args:
        way: that the probes went, by the name of its phrase.
        pair: the probes.
        mbps: that TCP carried meanwhile, Mbit/s, by its ways.
        streams: of TCP, each way.
        limit_ms: that the delay is held against.
        numbers: of the trials of probes and of TCP in the run.

    Raises:
        NotProven: no probe arrived.
    """
    every = series_ms(pair)
    if not every:
        raise NotProven("no probe arrived, so their delay is not known.")
    held = observed(
        "queue_delay",
        say(CONDITIONS, way=say(way), streams=streams),
        max(every),
        threshold=limit_ms,
        facts={
            "median_ms": round(median(every), 3),
            **{f"tcp_{name}_mbps": round(rate, 3) for name, rate in mbps.items()},
        },
    )
    series, interval_s = joined(every, LONGEST_SERIES)
    return replace(held, series=series, series_interval_s=interval_s, numbers=tuple(numbers))


def joined(series_ms: Sequence[float], most: int) -> tuple[tuple[float, ...], float]:
    """Of a series at most so many figures, the longest of those that are joined; and their length.

    Args:
        series_ms: one figure for each tenth of a second.
        most: figures.
    """
    length = max(1, -(-len(series_ms) // most))
    parts = [series_ms[at : at + length] for at in range(0, len(series_ms), length)]
    return tuple(max(part) for part in parts), round(length * TICK_S, 3)
