"""Cuts an endpoint off as soon as it sends test traffic: the fault `ssh-lost`.

A program of its own, with the standard library alone, that runs inside the endpoint's node. Once
an iperf3 has sent or received there for a while, it ends the SSH server and what that started
for its sessions; the traffic itself goes on, as it would on a host whose management is cut off.
"""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PAUSE_SECONDS = 0.05
_TRAFFIC = {"-c", "--client", "-s", "--server"}


def _processes() -> Iterator[Path]:
    return (entry for entry in Path("/proc").iterdir() if entry.name.isdigit())


def _name(process: Path) -> str:
    with suppress(OSError):
        return (process / "comm").read_text().strip()
    return ""


def _sends() -> bool:
    """Whether an iperf3 is there for traffic, not to say its version."""
    for process in _processes():
        if _name(process) == "iperf3":
            with suppress(OSError):
                words = (process / "cmdline").read_text().split("\0")
                if _TRAFFIC & set(words):
                    return True
    return False


def _parents() -> dict[int, int]:
    parents = {}
    for process in _processes():
        with suppress(OSError):
            fields = (process / "stat").read_text().rpartition(")")[2].split()
            parents[int(process.name)] = int(fields[1])
    return parents


def _servers(first: int) -> list[int]:
    """The SSH server and the processes that it forked for its sessions."""
    parents = _parents()
    found = [first]
    for parent in found:  # grows while it is gone through
        found += [
            pid
            for pid, its_parent in parents.items()
            if its_parent == parent and _name(Path(f"/proc/{pid}")).startswith("sshd")
        ]
    return found


def main() -> None:
    """Watch, and act once. Arguments: pid of the SSH server, seconds of traffic before."""
    server, seconds = int(sys.argv[1]), float(sys.argv[2])
    while not _sends():
        time.sleep(_PAUSE_SECONDS)
    time.sleep(seconds)
    for pid in _servers(server):  # the listening one first, so that no new session comes up
        if _name(Path(f"/proc/{pid}")).startswith("sshd"):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    main()
