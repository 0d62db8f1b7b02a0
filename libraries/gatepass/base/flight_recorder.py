"""What the test asked for last, and what came back: in memory, for the page of a check that fails.

Who sends something notes it here, and nobody decides by it. It is bounded, so that a run of days
holds no more than one of minutes.
"""

from __future__ import annotations

import time
from collections import deque
from typing import TypeVar

Entry = TypeVar("Entry")
MOST = 200
"""Entries of one kind."""


class FlightRecorder:
    """Entries of any kind, with the moments when they were noted."""

    def __init__(self) -> None:
        self._kept: dict[type, deque[tuple[float, object]]] = {}

    def note(self, entry: object) -> None:
        """Keep an entry; the oldest of its kind goes where there are too many."""
        kept = self._kept.setdefault(type(entry), deque(maxlen=MOST))
        kept.append((time.time(), entry))

    def since(self, moment: float, kind: type[Entry]) -> list[tuple[float, Entry]]:
        """The entries of a kind, the oldest first, with their moments.

        Args:
            moment: in seconds since the epoch.
            kind: of the entries.
        """
        return [(at, entry) for at, entry in self._kept.get(kind, ()) if at >= moment]


recorder = FlightRecorder()
"""That of this process."""
