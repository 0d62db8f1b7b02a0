"""How far the orders of a fleet are, as their runs tell it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gatepass.fleet.entries import Entry
from gatepass.run.at_work import at_work
from gatepass.run.how_far import HowFar, events


@dataclass
class OrderProgress(HowFar):
    """How far one order is.

    Attributes:
        entry: the order.
        folder: of its run.
        begun: whether it has a worker, or had one.
        over: whether worker and run have ended.
    """

    entry: Entry
    folder: Path
    begun: bool = False
    over: bool = False
    _read: int = 0

    @property
    def left_s(self) -> float | None:
        """About how many seconds are left; None where nobody can tell."""
        return None if self.over else super().left_s

    def look(self) -> list[dict]:
        """Take in what was told since the last look, and give it on."""
        alive = at_work(self.folder)
        news, self._read = events(self.folder, self._read)
        for one in news:
            self.take(one)
        self.begun = self.begun or alive is not None
        self.over = self.begun and alive is False
        return news
