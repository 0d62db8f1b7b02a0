"""Processes that are known for certain: a pid is re-used, a pid with its start time is not."""

import ctypes
import os
import select
import signal
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Process:
    """One process, told apart from any later one with the same pid.

    Args:
        pid: its number, as the `/proc` at `proc` shows it.
        started: when it started, in clock ticks since boot (field 22 of `/proc/PID/stat`).
    """

    pid: int
    started: int

    @classmethod
    def of(cls, pid: int, proc: Path = Path("/proc")) -> "Process | None":
        """The process that has this pid now, or None where there is none or it is a zombie."""
        fields = _stat(pid, proc)
        return cls(pid, int(fields[19])) if fields and fields[0] not in "ZX" else None

    def alive(self, proc: Path = Path("/proc")) -> bool:
        """Whether this very process runs (a zombie does not)."""
        return Process.of(self.pid, proc) == self

    def as_dict(self) -> dict[str, int]:
        """What the state file keeps of it."""
        return {"pid": self.pid, "started": self.started}


def _stat(pid: int, proc: Path) -> list[str] | None:
    """The fields of `/proc/PID/stat` from the third on; the second may contain anything."""
    try:
        text = (proc / str(pid) / "stat").read_text()
    except OSError:
        return None
    return text.rpartition(")")[2].split()


def boot() -> str:
    """What tells this run of the kernel from the one before, when pids start anew."""
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def kill_and_wait(processes: Iterable[Process], seconds: float = 10) -> list[Process]:
    """Kill these processes, none that merely got one's pid, and wait until they are gone.

    Args:
        processes: the ones to end, as seen in this process's own `/proc`.
        seconds: how long to wait for all of them.

    Returns:
        Those that are still there.
    """
    handles: dict[int, Process] = {}
    for process in processes:
        with suppress(ProcessLookupError):
            handle = os.pidfd_open(process.pid)
            handles[handle] = process
            # The handle holds on to whatever has the pid now, so the check cannot go stale.
            if process.alive():
                signal.pidfd_send_signal(handle, signal.SIGKILL)
            else:
                os.close(handle)
                del handles[handle]
    deadline = time.monotonic() + seconds
    try:
        while handles and (left := deadline - time.monotonic()) > 0:
            for handle in select.select(list(handles), [], [], left)[0]:
                os.close(handle)
                del handles[handle]
        return list(handles.values())
    finally:
        for handle in handles:
            os.close(handle)


def die_with_parent(parent: int) -> Callable[[], None]:
    """What a child runs before its program, so that it does not outlive its parent.

    Args:
        parent: pid of the parent as it was before the fork.
    """
    libc = ctypes.CDLL(None, use_errno=True)

    def prepare() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it died before the kernel was told
            os._exit(128 + signal.SIGKILL)

    return prepare


def wait_until(condition: Callable[[], bool], seconds: float, pause: float = 0.01) -> bool:
    """Ask until `condition` holds, at most for so many seconds.

    Returns:
        Whether it held in time.
    """
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
    return True
