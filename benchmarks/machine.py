"""The machine in general terms, as a figure without it says nothing."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path


def description() -> str:
    """CPUs, memory, kernel and iperf3 in one line."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    release = ".".join(platform.release().split("-")[0].split(".")[:3])
    done = subprocess.run(["iperf3", "--version"], capture_output=True, text=True, check=False)
    version = " ".join(done.stdout.split()[:2])
    return (
        f"{len(os.sched_getaffinity(0))} CPU cores, {memory:.0f} GiB of memory, Linux {release}, "
        f"Python {platform.python_version()}, {version}"
    )

def busy_s() -> float:
    """What all cores have done since boot but wait (`/proc/stat`, proc(5))."""
    user, nice, system, _, _, irq, softirq, *_ = map(
        int, Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    )
    return (user + nice + system + irq + softirq) / os.sysconf("SC_CLK_TCK")
