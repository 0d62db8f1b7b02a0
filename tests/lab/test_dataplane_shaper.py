"""How exactly a shaper holds its rate, by what left its queue. Needs root.

The bytes are the queue's own count, read every 20 ms, so neither TCP nor a receiver has a say in
them. What a host took from this machine (steal) cannot have been sent: windows with more of it than
the shaper makes up for say nothing of too little, and where all are so, nothing does.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from dataplane_config import config, policy, shaper, shaping_policy
from dataplane_rig import SERVER, Rig
from pyroute2 import IPRoute

from lab import share
from lab.process import wait_until

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="network namespaces need root")

KBPS = 326_000
WINDOW_S = 2.0
EXACT = 0.005
_PATIENCE_S = 40
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
# Looks in a window, which is as long as its reader's clock allows.
_LONGEST_WINDOW = 120
SHAPED = {
    "traffic_shaper": [shaper("tier", KBPS)],
    "shaping_policy": [shaping_policy(1, "tier", "tier")],
}


@dataclass(frozen=True)
class Sample:
    """The queue at a moment that lies between two times.

    Attributes:
        asked: before it was read, in seconds.
        at: after.
        sent: all bytes that have left it.
        waiting: bytes in it.
        stolen: what the host has taken from all processors of this machine, in seconds.
    """

    asked: float
    at: float
    sent: int
    waiting: int
    stolen: float


class Watch(threading.Thread):
    """Looks at the shaped queue of a port for as long as a block lasts."""

    def __init__(self, rig: Rig, port: str) -> None:
        super().__init__(daemon=True)
        self.samples: list[Sample] = []
        self._on = True
        self._gateway, self._port = rig.gateway, port

    def __enter__(self) -> Watch:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._on = False
        self.join()

    def run(self) -> None:
        route, index = self._gateway(self._open)
        while self._on:
            self.samples.append(self._gateway(_sample, route, index))
            time.sleep(0.02)
        self._gateway(route.close)

    def _open(self) -> tuple[IPRoute, int]:
        route = IPRoute()
        return route, route.link_lookup(ifname=self._port)[0]

    def until(self, waiting: bool) -> float:
        """Wait until something waits in the queue, or nothing; answers when that was."""
        assert wait_until(
            lambda: bool(self.samples and self.samples[-1].waiting) == waiting, _PATIENCE_S
        )
        return self.samples[-1].at

    def until_filled_for_windows(self) -> None:
        """Wait until the senders, which wait for a processor themselves, filled it for windows."""
        assert wait_until(self._filled, _PATIENCE_S, pause=0.1), "the queue ran empty all the time"
        self.last(2)  # more windows: the first holds what was saved up, too

    def _filled(self) -> bool:
        windows = _windows(self.samples[-_LONGEST_WINDOW:])
        return bool(windows) and all(one.waiting for one in windows[-1])

    def last(self, seconds: float) -> None:
        """Go on for so long."""
        end = time.monotonic() + seconds
        assert wait_until(lambda: self.samples[-1].at >= end, _PATIENCE_S)


def _sample(route: IPRoute, index: int) -> Sample:
    asked = time.monotonic()
    (queue,) = route.get_classes(index=index)
    at = time.monotonic()
    told = queue.get_attr("TCA_STATS2")
    sent = told.get_attr("TCA_STATS_BASIC")["bytes"]
    return Sample(asked, at, sent, told.get_attr("TCA_STATS_QUEUE")["backlog"], _stolen())


def _stolen() -> float:
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()
    return int(fields[8]) * _TICK_S


def _windows(samples: list[Sample]) -> list[list[Sample]]:
    """Every stretch of samples of the window's length, or hardly longer."""
    stretches = []
    for start, first in enumerate(samples):
        for end in range(start, len(samples)):
            if samples[end].asked >= first.at + WINDOW_S:
                stretches.append(samples[start : end + 1])
                break
    return stretches


def _must_be_exact(samples: list[Sample]) -> None:
    """Hold each window to the rate: none has too much, and none too little while bytes wait."""
    windows = _windows(samples)
    for first, *_, last in windows:
        assert last.sent - first.sent <= (1 + EXACT) * _carried(last.at - first.asked)
    filled = [window for window in windows if all(one.waiting for one in window)]
    assert filled
    whole = [window for window in filled if window[-1].stolen - window[0].stolen < 1.5 * _TICK_S]
    if not whole:
        pytest.skip("The host took processors from this machine all the time; run it again later.")
    for first, *_, last in whole:
        assert last.sent - first.sent >= (1 - EXACT) * _carried(last.asked - first.at)


def _carried(seconds: float) -> float:
    return seconds * KBPS * 125


def _sending(rig: Rig, streams: int):
    receiver = rig.server.spawn("iperf3", "-s", "-1")
    time.sleep(0.1)
    words = ("-t", "120", "-P", str(streams), "-C", "cubic")
    return receiver, rig.client.spawn("iperf3", "-c", SERVER, *words)


@pytest.fixture
def streams(rig, request, tmp_path):
    rig.apply(config(policy(1), **SHAPED))
    processes = _sending(rig, request.param)
    for process in processes:
        share.take(tmp_path, process.pid)  # as in a lab
    yield processes[1]
    for process in processes:
        process.kill()
        process.communicate()
    share.give_back(tmp_path)


@pytest.mark.parametrize("streams", [1, 4], indirect=True)
def test_a_shaper_is_exact_within_any_two_seconds(rig, streams):
    with Watch(rig, "port1") as watch:
        watch.until(waiting=True)
        watch.until_filled_for_windows()
    _must_be_exact(watch.samples)


@pytest.mark.parametrize("streams", [1, 4], indirect=True)
def test_a_shaper_is_exact_after_its_senders_stood_still(rig, streams):
    with Watch(rig, "port1") as watch:
        watch.until(waiting=True)
        watch.last(0.5)
        streams.send_signal(signal.SIGSTOP)
        empty = watch.until(waiting=False)
        watch.last(0.3)
        streams.send_signal(signal.SIGCONT)
        watch.until(waiting=True)
        watch.until_filled_for_windows()
    _must_be_exact([one for one in watch.samples if one.at >= empty])
