"""How far the orders of a fleet are, as their runs tell it."""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from gatepass.fleet.entries import Entry
from gatepass.fleet.lifetime import at_work
from gatepass.fleet.unfinished import PROGRESS

_TELLING = 0.15
"""From this part of the checks on, the time that they took says what is left."""


@dataclass
class OrderProgress:
    """How far one order is.

    Attributes:
        entry: the order.
        folder: of its run.
        begun: whether it has a worker, or had one.
        over: whether worker and run have ended.
        chapter: at which the run is; empty before the first.
        verdicts: how many checks ended with which verdict.
        checks: how many there are; 0 until it is known.
        waits: what it waits for and who has that; empty where it does not wait.
        verdict: of the order; empty until it has one.
    """

    entry: Entry
    folder: Path
    begun: bool = False
    over: bool = False
    chapter: str = ""
    verdicts: Counter[str] = field(default_factory=Counter)
    checks: int = 0
    waits: str = ""
    verdict: str = ""
    _from: float = 0.0
    _shortest_s: float = 0.0
    _read: int = 0

    @property
    def done(self) -> int:
        """How many checks have ended."""
        return self.verdicts.total()

    @property
    def left_s(self) -> float | None:
        """About how many seconds are left; None where nobody can tell."""
        if not self.checks or self.over:
            return None
        part = min(self.done / self.checks, 1)
        if part < _TELLING:
            return self._shortest_s
        return (time.time() - self._from) / part * (1 - part)

    def look(self) -> list[dict]:
        """Take in what was told since the last look, and give it on."""
        alive = at_work(self.folder)
        news = self._news()
        for one in news:
            self._take(one)
        self.begun = self.begun or alive is not None
        self.over = self.begun and alive is False
        return news

    def _news(self) -> list[dict]:
        try:
            with (self.folder / PROGRESS).open("rb") as file:
                file.seek(self._read)
                whole, newline, _ = file.read().rpartition(b"\n")
        except OSError:
            return []
        self._read += len(whole + newline)
        return [json.loads(line) for line in whole.splitlines()]

    def _take(self, event: dict) -> None:
        match event["event"]:
            case "plan":
                self.checks, self._shortest_s = event["checks"], event["shortest_s"]
                self._from = event["at"]
            case "chapter":
                self.chapter = event["name"]
            case "check":
                self.verdicts[event["verdict"]] += 1
            case "waits":
                holder = event.get("held_by") or ""
                self.waits = event["resource"] + (f", {holder} has it" if holder else "")
            case "goes on":
                self.waits = ""
            case "ends":
                self.verdict, self.waits = event["verdict"], ""
