"""A program of a run on an endpoint that stands still for a while, as on a busy machine."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gatepass.base.waiting import until

_LONG_S = 20


def program_of(stem: Path) -> int:
    """The process id of the program that was started detached with this stem.

    Args:
        stem: of its files, as in `gatepass.endpoint.shell.Detached`.
    """
    found = [int(stem.with_name(f"{stem.name}.pid").read_text())]

    def python() -> bool:
        children = Path(f"/proc/{found[-1]}/task/{found[-1]}/children").read_text().split()
        found.extend(map(int, children[:1]))
        return Path(f"/proc/{found[-1]}/comm").read_text().startswith("python")

    assert until(python, _LONG_S), stem
    return found[-1]


@contextmanager
def stands_still(stem: Path) -> Iterator[None]:
    """Within this the program does nothing; what is sent to it waits."""
    number = program_of(stem)
    os.kill(number, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(number, signal.SIGCONT)


@contextmanager
def stands_still_until(stem: Path, holds: Callable[[], bool]) -> Iterator[None]:
    """The program does nothing until this holds, while what is within this goes on."""
    number = program_of(stem)
    os.kill(number, signal.SIGSTOP)

    def wake() -> None:
        until(holds, _LONG_S)
        os.kill(number, signal.SIGCONT)

    waiting = threading.Thread(target=wake)
    waiting.start()
    try:
        yield
    finally:
        waiting.join()
