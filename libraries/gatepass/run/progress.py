"""How far a run is, told to the fleet that it belongs to: one JSON line an event."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress

FILE = "GATEPASS_PROGRESS"
"""Names the file of a run that belongs to a fleet; a run of its own has none."""


def tell(event: str, **facts: object) -> None:
    """Append an event to the run's file of progress; without such a file nothing is done.

    What cannot be written is left out: a screen that stands still costs no run its verdict.

    Args:
        event: "plan" (checks, shortest_s, longest_s), "chapter" (name), "check" (chapter, name,
            verdict), "waits" (resource, held_by), "goes on" or "ends" (verdict).
        facts: of the event, as JSON can hold them.
    """
    path = os.environ.get(FILE)
    if not path:
        return
    line = json.dumps({"at": time.time(), "event": event, **facts}) + "\n"
    with suppress(OSError), open(path, "a", encoding="utf-8") as stream:
        stream.write(line)
