"""CPU, memory, disk and sessions of the machine, as histories."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from lab.gateway.periodic import Periodic

SAMPLE_SECONDS = 3
_POINTS = 20
# Fields of /proc/stat's first line, and of /proc/PID/stat behind the program's name.
_SOFTIRQ, _UTIME = 6, 11
_TICKS = os.sysconf("SC_CLK_TCK")
# Interval -> s between the points of its history.
INTERVALS = {
    "1-min": 3,
    "10-min": 30,
    "30-min": 90,
    "1-hour": 180,
    "12-hour": 2160,
    "24-hour": 4320,
}
_CONSERVE = 90
"""Per cent of memory in use while it is short; conserve mode begins at 88 by default."""
RESOURCES = ("cpu", "mem", "disk", "session")


class _Series:
    """Points at one distance, each the mean of the samples since the point before."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        self._points: deque[tuple[int, int]] = deque(maxlen=_POINTS)
        self._pending: list[float] = []

    def add(self, now_ms: int, value: float) -> None:
        self._pending.append(value)
        if len(self._pending) * SAMPLE_SECONDS >= self.seconds or not self._points:
            self._points.appendleft((now_ms, round(sum(self._pending) / len(self._pending))))
            self._pending.clear()

    def shown(self) -> dict[str, Any]:
        numbers = [value for _, value in self._points] or [0]
        times = [moment for moment, _ in self._points] or [0]
        return {
            "values": [list(point) for point in self._points],
            "max": max(numbers),
            "min": min(numbers),
            "average": round(sum(numbers) / len(numbers)),
            "start": times[-1],
            "end": times[0],
        }


def _cpu_times() -> tuple[int, int]:
    """The gateway's and all time of the machine's CPUs, in clock ticks since it started.

    The other nodes' programs are on the same processors, and a gateway knows nothing of them. So
    its time is what its own processes had or waited for, those that have ended included, and the
    kernel's packet handling, which nobody can tell apart by nodes.
    """
    fields = [int(f) for f in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    return fields[_SOFTIRQ] + sum(map(_process_time, Path("/proc").glob("[0-9]*"))), sum(fields)


def _process_time(process: Path) -> int:
    """CPU time that a process had, waited for, and its ended children had, in clock ticks."""
    try:
        fields = (process / "stat").read_text().rpartition(")")[2].split()
        waited_ns = int((process / "schedstat").read_text().split()[1])
    except OSError:  # it has ended
        return 0
    return sum(map(int, fields[_UTIME : _UTIME + 4])) + waited_ns * _TICKS // 10**9


def memory() -> tuple[int, int]:
    """Used and all memory of the machine, in bytes."""
    lines = (line.split() for line in Path("/proc/meminfo").read_text().splitlines())
    sizes = {words[0].rstrip(":"): int(words[1]) * 1024 for words in lines}
    return sizes["MemTotal"] - sizes["MemAvailable"], sizes["MemTotal"]


class Resources(Periodic):
    """Samples the machine as long as the gateway runs.

    Args:
        folder: on the disk whose use is shown.
        session_count: asks the data plane.
        is_short: tells whether the gateway is to be short of memory.
    """

    seconds = SAMPLE_SECONDS

    def __init__(
        self,
        folder: Path,
        session_count: Callable[[], Awaitable[int]],
        is_short: Callable[[], bool] = lambda: False,
    ) -> None:
        self._folder = folder
        self._session_count, self._is_short = session_count, is_short
        self._current: dict[str, int] = dict.fromkeys(RESOURCES, 0)
        self._series = {name: {interval: _Series(seconds)
                               for interval, seconds in INTERVALS.items()} for name in RESOURCES}
        self._cpu = _cpu_times()

    async def tick(self) -> None:
        """Take a sample."""
        busy, total = _cpu_times()
        passed = total - self._cpu[1]
        if passed:
            # A process that ended before its parent asked for it is missing for a moment.
            share = max(0.0, min(1.0, (busy - self._cpu[0]) / passed))
            self._current["cpu"] = round(100 * share)
            self._cpu = busy, total
        used, size = memory()
        self._current["mem"] = _CONSERVE if self._is_short() else round(100 * used / size)
        disk = os.statvfs(self._folder)
        self._current["disk"] = round(100 * (1 - disk.f_bavail / disk.f_blocks))
        with suppress(Exception):  # the data plane tells of its own troubles in the log
            self._current["session"] = await self._session_count()
        now_ms = time.time_ns() // 1_000_000
        for name, value in self._current.items():
            for series in self._series[name].values():
                series.add(now_ms, value)

    async def usage(self, resource: str | None, interval: str | None) -> Mapping[str, Any]:
        """The use of one resource or of all, over one interval or all, newest first."""
        if not self._series["cpu"]["1-min"].shown()["values"]:
            await self.tick()
        names = [resource] if resource else list(RESOURCES)
        spans = [interval] if interval else list(INTERVALS)
        return {
            name: [{"current": self._current[name],
                    "historical": {span: self._series[name][span].shown() for span in spans}}]
            for name in names
        }
