"""CPU, memory, disk and sessions of the machine, as histories."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
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
RESOURCES = ("cpu", "mem", "disk", "session", "session6")


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


class _Meter:
    """One figure with its histories; of the processors there is one for each and one for all."""

    def __init__(self) -> None:
        self._current = 0
        self._series = {span: _Series(seconds) for span, seconds in INTERVALS.items()}

    def add(self, now_ms: int, value: int) -> None:
        self._current = value
        for series in self._series.values():
            series.add(now_ms, value)

    def shown(self, spans: Iterable[str]) -> dict[str, Any]:
        return {
            "current": self._current,
            "historical": {span: self._series[span].shown() for span in spans},
        }


@dataclass(frozen=True)
class _CpuTimes:
    """Time since the machine started, in clock ticks.

    The other nodes' programs are on the same processors, and a gateway knows nothing of them. So
    its time is what its own processes had or waited for, those that have ended included, and the
    kernel's packet handling, which nobody can tell apart by nodes.

    Attributes:
        processes: what the gateway's own processes had or waited for.
        packets: the kernel's packet handling, by processor.
        all: all time, by processor.
    """

    processes: int
    packets: tuple[int, ...]
    all: tuple[int, ...]

    @classmethod
    def now(cls) -> _CpuTimes:
        lines = (line.split() for line in Path("/proc/stat").read_text().splitlines())
        cores = [
            [int(field) for field in words[1:9]]
            for words in lines
            if words[0].startswith("cpu") and words[0] != "cpu"
        ]
        return cls(
            sum(map(_process_time, Path("/proc").glob("[0-9]*"))),
            tuple(fields[_SOFTIRQ] for fields in cores),
            tuple(map(sum, cores)),
        )

    def per_cent_since(self, before: _CpuTimes) -> list[int]:
        """How busy the processors were: their mean, then each of them.

        Which processor a process was on nobody notes, so each has an equal part of their time.
        """
        part = (self.processes - before.processes) / len(self.all)
        passed = [now - then for now, then in zip(self.all, before.all, strict=True)]
        busy = [part + now - then for now, then in zip(self.packets, before.packets, strict=True)]
        return [
            # A process that ended before its parent asked for it is missing for a moment.
            round(100 * max(0.0, min(1.0, had / whole))) if whole else 0
            for had, whole in [(sum(busy), sum(passed)), *zip(busy, passed, strict=True)]
        ]


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
        session_counts: asks the data plane for the sessions of IPv4 and of IPv6.
        is_short: tells whether the gateway is to be short of memory.
    """

    seconds = SAMPLE_SECONDS

    def __init__(
        self,
        folder: Path,
        session_counts: Callable[[], Awaitable[tuple[int, int]]],
        is_short: Callable[[], bool] = lambda: False,
    ) -> None:
        self._folder = folder
        self._session_counts, self._is_short = session_counts, is_short
        self._cpu = _CpuTimes.now()
        self._meters = {
            name: [_Meter() for _ in range(1 + len(self._cpu.all) if name == "cpu" else 1)]
            for name in RESOURCES
        }
        self._is_sampled = False

    async def tick(self) -> None:
        """Take a sample."""
        before, self._cpu = self._cpu, _CpuTimes.now()
        used, size = memory()
        disk = os.statvfs(self._folder)
        sample = {
            "cpu": self._cpu.per_cent_since(before),
            "mem": [_CONSERVE if self._is_short() else round(100 * used / size)],
            "disk": [round(100 * (1 - disk.f_bavail / disk.f_blocks))],
        }
        with suppress(Exception):  # the data plane tells of its own troubles in the log
            of_4, of_6 = await self._session_counts()
            sample |= {"session": [of_4], "session6": [of_6]}
        now_ms = time.time_ns() // 1_000_000
        for name, values in sample.items():
            for meter, value in zip(self._meters[name], values, strict=True):
                meter.add(now_ms, value)
        self._is_sampled = True

    async def usage(self, resource: str | None, interval: str | None) -> Mapping[str, Any]:
        """The use of one resource or of all, over one interval or all, newest first."""
        if not self._is_sampled:
            await self.tick()
        names = [resource] if resource else RESOURCES
        spans = [interval] if interval else list(INTERVALS)
        return {name: [meter.shown(spans) for meter in self._meters[name]] for name in names}
