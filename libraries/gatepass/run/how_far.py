"""How far a run is, as its folder tells whoever watches it."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gatepass.run.progress import NAME

_TELLING = 0.15
"""From this part of the checks on, the time that they took says what is left."""


@dataclass(frozen=True)
class EndedCheck:
    """A check that has its verdict; `message` says why where it did not pass."""

    chapter: str
    name: str
    verdict: str
    message: str = ""
    measured: str = ""


@dataclass
class HowFar:
    """How far one run is.

    Attributes:
        plan: what is known of it from its first moment on: order, tier, customer; may be empty.
        chapter: at which it is; empty before the first.
        at: the check at work; empty between two.
        ended: the checks that have a verdict, in order.
        checks: how many there are; 0 until it is known.
        waits: what it waits for and who has that; empty where it does not wait.
        verdict: of the order; empty until it has one.
    """

    plan: dict[str, Any] = field(default_factory=dict, kw_only=True)
    chapter: str = field(default="", kw_only=True)
    at: str = field(default="", kw_only=True)
    ended: list[EndedCheck] = field(default_factory=list, kw_only=True)
    checks: int = field(default=0, kw_only=True)
    waits: str = field(default="", kw_only=True)
    verdict: str = field(default="", kw_only=True)

    @property
    def verdicts(self) -> Counter[str]:
        """How many checks ended with which verdict."""
        return Counter(check.verdict for check in self.ended)

    @property
    def done(self) -> int:
        """How many checks have ended."""
        return len(self.ended)

    @property
    def left_s(self) -> float | None:
        """About how many seconds are left; None where nobody can tell."""
        if not self.checks or self.verdict:
            return None
        part = min(self.done / self.checks, 1)
        if part < _TELLING:
            return self.plan.get("shortest_s", 0.0)
        return (time.time() - self.plan["at"]) / part * (1 - part)

    def take(self, event: dict[str, Any]) -> None:
        """Take in what was told (see `progress.tell`)."""
        match event["event"]:
            case "plan":
                self.checks, self.plan = int(event["checks"]), {"at": 0.0, **event}
            case "chapter":
                self.chapter, self.at = event["name"], ""
            case "begins":
                self.at = event["name"]
            case "check":
                self.at = ""
                self.ended.append(
                    EndedCheck(
                        event["chapter"],
                        event["name"],
                        event["verdict"],
                        event.get("message", ""),
                        event.get("measured", ""),
                    )
                )
            case "waits":
                holder = event.get("held_by") or ""
                self.waits = event["resource"] + (f", {holder} has it" if holder else "")
            case "goes on":
                self.waits = ""
            case "ends":
                self.verdict, self.waits, self.at = event["verdict"], "", ""


def events(folder: Path, after: int = 0) -> tuple[list[dict[str, Any]], int]:
    """What a run told, and how many bytes of its file that took.

    Args:
        folder: of the run.
        after: bytes of the file that are known already.
    """
    try:
        with (folder / NAME).open("rb") as file:
            file.seek(after)
            whole, newline, _ = file.read().rpartition(b"\n")  # the last may be half written
    except OSError:
        return [], after
    return list(_parsed(whole)), after + len(whole + newline)


def how_far(folder: Path) -> HowFar:
    """How far a run has come until now."""
    found = HowFar()
    for event in events(folder)[0]:
        with suppress(KeyError, TypeError):  # of another Gatepass, or damaged: the rest is told
            found.take(event)
    return found


def _parsed(lines: bytes) -> Iterator[dict[str, Any]]:
    for line in lines.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue  # cut off by a kill
        if isinstance(event, dict) and "event" in event:
            yield event
