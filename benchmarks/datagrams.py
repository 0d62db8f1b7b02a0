"""The engine for datagrams, held against what does not come from it.

- *Rate*: what was sent a second, beside what was asked for.
- *Count*: what the receiver's program got and what its socket had no room for, beside the packets
  that the receiver's interface counted. Segments that the sender's kernel cuts late are one packet
  there until the stack of the receiver takes them apart, so that they are not compared.
- *Ceiling*: the highest of some rates at which nothing was lost, in the receiver's socket neither,
  and hardly anything unsent (1 in 1,000), as often as asked for.
- *Delay*: datagrams through a relay that holds each back for a known time and tells for how long it
  did so in truth, beside the engine's mean.
"""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from statistics import fmean

from benchmarks.bench_lab import labs
from benchmarks.table import show, spread
from gatepass.endpoint.datagrams import DatagramTrial
from gatepass.endpoint.script import Script
from gatepass.endpoint.shell import Detached
from gatepass.endpoint.ssh import SshShell
from gatepass.inputs.objectives import SIMPLE_IMIX
from gatepass.results.datagrams import Carried, Stream

SIZES = [(64,), (128,), (256,), (512,), (1024,), (1280,), (1518,), SIMPLE_IMIX]
SEGMENTED = [(512,), (1518,)]
_RATE, _SECONDS, _PORT, _RELAY = 10_000.0, 1.0, 39_500, 39_501
_CEILINGS = (20_000, 30_000, 40_000, 60_000, 80_000, 100_000, 150_000, 200_000, 300_000, 400_000)
_DELAYS_MS = (0, 7, 20, 40)
_HELD = """\
import collections, json, select, socket, sys, time
hold, port, address, target, lasts = float(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:5], 9
sock, out = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
sock.bind((address, port)); sock.setblocking(False)
queue, held, end = collections.deque(), [], time.monotonic() + lasts
print("ready", flush=True)
while time.monotonic() < end:
    wait = queue[0][0] + hold - time.monotonic() if queue else 0.02
    select.select([sock], [], [], max(0, min(wait, 0.02)))
    try:
        while True:
            data = sock.recv(2048)
            queue.append((time.monotonic(), data))
    except BlockingIOError:
        pass
    while queue and time.monotonic() >= queue[0][0] + hold:
        came, data = queue.popleft()
        out.sendto(data, (address, int(target)))
        held.append(time.monotonic() - came)
print(json.dumps(sum(held) / max(1, len(held))))
"""


def main(args: Namespace) -> None:
    """All four, through the lab's gateway without a shaper."""
    times = args.times or 3
    with labs() as (lab,), lab.inside(), lab.endpoints() as (client, server):
        gateway = lab.gateway()
        lab.without_shaper(gateway)
        lab.rules(gateway).set(1, nat=False)
        far = lab.testbed.endpoints.server.address
        usual = Stream("one", far, _PORT, (512,), _RATE, _SECONDS)
        _rates(client, server, usual, times)
        _ceilings(client, server, usual, times)
        _delays(client, server, usual, times)
        gateway.close()


def _named(frames: tuple[int, ...], segmented: bool = False) -> str:
    return ("IMIX" if len(frames) > 1 else str(frames[0])) + (", segmented" if segmented else "")


def _once(client: SshShell, server: SshShell, stream: Stream) -> Carried:
    return DatagramTrial(client, server, [stream]).wait()[stream.name]


def _packets(server: SshShell) -> int:
    return int(server.run(Script("cat /sys/class/net/data/statistics/rx_packets")).output)


def _rates(client: SshShell, server: SshShell, usual: Stream, times: int) -> None:
    rows = []
    for frames in SIZES:
        seen, counted = [], []
        for _ in range(times):
            before = _packets(server)
            seen.append(_once(client, server, replace(usual, frames=frames)))
            counted.append(_packets(server) - before)
        pairs = list(zip(seen, counted, strict=True))
        rows.append(
            (
                _named(frames),
                spread([(one.sent_per_s / _RATE - 1) * 100 for one in seen], 3),
                sum(one.unsent for one in seen),
                sum(one.lost for one in seen),
                spread([count - one.received - one.socket_lost for one, count in pairs], 0),
                spread([one.delay.percentile(50) for one in seen], 0),
                spread([one.delay.percentile(99) for one in seen], 0),
            )
        )
    show(
        (
            f"frame, bytes, {_RATE:,.0f}/s",
            "rate error, %",
            "unsent",
            "lost",
            "interface counted more",
            "delay p50, us",
            "p99, us",
        ),
        rows,
    )


def _ceilings(client: SshShell, server: SshShell, usual: Stream, times: int) -> None:
    rows = []
    for frames, segmented in [(one, False) for one in SIZES] + [(one, True) for one in SEGMENTED]:
        best = 0
        for rate in _CEILINGS:
            asked = replace(usual, frames=frames, per_s=float(rate), segmented=segmented)
            seen = [_once(client, server, asked) for _ in range(times)]
            if any(one.unsent > one.sent / 1000 or one.lost or one.socket_lost for one in seen):
                break
            best = rate
        mbps = best * fmean(frames) * 8 / 1e6
        rows.append((_named(frames, segmented), f"{best:,}", f"{mbps:,.0f}"))
    show(("frame, bytes", f"clean in {times} of {times}, frames/s", "Mbit/s"), rows)


def _delays(client: SshShell, server: SshShell, usual: Stream, times: int) -> None:
    rows = []
    for held_ms in _DELAYS_MS:
        errors = []
        for _ in range(times):
            with _relay(server, held_ms / 1000, usual.address) as told:
                relayed = replace(usual, per_s=1000.0, sent_to=(usual.address, _RELAY))
                seen = _once(client, server, relayed)
                errors.append(seen.delay.mean - told() * 1e6)
        rows.append((held_ms, spread(errors, 0)))
    show(("held back, ms", "engine's mean less the relay's own, us"), rows)


@contextmanager
def _relay(server: SshShell, hold_s: float, address: str) -> Iterator[Callable[[], float]]:
    stem = f"{server.folder()}/relay"
    server.put(_HELD, f"{stem}.py")
    command = f"python3 {stem}.py {hold_s:g} {_RELAY} {address} {_PORT}"
    program = Detached.start(server, stem, Script(command), 30, Script(f"grep -q ready {stem}.out"))

    def told() -> float:
        program.wait(20)
        return float(json.loads(program.output.splitlines()[-1]))

    try:
        yield told
    finally:
        program.stop()
