"""Loss that no gateway caused, in trials of datagrams beside a load: what counts, what it lost.

Every core is taken in bursts of 2 s, while datagrams pass the lab's gateway without its shaper, 5 s
a trial, frame sizes in turns, until trials that count have lasted for as long as asked for.

- *Set aside*: trials in which the rig could itself have lost frames, by what it did.
- *Lost in those*: what they lost, which would have been blamed on the gateway.
- *Lost*: in the trials that count. The gateway loses nothing, so each of these is a false loss.
"""

from __future__ import annotations

import os
from argparse import Namespace
from dataclasses import dataclass, replace

from benchmarks.bench_lab import labs
from benchmarks.stability import BURST_S, taken
from benchmarks.table import show
from gatepass.endpoint.rig_watch import RigWatch
from gatepass.inputs.objectives import SIMPLE_IMIX
from gatepass.results.datagrams import Stream
from gatepass.scenarios.studies.trials import Send, between, by_rig

SIZES = {"64": (64,), "512": (512,), "1518": (1518,), "IMIX": SIMPLE_IMIX}
_MINUTES, _SECONDS, _RATE, _PORT = 20.0, 5.0, 10_000.0, 39_500
HEAD = ("frame, bytes", "trials", "set aside", "lost in those", "count, s", "frames", "lost")


@dataclass
class Row:
    """What became of the trials of one frame size."""

    trials: int = 0
    aside: int = 0
    lost_aside: int = 0
    frames: int = 0
    lost: int = 0

    @property
    def counted_s(self) -> float:
        """Seconds of the trials that count."""
        return (self.trials - self.aside) * _SECONDS

    def add(self, send: Send, stream: Stream) -> None:
        """One more trial."""
        seen = send([stream])
        self.trials += 1
        if by_rig(seen):
            self.aside += 1
            self.lost_aside += seen.one.lost
        else:
            self.frames += seen.one.sent
            self.lost += seen.one.lost


def main(args: Namespace) -> None:
    """Until trials of `--minutes` (20) count."""
    enough_s = (args.minutes or _MINUTES) * 60
    rows = {name: Row() for name in SIZES}
    with labs() as (lab,), lab.inside(), lab.endpoints() as (client, server):
        gateway, watch = lab.gateway(), RigWatch(lab.folder)
        lab.without_shaper(gateway)
        lab.rules(gateway).set(1, nat=False)
        send = between(client, server, watch, lambda told: None)
        far = lab.testbed.endpoints.server.address
        usual = Stream("one", far, _PORT, SIZES["512"], _RATE, _SECONDS)
        with taken((str(BURST_S),) * (os.cpu_count() or 1)):
            while sum(row.counted_s for row in rows.values()) < enough_s:
                for name, frames in SIZES.items():
                    rows[name].add(send, replace(usual, frames=frames))
        watch.end()
        gateway.close()
    show(
        HEAD,
        [
            (
                *(name, row.trials, row.aside, f"{row.lost_aside:,}"),
                *(f"{row.counted_s:,.0f}", f"{row.frames:,}", row.lost),
            )
            for name, row in rows.items()
        ],
    )
