"""iperf3 trials between two endpoints.

The program is run with ``-J`` and its text parsed with `iperf3.TestResult`; the client class of the
same package hangs once the JSON passes 64 KB. The server is one of our own for each trial
(``-s -1``): a standing one stays busy after a client that was lost.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from iperf3 import TestResult

from gatepass.base.errors import NotProven
from gatepass.endpoint.iperf_intervals import counted, nominal_s
from gatepass.endpoint.shell import Busy, Detached, ProgramEnded, Shell
from gatepass.results.trial import MEGA, Load, Trial

_GRACE_S = 20  # beyond the trial itself: connection, slow start of the programs, the exchange
_UDP_GRACE_S = 6  # nothing is sent again, so nothing takes longer
_UDP_ATTEMPTS = 4
_CONNECT = "--connect-timeout 8000"  # ms: a lost SYN is sent again after 1, 3 and 7 s


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

    iperf3 opens a UDP flow with one datagram each way and sends neither again: if one of them is
    lost, it waits in vain. Such a trial has no figure, and is begun anew.

    Raises:
        NotProven: an endpoint was lost or iperf3 failed, with its own words.
    """
    for attempts_left in reversed(range(1 if load.udp_mbps is None else _UDP_ATTEMPTS)):
        began = time.time()
        try:
            sent, received, waited = _run(client, server, address, port, load)
        except _Stuck:
            if not attempts_left:
                raise
        else:
            break
    if keep:
        for side, content in (("client", sent), ("server", received)):
            keep.with_name(f"{keep.name}-{side}.json").write_text(json.dumps(content))
    return replace(parse(sent, received), began=began, ended=time.time(), **waited)


def _run(
    client: Shell, server: Shell, address: str, port: int, load: Load
) -> tuple[dict, dict, dict[str, float | None]]:
    """The JSON of the client and of the server, and how long each waited for a processor."""
    length = load.seconds + load.omit_s
    grace_s = _GRACE_S if load.udp_mbps is None else _UDP_GRACE_S
    listening = f"ss -Hltn 'sport = :{port}' | grep -q ."
    serve = f"iperf3 -s -1 -J -i {load.interval_s:g} -p {port}"
    send = f"iperf3 -c {address} -p {port} -J {_CONNECT} {load.arguments()}"
    with _started(server, serve, length, listening, listening) as listener:
        with _started(client, send, length) as sender:
            sent = _result(sender, client, length + grace_s)
        received = _result(listener, server, _GRACE_S)
    waited = {"client_waited_s": sender.waited_s, "server_waited_s": listener.waited_s}
    return sent, received, waited


@contextmanager
def both_ways(
    client: Shell, server: Shell, address: str, port: int, load: Load
) -> Iterator[Callable[[], tuple[float, float]]]:
    """TCP in both directions at once, as long as the context lasts (what flent calls RRUL).

    Args:
        client, server, address, port: see `run`.
        load: of TCP; its streams go each way.

    Yields:
        What waits for its end, and returns the rates to the server and to the client, Mbit/s of
        TCP goodput.

    Raises:
        NotProven: iperf3 failed, with its own words.
    """
    length = load.seconds + load.omit_s
    listening = f"ss -Hltn 'sport = :{port}' | grep -q ."
    serve = f"iperf3 -s -1 -J -i {load.interval_s:g} -p {port}"
    send = f"iperf3 -c {address} -p {port} -J {_CONNECT} --bidir {load.arguments()}"
    with (
        _started(server, serve, length, listening, listening) as listener,
        _started(client, send, length) as sender,
    ):

        def rates() -> tuple[float, float]:
            end = _result(sender, client, length + _GRACE_S)["end"]
            _result(listener, server, _GRACE_S)
            there, back = end["sum_received"], end["sum_received_bidir_reverse"]
            return there["bits_per_second"] / MEGA, back["bits_per_second"] / MEGA

        yield rates


def parse(sent: dict, received: dict) -> Trial:
    """A trial from the JSON of the client (`sent`) and of the server (`received`).

    Raises:
        NotProven: something is missing there, as when a test broke off.
    """
    try:
        return _parsed(sent, received)
    except (KeyError, TypeError, IndexError) as error:
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
    return Trial(
        mbps=rate / MEGA,
        received_bytes=count,
        all_bytes=int(sum(part["bytes"] for part in measured)),
        seconds=seconds,
        intervals=tuple(part.mbps for part in counted(receiver) if part.whole),
        retransmits=None if udp else int(end["sum_sent"].get("retransmits", 0)),
        lost_percent=float(own_end["sum"]["lost_percent"]) if udp else None,
        datagrams=int(own_end["sum"]["packets"]) if udp else None,
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


@contextmanager
def _started(
    shell: Shell, command: str, length_s: float, ready: str = "", busy: str = ""
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


class _Stuck(NotProven):
    """iperf3 did not end."""


def _result(program: Detached, shell: Shell, patience_s: float) -> dict:
    """The program's JSON. Up to 3.13 iperf3 exits 0 on "server is busy": only `error` tells."""
    try:
        program.wait(patience_s)
    except ProgramEnded as ended:
        raise _Stuck(f"iperf3 on the {shell.name} did not end: {ended}.") from ended
    try:
        content = json.loads(program.output)
    except ValueError:
        words = program.last_words() or "it wrote nothing"
        raise NotProven(f"iperf3 on the {shell.name} gave no result: “{words}”.") from None
    if problem := content.get("error"):
        raise NotProven(f"iperf3 on the {shell.name} ended with “{problem}”.")
    return content
