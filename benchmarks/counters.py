"""Reported throughput beside the receiving interface's own counters over the same trial.

The counters are read every 20 ms on the endpoint itself. What they grew in the measured time is
held against the throughput reported for it; what they grew from before the trial until after it,
against all bytes reported, the slow start included. The second figure is always a little smaller
than 1 for TCP: what is still under way when the time is up has come in and is not reported.

The kernel counts frames with their headers, iperf3 payload. On veth wires an aggregated segment
(GSO) is one frame with one set of headers, so the headers are taken off by the number of frames
that the interface itself counted.
"""

from __future__ import annotations

from argparse import Namespace
from bisect import bisect_left
from dataclasses import dataclass

from benchmarks.bench_lab import labs
from benchmarks.table import show, spread
from gatepass.endpoint import iperf
from gatepass.endpoint.script import Script
from gatepass.endpoint.shell import Detached
from gatepass.endpoint.ssh import SshShell
from gatepass.results.trial import Load, Trial

ETHERNET, IPV4, TCP_WITH_TIMESTAMPS, UDP = 14, 20, 32, 8
LOADS = {
    "TCP to the server": Load(seconds=2, omit_s=1, streams=4),
    "TCP to the client": Load(seconds=2, omit_s=1, streams=4, reverse=True),
    "UDP to the server": Load(seconds=2, udp_mbps=250),
    "UDP to the client": Load(seconds=2, udp_mbps=250, reverse=True),
}
_BEGUN_BYTES = 200_000  # more than the programs' talk before the traffic begins
_SAMPLER = """\
import sys, time
names = [f"/sys/class/net/{sys.argv[1]}/statistics/rx_{what}" for what in ("bytes", "packets")]
while True:
    print(time.monotonic(), *(open(name).read().strip() for name in names), flush=True)
    time.sleep(0.02)
"""


@dataclass(frozen=True)
class Curve:
    """Payload that an interface has received, over the endpoint's own clock."""

    times: list[float]
    payload: list[float]

    def at(self, moment: float) -> float:
        """Bytes until a moment, between two readings in proportion."""
        right = min(max(bisect_left(self.times, moment), 1), len(self.times) - 1)
        (t0, t1), (b0, b1) = self.times[right - 1 : right + 1], self.payload[right - 1 : right + 1]
        return b0 + (b1 - b0) * (moment - t0) / (t1 - t0)

    def mbps(self, load: Load, seconds: float) -> float:
        """The rate in the measured time, which begins with the traffic or after the slow start."""
        first = next(at for at, count in enumerate(self.payload) if count > _BEGUN_BYTES)
        # back along the slope of the next 100 ms to where the traffic began
        slope = (self.at(self.times[first] + 0.1) - self.payload[first]) / 0.1
        begin = self.times[first] - self.payload[first] / slope + load.omit_s
        return (self.at(begin + seconds) - self.at(begin)) * 8 / seconds / 1e6


def main(args: Namespace) -> None:
    """Each load over each path; both ratios for every trial."""
    rows, every = [], []
    with labs() as (lab,), lab.inside(), lab.endpoints() as (client, server):
        gateway = lab.gateway()
        lab.rules(gateway).set(1, nat=False)
        far = lab.testbed.endpoints.server
        for path, address, port in (
            ("through the gateway", far.address, "data"),
            ("direct", far.direct_address, "direct"),
        ):
            for name, load in LOADS.items():
                trials, curves = [], []
                for _ in range(args.times or 5):
                    receiver = client if load.reverse else server
                    with _Sampled(receiver, port, load) as sampled:
                        trials.append(
                            iperf.run(client, server, address, far.iperf3_port, load)
                        )
                    curves.append(sampled.curve())
                ratios = [
                    trial.mbps / curve.mbps(load, trial.seconds)
                    for trial, curve in zip(trials, curves, strict=True)
                ]
                every += ratios
                rows.append((path, name, *_shown(trials, ratios, curves)))
        gateway.close()
    show(("path", "load", "reported, Mbit/s", "rates", "bytes, before to after"), rows)
    outside = sum(abs(ratio - 1) > 0.01 for ratio in every)
    print(
        f"Reported over counted. Of {len(every)} trials, the rates of {outside} differ by more "
        f"than 1 %, the largest difference is {max(abs(ratio - 1) for ratio in every):.2%}."
    )


def _shown(trials: list[Trial], ratios: list[float], curves: list[Curve]) -> tuple[str, ...]:
    whole = [
        trial.all_bytes / curve.payload[-1] for trial, curve in zip(trials, curves, strict=True)
    ]
    return spread([trial.mbps for trial in trials], 1), spread(ratios, 4), spread(whole, 4)


class _Sampled:
    """Reads the counters of an interface while a trial runs."""

    def __init__(self, shell: SshShell, interface: str, load: Load) -> None:
        self._shell = shell
        self._interface = interface
        self._headers = ETHERNET + IPV4 + (TCP_WITH_TIMESTAMPS if load.udp_mbps is None else UDP)

    def __enter__(self) -> _Sampled:
        self._stem = f"{self._shell.folder()}/counters"
        self._shell.put(_SAMPLER, f"{self._stem}.py")
        command = Script(f"python3 {self._stem}.py {self._interface}")
        ready = Script(f"[ -s {self._stem}.out ]")
        self._program = Detached.start(self._shell, self._stem, command, 60, ready)
        return self

    def __exit__(self, *_: object) -> None:
        self._program.stop()

    def curve(self) -> Curve:
        """What was read, from the first reading on."""
        text = self._shell.run(Script(f"cat {self._stem}.out")).output
        lines = [line.split() for line in text.splitlines()]
        readings = [tuple(map(float, line)) for line in lines if len(line) == 3]
        _, first_bytes, first_frames = readings[0]
        payload = [
            count - first_bytes - self._headers * (frames - first_frames)
            for _, count, frames in readings
        ]
        return Curve([moment for moment, *_ in readings], payload)
