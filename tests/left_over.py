"""Processes that have only what others leave over of the processors."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

RUN = "PYTEST_XDIST_TESTRUNUID"
"""Environment variable that a run of several workers is known by."""
_GROUPS = (Path("/sys/fs/cgroup/cpu"), Path("/sys/fs/cgroup"))
"""Where groups of processes share processors: that controller by itself (v1), or all (v2)."""
_EMPTY_S = 2.0


def give_way() -> None:
    """From now on this process, and what it starts, runs when nobody else wants to.

    A group is idle with all that is started in it (cpu.idle, Linux 5.15). Where none can be made,
    Linux shares processors out by sessions (autogroup): one that stayed in that of the others would
    have a part of theirs, and so has what is started in a further one.
    """
    os.setsid()
    if not _in_idle_group():
        with suppress(OSError):  # a kernel without autogroup
            Path("/proc/self/autogroup").write_text("19")
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def gives_way() -> bool:
    """Whether this process does."""
    return os.sched_getscheduler(0) == os.SCHED_IDLE


def end_idle_group(run: str) -> None:
    """Remove the group of a run, as soon as nobody is in it any more.

    Args:
        run: value of `RUN` in its workers.
    """
    give_up = time.monotonic() + _EMPTY_S
    while (group := _group(run)) and time.monotonic() < give_up:
        with suppress(OSError):
            group.rmdir()
            return
        time.sleep(0.05)


def _in_idle_group() -> bool:
    run = os.environ[RUN]
    for place in _GROUPS:
        group = place / _name(run)
        try:
            if not (place / "cgroup.procs").exists():
                continue
            group.mkdir(exist_ok=True)
            (group / "cpu.idle").write_text("1")
            (group / "cgroup.procs").write_text(str(os.getpid()))
        except OSError:
            with suppress(OSError):
                group.rmdir()
            continue
        return True
    return False


def _group(run: str) -> Path | None:
    return next((group for place in _GROUPS if (group := place / _name(run)).is_dir()), None)


def _name(run: str) -> str:
    return f"gatepass-tests-{run}"
