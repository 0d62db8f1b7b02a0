"""A trial of more datagrams than one iperf3 can send."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

from gatepass.base.errors import NotProven
from gatepass.endpoint.datagrams import DatagramTrial
from gatepass.endpoint.shell import Shell
from gatepass.results.datagrams import MEGA, TICK_S, Carried, Stream, headers
from gatepass.results.trial import Load, Trial

BY_IPERF3_MBPS = 800
"""What one iperf3 before 3.16 sends from one thread without falling short: 900 and more when tried
on a core of its own."""
_NAME = "overload"
_EDGE_TICKS = 2
"""By which the times of sending and of arriving may differ."""


def needed(load: Load) -> bool:
    """Whether a load is more than one iperf3 can be relied on to send.

    The server cannot begin: a gateway lets in what its own side has asked for.
    """
    return bool(load.udp_mbps and load.udp_mbps > BY_IPERF3_MBPS and not load.reverse)


def run(
    client: Shell, server: Shell, address: str, port: int, load: Load, keep: Path | None = None
) -> Trial:
    """Run one trial: the client sends datagrams to the server's `address`.

    The sender's kernel cuts them out of larger ones, so that bits a second are shown, and not what
    a device takes of packets (see `Stream.segmented`).

    Args:
        client, server: the endpoints.
        address: of the server on the path that is measured.
        port: where they go.
        load: what is sent.
        keep: path without ending where what the programs told is kept; None keeps nothing.

    Raises:
        NotProven: a program failed, with its own words.
    """
    assert load.udp_mbps is not None
    stream = Stream(
        _NAME,
        address,
        port,
        frames=(load.datagram_bytes + headers(address),),
        per_s=load.udp_mbps * MEGA / 8 / load.datagram_bytes,
        seconds=load.seconds + load.omit_s,
        source=load.source,
        segmented=True,
    )
    began = round(time.time(), 4)
    seen = DatagramTrial(client, server, [stream]).wait()[_NAME]
    if keep:
        keep.with_name(f"{keep.name}-datagrams.json").write_text(json.dumps(seen.record()))
    return replace(trial_of(seen, load), began=began, ended=round(time.time(), 4))


def trial_of(seen: Carried, load: Load) -> Trial:
    """A trial from what became of a stream, without the slow start.

    Raises:
        NotProven: it did not last for as long as is measured.
    """
    # The first and the last tenth of a second are hardly ever whole. How many arrived is counted by
    # when they came: what a queue holds at the end came in no time that was measured.
    omitted, most = round(load.omit_s / TICK_S), round(load.seconds / TICK_S)
    ticks = seen.ticks[1:-1][omitted : omitted + most]
    arrivals = seen.arrivals[1:-1][omitted : omitted + most]
    if not ticks:
        raise NotProven(
            f"no datagrams were sent in the measured {load.seconds:g} s: of {seen.sent:,} in all, "
            f"{seen.unsent:,} were not sent in time."
        )
    if len(ticks) - len(arrivals) > _EDGE_TICKS:  # what did not come any more counts as nothing
        arrivals = (*arrivals, *[0] * (len(ticks) - len(arrivals)))
    payload, seconds = seen.stream.payloads[0], len(arrivals) * TICK_S
    sent, of_them = (sum(counts) for counts in zip(*ticks, strict=True))
    length = max(1, round(load.interval_s / TICK_S))
    parts = [arrivals[at : at + length] for at in range(0, len(arrivals) - length + 1, length)]
    mbit = payload * 8 / MEGA
    whole_s = seen.sending_s or seconds
    return Trial(
        mbps=sum(arrivals) * mbit / seconds,
        received_bytes=sum(arrivals) * payload,
        all_bytes=seen.received * payload,
        seconds=seconds,
        intervals=tuple(sum(part) * mbit / length / TICK_S for part in parts),
        retransmits=None,
        lost_percent=100 * (sent - of_them) / sent if sent else 0.0,
        rtt_ms=None,
        client_cpu=100 * seen.sender_cpu_s / whole_s,
        server_cpu=100 * seen.receiver_cpu_s / whole_s,
        seen=seen.sources,
        interval_s=length * TICK_S,
        datagrams=sent,
    )
