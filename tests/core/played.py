"""A context for keyword libraries whose gateway and endpoints are played."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

from gatepass.results.kept_answers import AnswerFiles
from gatepass.results.record import Evidence
from support.keyword_library import Context


class NotWritten(AnswerFiles):
    """Answers that are kept nowhere."""

    def _append(self, path: Path, line: str) -> None:
        pass


class Played(Context):
    """What a keyword library is handed; nothing is contacted.

    Args:
        run: what stands in for the parts of a `RunContext` that a test needs, by their names.
    """

    def __init__(self, **run: object) -> None:
        answers = {"answers": NotWritten(Path()), "mark": "gp0a1b2c", "has": lambda name: False}
        self.run = SimpleNamespace(trials=0, **answers | run)
        self.begin_check()

    def told(self, claim: str) -> list[str]:
        """What was observed for a claim in this check."""
        return [one.observed for one in self.evidence if str(one.claim) == claim]

    @property
    def evidence(self) -> list[Evidence]:
        """All that was noted in this check."""
        return [note for note in self.check.noted if isinstance(note, Evidence)]
