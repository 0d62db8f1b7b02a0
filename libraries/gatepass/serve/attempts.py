"""How often a gateway was tested before a run, and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from gatepass.serve.folder import VERDICTS, Run


@dataclass(frozen=True)
class Attempt:
    """Which run of its gateway one is.

    Attributes:
        number: from 1.
        before: how many of those before it ended with which verdict, in the order of `VERDICTS`;
            none without a run.
    """

    number: int
    before: dict[str, int]

    @property
    def in_words(self) -> str:
        """Such as "run 3 of this gateway; before it: 1 approved, 2 rejected"."""
        if self.number == 1:
            return "first run of this gateway"
        counted = ", ".join(f"{count} {verdict}" for verdict, count in self.before.items())
        return f"run {self.number} of this gateway" + (f"; before it: {counted}" if counted else "")


def attempts(found: Sequence[Run]) -> dict[str, Attempt]:
    """The attempts of all runs whose gateway is known, by the runs' names.

    Args:
        found: all runs.
    """
    seen: dict[str, list[Run]] = {}
    told: dict[str, Attempt] = {}
    for run in sorted(found, key=lambda one: (one.started, one.name)):
        if run.gateway and run.started:
            earlier = seen.setdefault(run.gateway, [])
            states = Counter(one.state for one in earlier)
            before = {verdict: states[verdict] for verdict in VERDICTS if states[verdict]}
            told[run.name] = Attempt(len(earlier) + 1, before)
            earlier.append(run)
    return told
