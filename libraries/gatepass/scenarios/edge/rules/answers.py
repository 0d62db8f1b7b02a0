"""What hosts at the edge were answered, and for which addresses the gateway answered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gatepass.base.errors import NotProven
from gatepass.base.phrase import from_json, say
from gatepass.results.kept_answers import Answer
from gatepass.results.record import Evidence
from gatepass.scenarios.edge.rules.attempts import Attempt, Seen, told, wrong


@dataclass(frozen=True)
class Case:
    """An attempt at one moment, and what became of it.

    Attributes:
        attempt: with what has to become of it.
        moment: when it was tried.
        seen: what became of it.
    """

    attempt: Attempt
    moment: str
    seen: Seen

    @property
    def wrong(self) -> str:
        """What is wrong with it, as a sentence; empty where nothing is."""
        return wrong(self.attempt, self.moment, self.seen)


@dataclass(frozen=True)
class EdgeHeld(Answer):
    """Attempts that belong to one claim.

    Attributes:
        claim: a phrase, as JSON has it.
        cases: what was tried.
        beside: what a policy permitted at the same time.
    """

    claim: dict[str, Any]
    cases: tuple[Case, ...]
    beside: tuple[Case, ...]
    CLAIMS = frozenset(
        {
            *("published", "published_alone", "published_ends", "published_source", "pool_left"),
            *("hairpin", "hairpin_ends", "idle_kept", "idle_ended"),
            *("local_in_before", "local_in_closed", "local_in_through", "local_in_ends"),
        }
    )

    def evidence(self) -> Evidence:
        """Each came out as it should.

        Raises:
            NotProven: the rig may be to blame.
        """
        claim = from_json(self.claim)
        bad = [case for case in self.cases if case.wrong]
        if not any(case.seen.arrived for case in bad):
            self._must_have_passed_beside()
        if bad:
            return Evidence(claim, " ".join(case.wrong for case in bad), False)
        seen = (told(case.attempt, case.moment, case.seen) for case in self.cases)
        return Evidence(claim, " ".join(seen), True)

    def _must_have_passed_beside(self) -> None:
        """Beside what passed, silence says something; and what did not pass could have."""
        for case in self.beside:
            if case.wrong:
                raise NotProven(
                    f"what a policy of the run permits did not pass at the same time: {case.wrong}"
                )


@dataclass(frozen=True)
class TakenIn(Answer):
    """Addresses that the gateway translates, so that it has to answer for them (ARP).

    Attributes:
        what: name of the phrase for them.
        addresses: all of them.
        answered: those that somebody answered for.
    """

    what: str
    addresses: tuple[str, ...]
    answered: tuple[str, ...]
    CLAIMS = frozenset({"taken_in"})

    def evidence(self) -> Evidence:
        """It answered for each."""
        claim = say("taken_in", what=say(self.what))
        if missing := [text for text in self.addresses if text not in self.answered]:
            return Evidence(
                claim,
                f"Nobody answered when the host outside asked for {' and '.join(missing)} by ARP, "
                "so nothing that is sent there comes to the gateway.",
                False,
            )
        seen = f"It answered the host outside for {', '.join(self.addresses)}."
        return Evidence(claim, seen, True)
