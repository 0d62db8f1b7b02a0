"""`python -m lab.impairment`: impair what the packet filter hands over, and send it on.

Started by the gateway, which speaks with it over standard input and output: first it writes a line
when its devices are there, then it answers each line of JSON, a plan, with `ok`. It ends at the end
of its input, so never outlives the gateway.
"""

from __future__ import annotations

import gc
import json
import os
import select
import sys
import time
from heapq import heappop, heappush
from itertools import count
from random import Random

from lab.impairment.line import Line
from lab.impairment.plan import DETOURS, Plan, read
from lab.impairment.wires import HEADER, Wire

# Frames are taken in lots, so that those that are due do not wait for all that come.
_LOT = 32
# As who sends and takes the traffic of a trial: with less it would lose frames for want of a
# processor while they have theirs.
_NICENESS = -10


class Impairment:
    """Takes frames from the wires and sends each when it is due."""

    def __init__(self) -> None:
        now = time.monotonic()
        self._ways = {
            wire.descriptor: (wire, Line(Plan(), now, Random()))
            for wire in (Wire(device, port) for port, device in DETOURS.items())
        }
        self._waiting: list[tuple[float, int, Wire, bytes]] = []
        self._number = count()  # frames that are due at once leave as they came
        self._said = b""

    def run(self) -> None:
        """Run until the gateway ends."""
        told = sys.stdin.fileno()
        sources = [told, *self._ways]
        print("ready", flush=True)
        while True:
            left = max(0.0, self._waiting[0][0] - time.monotonic()) if self._waiting else None
            for source in select.select(sources, (), (), left)[0]:
                if source == told:
                    self._hear()
                else:
                    self._take(*self._ways[source])
            self._send_due()

    def _take(self, wire: Wire, line: Line) -> None:
        for _ in range(_LOT):
            frame = wire.read()
            if frame is None:
                return
            for due in line.departures(time.monotonic(), len(frame) - HEADER):
                heappush(self._waiting, (due, next(self._number), wire, frame))

    def _send_due(self) -> None:
        waiting, now = self._waiting, time.monotonic()
        while waiting and waiting[0][0] <= now:
            _due, _number, wire, frame = heappop(waiting)
            wire.send(frame)

    def _hear(self) -> None:
        piece = os.read(sys.stdin.fileno(), 1 << 16)
        if not piece:
            os._exit(0)
        *lines, self._said = (self._said + piece).split(b"\n")
        for line in lines:
            for _wire, way in self._ways.values():
                way.plan = read(json.loads(line))
            print("ok", flush=True)


def main() -> None:
    """Run it."""
    os.setpriority(os.PRIO_PROCESS, 0, _NICENESS)
    gc.disable()  # nothing here leaves circles, and looking for them would hold frames up
    Impairment().run()


if __name__ == "__main__":
    main()
