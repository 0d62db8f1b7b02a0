"""The certificate's sections on single checks: the reasons, and what was not tested."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from markupsafe import Markup, escape

from gatepass.base.phrase import NOTHING, Phrase
from gatepass.report.phrases import chapter, check_name, filled
from gatepass.report.promises import TIER, why
from gatepass.report.wording import Wording
from gatepass.results.facts import group
from gatepass.results.outcome import Check, Outcome
from gatepass.results.record import FAIL, NOT_APPLICABLE, NOT_PROVEN

MOST_NAMES = 3
"""A reason that more checks share names their chapters only."""


@dataclass(frozen=True)
class ShownReason:
    """Why the order is not approved.

    `title` names the checks; it is empty where the reason is none of a check.
    """

    verdict: str
    title: str
    text: str
    checks: tuple[Check, ...] = ()
    said: Phrase = NOTHING

    @property
    def sentence(self) -> str:
        """All of it on one line."""
        return ": ".join(part for part in (self.title, self.text) if part)


@dataclass(frozen=True)
class Untested:
    """What was left out, and why."""

    what: Markup
    why: Markup


def reasons(outcome: Outcome) -> list[ShownReason]:
    """Why the order is not approved, worst first; checks that share a reason stand together."""
    found: list[ShownReason] = []
    for verdict in (FAIL, NOT_PROVEN):
        checks = [check for check in outcome.checks if check.verdict == verdict]
        for message in dict.fromkeys(check.message for check in checks):
            sharing = [check for check in checks if check.message == message]
            found.append(
                ShownReason(verdict, _title(sharing), message, tuple(sharing), sharing[0].said)
            )
    rest = [ShownReason(NOT_PROVEN, "", str(said), (), said) for said in outcome.reasons_of_order()]
    return rest + found if outcome.changed_by_others else found + rest


def untested(outcome: Outcome, shown: frozenset[int], words: Wording) -> list[Untested]:
    """What was left out, apart from the promises in the table; a chapter's checks together."""
    if not outcome.checks:
        return [Untested(*(escape(words["nothing_tested"][part]) for part in ("what", "why")))]
    left_out = [
        check
        for position, check in enumerate(outcome.checks)
        if position not in shown and check.verdict == NOT_APPLICABLE
    ]
    found = [
        Untested(words.sentence(name), escape(words["option_untested"]))
        for name in outcome.not_tested
        if name.name not in TIER  # which stand in the table
    ]
    for name, message in dict.fromkeys((check.chapter, check.message) for check in left_out):
        sharing = [c for c in left_out if (c.chapter, c.message) == (name, message)]
        what = check_name(sharing[0], words)
        if len(sharing) > 1:
            count = len(sharing)
            what = filled(words["untested_checks"], chapter=chapter(name, words), count=count)
        found.append(Untested(what, why(sharing[0], words)))
    if level := group(outcome.run, "order").get("service_level"):
        what = filled(words["level_without_figures"], level=level)
        found.append(Untested(what, escape(words["level_reason"])))
    return found


def _title(checks: list[Check]) -> str:
    if len(checks) <= MOST_NAMES:
        return "; ".join(f"{check.chapter}, {check.name}" for check in checks)
    counted = Counter(check.chapter for check in checks)
    return "; ".join(f"{chapter} ({count})" for chapter, count in counted.items())
