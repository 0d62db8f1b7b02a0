"""Where the processes of a run listen, looked at again and again while it is at work."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gatepass.gui.warden import descendants
from runs.beside import beside

_LISTEN = "0A"
_PERIOD_S = 0.5


def files_of(pid: int) -> Iterator[str]:
    """What a process holds open."""
    for one in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):  # closed meanwhile
            yield os.readlink(one)


def listening(pids: Iterable[int]) -> list[str]:
    """Where processes listen for TCP, as hexadecimal address and port (proc_pid_net(5))."""
    found = []
    for pid in pids:
        with suppress(OSError):
            held = set(files_of(pid))
            for version in ("tcp", "tcp6"):
                _, *rows = Path(f"/proc/{pid}/net/{version}").read_text().splitlines()
                for _, local, _, state, *rest in map(str.split, rows):
                    if state == _LISTEN and f"socket:[{rest[5]}]" in held:
                        found.append(local)
    return found


class Listeners:
    """Looks at what this process has started, outside the nodes of a lab.

    Attributes:
        looks: when it was looked, in seconds since the epoch, and where something listened.
        most: so many processes were looked at at once.
    """

    def __init__(self, *namespaces: Path) -> None:
        """Take a look at these network namespaces and this process' own.

        Args:
            namespaces: paths of them.
        """
        own = Path("/proc/self/ns/net")
        self._namespaces = {path.stat().st_ino for path in (own, *namespaces)}
        self._ended = threading.Event()
        self.looks: list[tuple[float, list[str]]] = []
        self.most = 0

    def within(self, began: float, ended: float) -> list[list[str]]:
        """What was found between two moments, a list for each look.

        Args:
            began, ended: in seconds since the epoch.
        """
        return [found for when, found in self.looks if began <= when <= ended]

    @contextmanager
    def at_work(self) -> Iterator[Listeners]:
        """Look for as long as the block lasts."""
        with beside(self._look, self._ended):
            yield self

    def _look(self) -> None:
        while not self._ended.wait(_PERIOD_S):
            ours = [pid for pid in descendants(os.getpid()) if self._is_outside(pid)]
            self.most = max(self.most, len(ours))
            self.looks.append((time.time(), listening(ours)))

    def _is_outside(self, pid: int) -> bool:
        with suppress(OSError):
            return Path(f"/proc/{pid}/ns/net").stat().st_ino in self._namespaces
        return False
