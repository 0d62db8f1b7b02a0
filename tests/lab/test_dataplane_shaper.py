"""How exactly a shaper holds its rate, by what left its queue. Needs root.

The bytes are the queue's own count, read every 20 ms, so neither TCP nor a receiver has a say in
them. Nothing is sent while a host has taken the processors (steal), nor while the threads that
send wait for one: a shaper is not held to what these times would have carried.
"""

from __future__ import annotations

import itertools
import os
import signal
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from dataplane_config import config, policy, shaper, shaping_policy
from dataplane_rig import SERVER, Rig
from pyroute2 import IPRoute

from lab.base import share
from lab.base.process import wait_until

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
        idle: for how long nothing could be sent, in seconds: all that the host has taken from the
            processors, and all that the kernel's threads for packets have waited for one.
    """

    asked: float
    at: float
    sent: int
    waiting: int
    idle: float


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
        assert wait_until(self._is_filled, _PATIENCE_S, pause=0.1), "the queue ran empty each time"
        self.last(2)  # more windows: the first holds what was saved up, too

    def _is_filled(self) -> bool:
        windows = _windows(self.samples[-_LONGEST_WINDOW:])
        return bool(windows) and _filled(windows[-1])

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
    return Sample(asked, at, sent, told.get_attr("TCA_STATS_QUEUE")["backlog"], _idle())


def _idle() -> float:
    stolen = int(Path("/proc/stat").read_text().split("\n", 1)[0].split()[8]) * _TICK_S
    waited_ns = sum(int(path.read_text().split()[1]) for path in _PACKET_THREADS)
    return stolen + waited_ns / 1e9


def _packet_threads() -> list[Path]:
    """The scheduler's account of each of the kernel's threads for packets."""
    names = Path("/proc").glob("[0-9]*/comm")
    return [one.with_name("schedstat") for one in names if _said(one).startswith("ksoftirqd/")]


def _said(path: Path) -> str:
    with suppress(OSError):  # a process that has ended meanwhile
        return path.read_text()
    return ""


_PACKET_THREADS = _packet_threads()


def _windows(samples: list[Sample]) -> list[list[Sample]]:
    """Every stretch of samples of the window's length, or hardly longer."""
    stretches = []
    for start, first in enumerate(samples):
        for end in range(start, len(samples)):
            if samples[end].asked >= first.at + WINDOW_S:
                stretches.append(samples[start : end + 1])
                break
    return stretches


def _filled(window: list[Sample]) -> bool:
    """Whether the queue cannot have run empty: each look left enough in it until the next one."""
    return all(
        one.waiting > _carried(after.at - one.asked) for one, after in itertools.pairwise(window)
    )


def _must_be_exact(samples: list[Sample]) -> None:
    """Hold each window to the rate: none has too much, and none too little while bytes wait."""
    windows = _windows(samples)
    for first, *_, last in windows:
        assert last.sent - first.sent <= (1 + EXACT) * _carried(last.at - first.asked)
    filled = [window for window in windows if _filled(window)]
    assert filled
    for first, *_, last in filled:
        at_work_s = last.asked - first.at - (last.idle - first.idle)
        assert last.sent - first.sent >= (1 - EXACT) * _carried(at_work_s)


def _carried(seconds: float) -> float:
    return seconds * KBPS * 125


def _sending(rig: Rig, streams: int):
    receiver = rig.server.iperf3_server()
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
