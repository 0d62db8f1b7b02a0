"""A run that somebody watches, event by event."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import IO

from gatepass.run.at_work import hold
from history_examples import outcome
from served import LIVE, PLAN, kept, tell


class run_under_way:
    """Keywords that write what a run writes."""

    def __init__(self, results: str) -> None:
        self._folder = Path(results) / LIVE
        self._lock: IO[str] | None = None
        self._chapter = self._check = ""

    def a_run_begins(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir()
        self._lock = hold(self._folder)
        tell(self._folder, PLAN)

    def its_chapter_begins(self, name: str) -> None:
        self._chapter = name
        tell(self._folder, {"event": "chapter", "name": name})

    def a_check_begins(self, name: str) -> None:
        self._check = name
        tell(self._folder, {"event": "begins", "name": name})

    def the_check_ends(self, verdict: str, message: str) -> None:
        names = {"chapter": self._chapter, "name": self._check}
        tell(self._folder, {"event": "check", **names, "verdict": verdict, "message": message})

    def the_run_ends(self, verdict: str) -> None:
        tell(self._folder, {"event": "ends", "verdict": verdict})
        ended = outcome(4)
        ended.checks[0].verdict = "fail" if verdict == "rejected" else "pass"
        shutil.rmtree(self._folder)
        kept(self._folder, ended)
        self._lock.close()

    def the_run_is_killed(self) -> None:
        self._lock.close()
