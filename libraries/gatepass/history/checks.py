"""The verdicts of a gateway's checks run by run: which turned, and which turn to and fro."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from gatepass.history.series import RecordedRun
from gatepass.results.record import FAIL, NOT_PROVEN, PASS

TRIED = (PASS, FAIL, NOT_PROVEN)
"""Verdicts of a check that the order includes."""


@dataclass(frozen=True)
class CheckHistory:
    """A check of one gateway over time.

    Attributes:
        chapter, name: of the check.
        verdicts: by run, in order of time, of those that tried it.
    """

    chapter: str
    name: str
    verdicts: dict[str, str]

    @property
    def turns(self) -> int:
        """How often its verdict is another one than in the run before that tried it."""
        return sum(one != other for one, other in pairwise(self.verdicts.values()))

    @property
    def unstable(self) -> bool:
        """Whether it turned back: a gateway or a test set-up that is now this way, now that."""
        return self.turns > 1


def checks(connection: sqlite3.Connection, chosen: Sequence[RecordedRun]) -> list[CheckHistory]:
    """The checks of these runs, in the order in which they first ran.

    Args:
        connection: of the record.
        chosen: runs of one gateway, in order of time.
    """
    found: dict[tuple[str, str], dict[str, str]] = {}
    wanted = "SELECT chapter, name, verdict FROM checks WHERE run = ? ORDER BY position"
    for run in chosen:
        for chapter, name, verdict in connection.execute(wanted, (run.run,)):
            if verdict in TRIED:
                found.setdefault((chapter, name), {})[run.run] = verdict
    return [CheckHistory(*key, verdicts) for key, verdicts in found.items()]
