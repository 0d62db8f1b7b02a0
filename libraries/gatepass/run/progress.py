"""How far a run is, told to whoever watches it: one JSON line an event, in the run's folder."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gatepass.run.at_work import AT_WORK, hold

NAME = "progress.jsonl"
FILE = "GATEPASS_PROGRESS"
"""Names the file of the run that is at work; the worker of a fleet sets it for its run."""


def tell(event: str, **facts: object) -> None:
    """Append an event to the run's file of progress; without such a file nothing is done.

    What cannot be written is left out: a screen that stands still costs no run its verdict.

    Args:
        event: "plan" (order, tier, customer, checks, shortest_s, longest_s), "chapter" (name),
            "begins" (name), "check" (chapter, name, verdict, message, measured), "waits" (resource,
            held_by), "goes on" or "ends" (verdict).
        facts: of the event, as JSON can hold them.
    """
    path = os.environ.get(FILE)
    if not path:
        return
    line = json.dumps({"at": time.time(), "event": event, **facts}) + "\n"
    with suppress(OSError), open(path, "a", encoding="utf-8") as stream:
        stream.write(line)


@contextmanager
def told(folder: Path) -> Iterator[None]:
    """Have a run tell how far it is, and that it is at work, for as long as the block lasts.

    A run of a fleet does so by its worker's hand.

    Args:
        folder: of the run; exists.
    """
    if FILE in os.environ:
        yield
        return
    try:
        lock = hold(folder)
    except OSError:  # nobody can watch it; it runs all the same
        yield
        return
    with lock:
        os.environ[FILE] = str(folder / NAME)
        try:
            yield
        finally:
            del os.environ[FILE]
            (folder / AT_WORK).unlink(missing_ok=True)
