"""What became of all that was tried at the edge, held against what should have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gatepass.base.flight_recorder import recorder
from gatepass.base.phrase import Phrase
from gatepass.results.exchanges import ConnectionTry
from gatepass.scenarios.edge.rules.answers import Case, EdgeHeld, TakenIn
from gatepass.scenarios.edge.rules.attempts import ANSWERED, TIMES, Attempt, Seen
from gatepass.scenarios.edge.rules.stories import (
    CONTROL,
    CONTROL_IN,
    CONTROL_OUT,
    HAIRPIN,
    IDLE,
    OWN_ADDRESS,
    POOLS,
    PUBLISHED_ADDRESS,
    PUBLISHED_PORT,
)

_CONTROLS = {
    PUBLISHED_PORT: CONTROL_IN,
    PUBLISHED_ADDRESS: CONTROL_IN,
    POOLS: CONTROL_OUT,
    HAIRPIN: CONTROL_OUT,
    IDLE: CONTROL_OUT,
    OWN_ADDRESS: CONTROL_OUT,
}
"""By story: what had to pass at the same time."""


@dataclass
class Tried:
    """A story, and what became of what hosts tried for it.

    Attributes:
        attempts: what was tried, by name.
        taken_in: the addresses that the gateway had to answer for.
        answered: the addresses that somebody answered for while its rules were there.
        seen: what became of it, by moment and name.
        refused: why its rules were not put on the gateway; None where they were.
    """

    attempts: Mapping[str, Attempt]
    taken_in: tuple[str, ...] = ()
    answered: frozenset[str] = frozenset()
    seen: Mapping[str, Mapping[str, Seen]] = field(default_factory=dict)
    refused: Exception | None = None


class EdgeFindings:
    """Of all stories.

    Args:
        tried: by the story's name.
    """

    def __init__(self, tried: Mapping[str, Tried]) -> None:
        self._tried = tried

    def held(
        self, claim: Phrase, story: str, names: Sequence[str], moments: Sequence[str]
    ) -> EdgeHeld:
        """What became of these attempts, and of what had to pass at the same time.

        Args:
            claim: what should be.
            story: whose attempts.
            names: of the attempts.
            moments: when they were tried.

        Raises:
            NotProven: the story could not be tried.
            NotApplicable: the device has no such function.
        """
        cases = _cases(self._of(story), names, moments)
        for case in cases:
            recorder.note(_as_tried(case.attempt, case.moment, case.seen))
        beside = _cases(self._tried[CONTROL], (_CONTROLS[story],), moments)
        return EdgeHeld(claim.as_json(), cases, beside)

    def answered_once(self, story: str, name: str, moment: str) -> bool:
        """Whether an attempt was answered, and what was to come later did not."""
        return self._of(story).seen[moment][name].outcome == ANSWERED

    def answered_for(self, what: Phrase, story: str) -> TakenIn:
        """For which of the addresses that it translates the gateway answered (ARP).

        Args:
            what: whose addresses, for the claim.
            story: that they belong to.

        Raises:
            NotProven: the story could not be tried.
            NotApplicable: the device has no such function.
        """
        tried = self._of(story)
        return TakenIn(what.name, tried.taken_in, tuple(sorted(tried.answered)))

    def _of(self, story: str) -> Tried:
        tried = self._tried[story]
        if tried.refused:
            raise tried.refused
        return tried


def _cases(
    tried: Tried, names: Sequence[str], moments: Sequence[str]
) -> tuple[Case, ...]:
    return tuple(
        Case(tried.attempts[name], moment, tried.seen[moment][name])
        for moment in moments
        for name in names
    )


def _as_tried(attempt: Attempt, moment: str, seen: Seen) -> ConnectionTry:
    """An attempt as the page of a check that fails shows it."""
    port = f" port {attempt.port}" if attempt.port else ""
    target = f"{attempt.protocol.upper()} to {attempt.target}{port}, {TIMES[moment]}"
    arrived = "; ".join(f"{one.source}, at {one.target} port {one.port}" for one in seen.arrived)
    return ConnectionTry(attempt.source, target, seen.words or seen.outcome, arrived)
