"""iperf3 trials between two endpoints.

The program is run with ``-J`` and its text parsed with `iperf3.TestResult`; the client class of the
same package hangs once the JSON passes 64 KB. The server is one of our own for each trial
(``-s -1``): a standing one stays busy after a client that was lost.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from iperf3 import TestResult

from gatepass.base.errors import NotProven
from gatepass.endpoint.iperf_figures import impossible_figure, impossible_rate
from gatepass.endpoint.iperf_intervals import counted, nominal_s
from gatepass.endpoint.iperf_report import Report, must_be_whole, must_fit
from gatepass.endpoint.script import Script, script
from gatepass.endpoint.shell import Busy, Detached, ProgramEnded, Shell
from gatepass.endpoint.wire_count import Arrived, counting, dropped_there, must_be_taken
from gatepass.results.trial import MEGA, Load, Trial

_GRACE_S = 20  # beyond the trial itself: connection, slow start of the programs, the exchange
_UDP_GRACE_S = 6  # nothing is sent again, so nothing takes longer
_END_S = 1  # for the server, once the client has broken off
_EDGE_SHARE = 0.05  # of the datagrams: those at the edges of the measured time
BOTH_WAYS = "both-ways-"
"""In the names of files of transfers both ways, before the end of the path that wrote it."""
_BOTH_SUMS = ("sum_received", "sum_received_bidir_reverse")
_FORGET_MTU = script("for six in '' -6; do ip $six route flush cache; done >/dev/null 2>&1; true")
_CONNECT_MS = 8000  # a lost SYN is sent again after 1, 3 and 7 s


def run(
    client: Shell, server: Shell, address: str, port: int, load: Load, keep: Path | None = None
) -> Trial:
    """Run one trial: the client connects to the server's `address` and sends (or receives).

    Args:
        client, server: the endpoints.
        address: of the server on the path that is measured.
        port: where the test server listens.
        load: what is sent.
        keep: path without ending where both JSON texts are kept; None keeps nothing.

    Raises:
        Broken: the trial broke off, by nothing that iperf3 did.
        NotProven: an endpoint was lost, dropped itself what came to it, or iperf3 failed, with its
            own words.
    """
    began = round(time.time(), 4)
    with _arrivals(client, server, address, port, load) as arrived:
        sent, received, beside = _run(client, server, address, port, load)
        came = arrived()
    _keep(keep, "", sent, received)
    if came is not None:
        _must_be_taken(sent, received, came, load, server if not load.reverse else client, port)
    return replace(parse(sent, received), began=began, ended=round(time.time(), 4), **beside)


@contextmanager
def _arrivals(
    client: Shell, server: Shell, address: str, port: int, load: Load
) -> Iterator[Callable[[], Arrived | None]]:
    """A count of the datagrams that come to the receiver; of TCP the kernel sees to it."""
    if load.udp_mbps is None:
        yield lambda: None
        return
    limit_s = load.seconds + load.omit_s + 2 * _GRACE_S
    receiver = client if load.reverse else server
    with counting(receiver, address, port, limit_s, answers=load.reverse) as arrived:
        yield arrived


def _must_be_taken(
    sent: Mapping[str, Any],
    received: Mapping[str, Any],
    came: Arrived,
    load: Load,
    receiver: Shell,
    port: int,
) -> None:
    """The receiver took the datagrams that came to it.

    Raises:
        NotProven: it dropped some itself.
    """
    sender, taker = (received, sent) if load.reverse else (sent, received)
    try:
        went = sum(part["sum"]["packets"] for part in sender["intervals"])
        seen = sum(part["sum"]["packets"] for part in taker["intervals"])
        gaps = sum(part["sum"]["lost_packets"] for part in taker["intervals"])
        dropped = dropped_there(went, came.arrived, seen - gaps, gaps)
    except (KeyError, TypeError):
        return  # what is missing there is told by who makes a trial of it
    must_be_taken(receiver.name, port, came, dropped)


def _run(
    client: Shell, server: Shell, address: str, port: int, load: Load
) -> tuple[dict, dict, dict[str, Any]]:
    """The JSON of the client and of the server, and what else is known of the programs."""
    with _both(client, server, address, port, load) as (sender, listener):
        sent, received = _ended(sender, listener, address, port, load)
    beside = {
        "client_waited_s": sender.waited_s,
        "server_waited_s": listener.waited_s,
        "remarks": tuple(f"{one.name}: {one.remark}" for one in (sent, received) if one.remark),
    }
    return sent.content or {}, received.content or {}, beside


@contextmanager
def both_ways(
    client: Shell, server: Shell, address: str, port: int, load: Load, keep: Path | None = None
) -> Iterator[Callable[[], tuple[float, float]]]:
    """TCP in both directions at once, as long as the context lasts (what flent calls RRUL).

    Args:
        client, server, address, port: see `run`.
        load: of TCP; its streams go each way.
        keep: path without ending where both JSON texts are kept; None keeps nothing.

    Yields:
        What waits for its end, and returns the rates to the server and to the client, Mbit/s of
        TCP goodput.

    Raises:
        Broken: a connection broke off, by nothing that iperf3 did.
        NotProven: iperf3 failed, with its own words.
    """
    with _both(client, server, address, port, load, ["--bidir"]) as (sender, listener):

        def rates() -> tuple[float, float]:
            sent, received = _ended(sender, listener, address, port, load)
            _keep(keep, BOTH_WAYS, sent.content or {}, received.content or {})
            return rates_both_ways(sent.content or {})

        yield rates


def rates_both_ways(sent: Mapping[str, Any]) -> tuple[float, float]:
    """The rates to the server and to the client, Mbit/s of TCP goodput.

    Args:
        sent: the JSON of the client of a transfer both ways.

    Raises:
        NotProven: a rate is missing there, as when a test broke off, or cannot be.
    """
    end = sent.get("end")
    rates = []
    for name in _BOTH_SUMS:
        way = end.get(name) if isinstance(end, Mapping) else None
        if not isinstance(way, Mapping) or "bits_per_second" not in way:
            raise NotProven(f"iperf3's report is not whole: it lacks '{name}'.")
        if impossible := impossible_rate(way):
            raise NotProven(f"{impossible}. Install another version of iperf3 there.")
        rates.append(way["bits_per_second"] / MEGA)
    there, back = rates
    return there, back


def _keep(keep: Path | None, kind: str, sent: dict, received: dict) -> None:
    if keep is None:
        return
    keep.parent.mkdir(exist_ok=True)
    for side, content in (("client", sent), ("server", received)):
        keep.with_name(f"{keep.name}-{kind}{side}.json").write_text(json.dumps(content))


@contextmanager
def _both(
    client: Shell, server: Shell, address: str, port: int, load: Load, more: Sequence[str] = ()
) -> Iterator[tuple[Detached, Detached]]:
    """The client's and the server's program, at work."""
    length = load.seconds + load.omit_s
    listening = script("ss -Hltn sport = :{port} | grep -q .", port=port)
    serve = script(
        "iperf3 -s -1 -J -i {interval_s:g} -B {address} -p {port}",
        interval_s=load.interval_s,
        address=address,
        port=port,
    )
    send = script(
        "iperf3 -c {address} -p {port} -J --connect-timeout {connect_ms} {words}",
        address=address,
        port=port,
        connect_ms=_CONNECT_MS,
        words=[*more, *load.arguments().split()],
    )
    if load.udp_mbps is not None:  # each trial finds out by itself what the path carries
        for shell in (client, server):
            shell.run(_FORGET_MTU, again=True)
    with (
        _started(server, serve, length, listening, listening) as listener,
        _started(client, send, length) as sender,
    ):
        yield sender, listener


def _ended(
    sender: Detached, listener: Detached, address: str, port: int, load: Load
) -> tuple[Report, Report]:
    """What both have told at the end.

    Raises:
        Broken, NotProven: see `must_be_whole`.
    """
    patience_s = load.seconds + load.omit_s
    patience_s += _GRACE_S if load.udp_mbps is None else _UDP_GRACE_S
    there = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
    opening = script("ss -Htn state syn-sent dst {there} | grep -q .", there=there)

    def in_vain() -> bool:
        """Whether one side waits for ever: the other has gone, or a connection gets no answer."""
        ended = script("[ -s {status} ]", status=f"{listener.stem}.rc")
        gone = listener.shell.run(ended, again=True).status == 0
        return gone or sender.shell.run(opening, again=True).status == 0

    sent = Report.of(sender, patience_s, in_vain)
    received = Report.of(listener, _GRACE_S if sent.whole else _END_S)
    must_be_whole(sent, received, load, address)
    if load.udp_mbps is not None:
        show = script("cat {errors}", errors=f"{sender.stem}.err")
        warned = f"{sent.remark}\n{sender.shell.run(show, again=True).output}"
        must_fit(sent, received, load, address, warned)
    return sent, received


def parse(sent: dict, received: dict) -> Trial:
    """A trial from the JSON of the client (`sent`) and of the server (`received`).

    One of whose figures cannot be is a trial of nothing, with which figure that is.

    Raises:
        NotProven: something is missing there, as when a test broke off.
    """
    try:
        if impossible := impossible_figure(sent, received):
            return Trial.of_nothing(impossible)
        return _parsed(sent, received)
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise NotProven(f"iperf3's report is not whole: it lacks {error}.") from error


def _parsed(sent: dict, received: dict) -> Trial:
    result = TestResult(json.dumps(sent))
    end = sent["end"]
    udp = sent["start"]["test_start"]["protocol"] == "UDP"
    reverse = bool(sent["start"]["test_start"]["reverse"])
    receiver = sent if reverse else received
    measured = [part["sum"] for part in receiver["intervals"]]
    own_end = receiver["end"]
    sender = received if reverse else sent  # the other side knows nothing of the round trips
    ends = [stream["sender"] for stream in sender["end"]["streams"] if "sender" in stream]
    connected = received["start"]["connected"]
    known = [one["mean_rtt"] for one in ends if one.get("mean_rtt")]
    least = [one["min_rtt"] for one in ends if one.get("min_rtt")]
    flows = [flow for part in sender["intervals"] for flow in part["streams"]]
    if "sum_received" in own_end:
        total = own_end["sum_received"]
    else:  # UDP, as older versions report it
        parts = [part for part in measured if not part.get("omitted")]
        total = {name: sum(part[name] for part in parts) for name in ("bytes", "seconds")}
    count, seconds = int(total["bytes"]), float(total["seconds"])
    rate = count * 8 / seconds if seconds else 0.0
    datagrams, lost = _lost(sender["end"], own_end) if udp else (None, None)
    return Trial(
        mbps=rate / MEGA,
        received_bytes=count,
        all_bytes=int(sum(part["bytes"] for part in measured)),
        seconds=seconds,
        intervals=tuple(part.mbps for part in counted(receiver) if part.whole),
        retransmits=None if udp else int(end["sum_sent"].get("retransmits", 0)),
        lost_percent=lost,
        datagrams=datagrams,
        rtt_ms=sum(known) / len(known) / 1000 if known and not udp else None,
        client_cpu=result.local_cpu_total,
        server_cpu=result.remote_cpu_total,
        # of the data streams; the control connection may come another way
        seen=frozenset(one["remote_host"].removeprefix("::ffff:") for one in connected),
        least_rtt_ms=min(least) / 1000 if least and not udp else None,
        sent_bytes=None if udp else sum(int(flow["bytes"]) for flow in flows),
        mss=None if udp else sent["start"].get("tcp_mss_default"),
        path_mtu=None if udp else next((flow["pmtu"] for flow in flows if flow.get("pmtu")), None),
        interval_s=round(nominal_s(receiver), 3),
    )


def _lost(sent: dict, received: dict) -> tuple[int, float]:
    """How many datagrams were sent, and how many of them got lost, per cent.

    The receiver knows of gaps alone: it misses none of those behind the last that came, and none at
    all where none came. So far as more are missing there than both sides' clocks explain, they are
    lost as well.
    """
    told, gaps = int(received["sum"]["packets"]), float(received["sum"]["lost_percent"])
    seen = int(received.get("sum_received", received["sum"])["packets"])
    count = int(sent.get("sum_sent", sent["sum"])["packets"])
    if seen >= count * (1 - _EDGE_SHARE):
        return told, gaps
    arrived = seen * (1 - gaps / 100)
    return count, 100 * (count - arrived) / count


@contextmanager
def _started(
    shell: Shell,
    command: Script,
    length_s: float,
    ready: Script | None = None,
    busy: Script | None = None,
) -> Iterator[Detached]:
    """A detached iperf3 that is ended if anything goes wrong while it runs."""
    side = "server" if busy else "client"
    stem, limit_s = f"{shell.folder()}/iperf3-{side}", length_s + 2 * _GRACE_S
    try:
        program = Detached.start(shell, stem, command, limit_s, ready, busy, ahead=True)
    except Busy:
        port = command.rsplit(maxsplit=1)[-1]
        raise NotProven(
            f"port {port} on the {shell.name} is busy: another program listens there, and its "
            "traffic would disturb the trial. End it, or set iperf3_port in the testbed file."
        ) from None
    except ProgramEnded as ended:
        raise NotProven(f"iperf3 could not be started on the {shell.name}: “{ended}”.") from ended
    try:
        yield program
    except BaseException:
        program.stop()
        raise
