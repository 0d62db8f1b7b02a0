"""Which processes live in a lab's namespaces, so that a test can see that none is left."""

from __future__ import annotations

import os
from pathlib import Path

from lab.base.process import Process

KINDS = ("net", "mnt", "pid", "uts", "ipc")


def namespaces_of(state: dict) -> set[str]:
    """The namespaces of a lab's nodes.

    Args:
        state: the content of the lab's state file.
    """
    pids = [node["pid"] for node in state["nodes"].values()]
    return {os.readlink(f"/proc/{pid}/ns/{kind}") for pid in pids for kind in KINDS}


def inhabitants(namespaces: set[str]) -> list[Process]:
    """The processes that are in one of these namespaces.

    To be asked while the lab is up: the kernel gives the number of a namespace that is gone to
    the next one.
    """
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            here = {os.readlink(entry / "ns" / kind) for kind in KINDS}
        except OSError:
            continue
        if here & namespaces:
            found.append(Process.of(int(entry.name)))
    return [process for process in found if process is not None]


def alive(processes: list[Process]) -> list[Process]:
    """Those of the processes that are still there."""
    return [process for process in processes if process.alive()]
