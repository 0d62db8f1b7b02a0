"""Whether the host leaves this machine its processors: a rate cannot be measured without them."""

from __future__ import annotations

import os
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

_LOOK_S = 0.6
MOST_STOLEN = 0.15
"""Of all processor time while all processors are wanted; a trial is set aside from 0.1 on."""


def stolen() -> float:
    """The share of all processors that the hypervisor takes while each of them is wanted."""
    with ProcessPoolExecutor(os.cpu_count()) as all_of_them:
        before = _times()
        list(all_of_them.map(_burn, [_LOOK_S] * (os.cpu_count() or 1)))
        spent = [now - then for now, then in zip(_times(), before, strict=True)]
    return spent[7] / max(1, sum(spent))


def _burn(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def _times() -> list[int]:
    """Ticks of all processors: user, nice, system, idle, iowait, irq, softirq, steal (proc(5))."""
    first = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0]
    return [int(word) for word in first.split()[1:9]]
