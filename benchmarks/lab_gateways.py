"""Lab gateways on one machine, with memory, set-up time and REST latency; tenants by the minute.

The first table builds more and more whole labs side by side. The second one is a published table
of a mass deployment (Basak et al. 2010, table 2: 1,000 virtual data centres, 10 in parallel, each
with a virtual gateway of its own on VMware's hypervisor) beside the same steps here: each tenant
gets a lab of its own, whose gateway is then configured over REST; the lab is taken down at once, to
make room for the next one.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import threading
import time
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from statistics import fmean, median

from benchmarks.bench_lab import BenchLab
from benchmarks.table import show, spread
from gatepass.gateway.fortigate import FortiGate
from gatepass.scenarios.provisioning import TenantProvisioning
from gatepass.scenarios.tenant import HOSTS, POLICIES

COUNTS = (10, 25, 50, 100)
CALLS = 20
AT_A_TIME = 10
MINUTES = 10
_MEMORY_LEFT = 0.15
"""Of the machine's memory, which no further lab may take."""

GATEWAY, WHOLE = "gateway", "in all"
PUBLISHED = {
    GATEWAY: (81, 110, 235),
    "DHCP pool": (6, 12, 49),
    f"{HOSTS} SNAT rules": (7, 16, 86),
    f"{HOSTS} DNAT rules": (7, 15, 94),
    f"{POLICIES} policies": (7, 27, 89),
    "VPN tunnel": (6, 15, 90),
    "guest": (6, 17, 90),
    WHOLE: (161, 212, 363),
}
"""Basak et al. 2010, table 2: smallest, mean and largest time in seconds."""


def main(args: Namespace) -> None:
    """Both tables."""
    with _folder() as root:
        side_by_side(root, sorted(args.gateways or COUNTS))
    with _folder() as root:
        minutes = MINUTES if args.minutes is None else args.minutes
        tenants(root, minutes * 60)


@contextmanager
def _folder() -> Iterator[Path]:
    root = Path(tempfile.mkdtemp(prefix="gatepass-bench-"))
    try:
        yield root
    finally:
        shutil.rmtree(root, ignore_errors=True)


# -- gateways side by side ---------------------------------------------------------------------


def side_by_side(root: Path, counts: Sequence[int]) -> None:
    """More and more labs, all of them up at once."""
    rows = []
    free = _available_mib()
    made: list[BenchLab] = []
    with ExitStack() as stack:
        for count in counts:
            took = []
            while len(made) < count and _available_mib() > _MEMORY_LEFT * _memory_mib():
                one = BenchLab(root / str(len(made)))
                begun = time.monotonic()
                stack.callback(one.down)
                one.up()
                took.append(time.monotonic() - begun)
                made.append(one)
            if len(made) < count:
                print(f"There is memory for {len(made)} labs, not for {count}.\n", flush=True)
                break
            rows.append(
                (
                    count,
                    spread(took),
                    f"{median(_pss_mib(lab, ('gateway',)) for lab in made):.0f}",
                    f"{median(_pss_mib(lab) for lab in made):.0f}",
                    f"{(free - _available_mib()) / count:.0f}",
                    spread([ms for lab in made for ms in _latency_ms(lab)], 1),
                )
            )
    show(
        (
            "gateways",
            "set-up of a lab, s",
            "gateway's processes, MiB",
            "lab's processes, MiB",
            "memory less for each lab, MiB",
            "a REST call, ms",
        ),
        rows,
    )


def _latency_ms(lab: BenchLab) -> list[float]:
    """Of calls over one connection, one after the other; the first one opens it."""
    with _connected(lab) as gateway:
        gateway.monitor("system/status")
        found = []
        for _ in range(CALLS):
            begun = time.monotonic()
            gateway.monitor("system/status")
            found.append((time.monotonic() - begun) * 1000)
        return found


@contextmanager
def _connected(lab: BenchLab) -> Iterator[FortiGate]:
    with lab.inside():
        gateway = lab.gateway()
        try:
            yield gateway
        finally:
            gateway.close()


def _pss_mib(lab: BenchLab, nodes: tuple[str, ...] = ()) -> float:
    """Memory of a lab's processes, what they share divided among those who share it (proc(5)).

    Args:
        lab: one that is up.
        nodes: of which; all without one.
    """
    state = json.loads((lab.testbed_file.parent / "state.json").read_text())
    rooms = {
        _pid_namespace(node["pid"])
        for name, node in state["nodes"].items()
        if not nodes or name in nodes
    }
    total = 0
    for entry in Path("/proc").iterdir():
        with suppress(OSError):  # it may have ended meanwhile
            if entry.name.isdigit() and _pid_namespace(entry.name) in rooms:
                lines = (entry / "smaps_rollup").read_text().splitlines()
                total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def _pid_namespace(pid: int | str) -> int:
    return os.stat(f"/proc/{pid}/ns/pid").st_ino


def _memory_mib() -> float:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**20


def _available_mib() -> float:
    lines = Path("/proc/meminfo").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("MemAvailable:"))


# -- tenants with a gateway each ---------------------------------------------------------------


def tenants(root: Path, limit_s: float) -> None:
    """As many as are begun within a time, some at a time."""
    begun = time.monotonic()
    found: list[Mapping[str, float]] = []
    numbers, lock = iter(range(10**6)), threading.Lock()

    def work() -> None:
        while time.monotonic() - begun < limit_s:
            with lock:
                folder = root / str(next(numbers))
            seconds = _tenant(folder)
            shutil.rmtree(folder)
            with lock:
                found.append(seconds)

    with ThreadPoolExecutor(AT_A_TIME) as pool:
        for one in [pool.submit(work) for _ in range(AT_A_TIME)]:
            one.result()
    elapsed = time.monotonic() - begun
    show(
        ("step", "published, s", "here, s (smallest / mean / largest)"),
        [
            (step, " / ".join(map(str, published)), _three([one[step] for one in found]))
            for step, published in PUBLISHED.items()
        ],
    )
    print(
        f"Published: 1,000 tenants, 10 at a time. Here: {len(found)} tenants, {AT_A_TIME} at a "
        f"time, in {elapsed / 60:.1f} minutes, their removal included: "
        f"{len(found) / elapsed * 60:.1f} a minute.\n",
        flush=True,
    )


def _tenant(folder: Path) -> dict[str, float]:
    """Seconds of each step of one tenant, whose gateway is gone again then."""
    lab = BenchLab(folder)
    begun = time.monotonic()
    try:
        lab.up()
        deployed = time.monotonic() - begun
        with lab.inside():
            gateway = lab.gateway()
            outer = lab.testbed.gateway.server_port
            (done,) = TenantProvisioning(lab.gateway, lab.changes(gateway), outer).set_up(1, 1)
            gateway.close()
    finally:
        lab.down()
    if done.error:
        raise SystemExit(f"{done.step}: {done.error}")
    seconds = dict(done.seconds)
    # its own network belongs to the published test's first step
    return {
        GATEWAY: deployed + seconds.pop("network"),
        **seconds,
        WHOLE: deployed + done.whole_s,
    }


def _three(values: list[float]) -> str:
    return f"{min(values):.2f} / {fmean(values):.2f} / {max(values):.2f}"
