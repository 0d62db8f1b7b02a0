"""Streams of probes that were played, with the delays that a test wants."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from carried_examples import carried_of
from gatepass.results.conduct import Conduct
from gatepass.results.datagrams import Carried, Spread, Stream
from gatepass.results.delays import SMALL, DelayTrial, Kind, Pair

KIND = Kind(SMALL, 4)


def carried(
    delays_us: Sequence[int], lost: int = 0, unsent: int = 0, per_s: float = 1000.0, frame: int = 64
) -> Carried:
    """What became of a stream whose datagrams took so long."""
    sent = len(delays_us) + lost
    spread = Spread(Counter(delays_us).items())
    return carried_of(
        stream=Stream("one", "198.18.2.10", 5311, (frame,), per_s, (sent + unsent) / per_s),
        sent=sent,
        unsent=unsent,
        sending_s=max(sent - 1, 0) / per_s,
        received=len(delays_us),
        sources=frozenset({"198.18.1.10"}),
        delay=spread,
        ticks=((sent, len(delays_us)),),
        arrivals=(len(delays_us),),
        tick_delays=((spread.mean if delays_us else 0.0, max(delays_us, default=0)),),
    )


def trial(
    through: Sequence[int],
    beside: Sequence[int] | None = (10,) * 1000,
    load: Carried | None = None,
    conduct: Mapping[str, Conduct] | None = None,
) -> DelayTrial:
    """One trial of small probes over IPv4 whose datagrams took so long on either path."""
    pair = Pair(carried(through), carried(beside) if beside is not None else None)
    return DelayTrial({KIND: pair}, load, conduct or {})
