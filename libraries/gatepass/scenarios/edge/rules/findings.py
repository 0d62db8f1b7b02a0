"""What became of all that was tried at the edge, held against what should have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gatepass.base.errors import NotProven
from gatepass.base.flight_recorder import recorder
from gatepass.results.exchanges import ConnectionTry
from gatepass.scenarios.edge.rules.attempts import ANSWERED, TIMES, Attempt, Seen, told, wrong
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

    def held(self, story: str, names: Sequence[str], moments: Sequence[str]) -> tuple[bool, str]:
        """Whether these attempts came out as they should, and what was seen of them.

        Args:
            story: whose attempts.
            names: of the attempts.
            moments: when they were tried.

        Raises:
            NotProven: the rig may be to blame, or the story could not be tried.
            NotApplicable: the device has no such function.
        """
        tried = self._of(story)
        cases = [
            (tried.attempts[name], moment, tried.seen[moment][name])
            for moment in moments
            for name in names
        ]
        for case in cases:
            recorder.note(_as_tried(*case))
        found = [(sentence, case[2]) for case in cases if (sentence := wrong(*case))]
        if found:
            if not any(seen.arrived for _, seen in found):
                self._control_must_have_passed(story, moments)
            return False, " ".join(sentence for sentence, _ in found)
        self._control_must_have_passed(story, moments)
        return True, " ".join(told(*case) for case in cases)

    def answered_once(self, story: str, name: str, moment: str) -> bool:
        """Whether an attempt was answered, and what was to come later did not."""
        return self._of(story).seen[moment][name].outcome == ANSWERED

    def answered_for(self, story: str) -> tuple[bool, str]:
        """Whether the gateway answered for the addresses that it translates (ARP), and for which.

        Raises:
            NotProven: the story could not be tried.
            NotApplicable: the device has no such function.
        """
        tried = self._of(story)
        missing = [text for text in tried.taken_in if text not in tried.answered]
        if missing:
            return False, (
                f"Nobody answered when the host outside asked for {' and '.join(missing)} by ARP, "
                "so nothing that is sent there comes to the gateway."
            )
        return True, f"It answered the host outside for {', '.join(tried.taken_in)}."

    def _of(self, story: str) -> Tried:
        tried = self._tried[story]
        if tried.refused:
            raise tried.refused
        return tried

    def _control_must_have_passed(self, story: str, moments: Sequence[str]) -> None:
        """Beside what passed, silence says something; and what did not pass could have."""
        control = self._tried[CONTROL]
        name = _CONTROLS[story]
        for moment in moments:
            if sentence := wrong(control.attempts[name], moment, control.seen[moment][name]):
                raise NotProven(
                    f"what a policy of the run permits did not pass at the same time: {sentence}"
                )


def _as_tried(attempt: Attempt, moment: str, seen: Seen) -> ConnectionTry:
    """An attempt as the page of a check that fails shows it."""
    port = f" port {attempt.port}" if attempt.port else ""
    target = f"{attempt.protocol.upper()} to {attempt.target}{port}, {TIMES[moment]}"
    arrived = "; ".join(f"{one.source}, at {one.target} port {one.port}" for one in seen.arrived)
    return ConnectionTry(attempt.source, target, seen.words or seen.outcome, arrived)
