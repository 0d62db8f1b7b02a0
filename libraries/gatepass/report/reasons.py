"""Why an order is not approved: a reason for each cause, gravest first, with all of its checks.

A check that did not pass belongs to the cause that its records tell: the claim that did not hold,
the likely cause of the figure that missed its promise, or else its own message. What got through
that should not have comes first, then what the customer does not get, then what is slow, and last
what could not be decided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from markupsafe import Markup, escape

from gatepass.base.languages import FALLBACK
from gatepass.base.phrase import NOTHING, Phrase
from gatepass.report.bounds import bound
from gatepass.report.evidence import broken, broken_in_words, let_through, rank
from gatepass.report.phrases import LONGEST_MESSAGE, MOST_NAMES, capital, filled, join, told
from gatepass.report.promises import promise_name
from gatepass.report.wording import Wording, wording
from gatepass.results.outcome import Check, Outcome
from gatepass.results.record import FAIL, NOT_PROVEN, Measurement
from gatepass.results.schema1 import AS_IT_STANDS
from gatepass.verdict.judgement import FAIL as MISSED
from gatepass.verdict.judgement import UNDECIDED as STRADDLES
from gatepass.verdict.judgement import decide

CLAIM, FIGURE, UNDECIDED, PHRASE, MESSAGE = "claim", "figure", "undecided", "phrase", "message"
"""Kinds of causes: a claim that does not hold, a figure that misses its promise, one that could not
be decided, a reason with an identity of its own, and whatever only has a message."""


class Gravity(IntEnum):
    """How grave a cause is, the gravest first."""

    LET_THROUGH = 0
    """Something got through that should not have."""
    WITHHELD = 1
    """The customer does not get what was ordered."""
    SLOW = 2
    """A figure misses its promise."""
    UNDECIDED = 3
    """It could not be decided."""


@dataclass(frozen=True)
class ShownReason:
    """A cause for which the order is not approved.

    Attributes:
        verdict: of its checks: fail or not proven.
        kind: what it is: `CLAIM`, `FIGURE`, `UNDECIDED`, `PHRASE` or `MESSAGE`.
        name: of the claim; of the likely cause or the promise of a figure; else the text.
        checks: those that it spoils, the gravest first; empty where it is none of a check.
        said: the phrase, of kind `PHRASE`.
    """

    verdict: str
    kind: str
    name: str
    checks: tuple[Check, ...] = ()
    said: Phrase = NOTHING

    @property
    def identity(self) -> tuple[str, str, str]:
        """The same for the same cause, also of another run."""
        return self.verdict, self.kind, self.name

    @property
    def gravity(self) -> tuple[Gravity, int]:
        """Sorts reasons, the gravest first."""
        if self.verdict == NOT_PROVEN:
            return Gravity.UNDECIDED, 0
        if self.kind == CLAIM and self.name in let_through():
            return Gravity.LET_THROUGH, rank(self.name)
        counts = (one.tried is not None for check in self.checks for one in _missed(check))
        slow = self.kind == FIGURE and not any(counts)
        return (Gravity.SLOW if slow else Gravity.WITHHELD), -len(self.checks)

    @property
    def title(self) -> str:
        """Its checks in English: their names, or of many how many of each chapter."""
        if len(self.checks) <= MOST_NAMES:
            return "; ".join(f"{check.chapter}, {check.name}" for check in self.checks)
        counts = Counter(check.chapter for check in self.checks)
        return "; ".join(f"{chapter} ({count})" for chapter, count in counts.items())

    @property
    def text(self) -> str:
        """What happened, in English; of a figure all that its check says."""
        if self.kind in (FIGURE, UNDECIDED) and not broken(self.checks[0]):
            return self.checks[0].message
        return str(in_words(self, wording(FALLBACK)).unescape())

    @property
    def sentence(self) -> str:
        """All of it on one line, in English."""
        return ": ".join(part for part in (self.title, self.text) if part)


def reasons(outcome: Outcome) -> list[ShownReason]:
    """Why an order is not approved, gravest first; empty where it is."""
    of_order = [
        ShownReason(NOT_PROVEN, PHRASE, str(said), (), said)
        for said in outcome.reasons_of_order()
    ]
    found = sorted(_of_checks(outcome), key=lambda reason: reason.gravity)
    return of_order + found if outcome.changed_by_others else found + of_order


def _of_checks(outcome: Outcome) -> Iterator[ShownReason]:
    groups: dict[tuple[str, str, str], list[Check]] = {}
    for check in outcome.checks:
        if check.verdict in (FAIL, NOT_PROVEN):
            for kind, name in _causes(check):
                groups.setdefault((check.verdict, kind, name), []).append(check)
    for (verdict, kind, name), checks in groups.items():
        if kind == FIGURE:
            checks.sort(key=lambda check: _spare(_missed(check)[0]))
        yield ShownReason(verdict, kind, name, tuple(checks), checks[0].said)


def _causes(check: Check) -> list[tuple[str, str]]:
    """The kind and name of each cause that spoiled a check, at least one."""
    if check.said:
        return [(PHRASE, str(check.said))]
    likely = next((cause.name for cause in check.causes if cause.weight), "")
    if check.verdict == NOT_PROVEN:
        if undecided := _undecided(check):
            return [(UNDECIDED, likely or undecided[0].promise)]
        return [(MESSAGE, likely or check.message)]
    found = []
    if wrong := broken(check):
        claim = wrong[0].claim
        found.append((CLAIM, str(claim) if claim.name == AS_IT_STANDS else claim.name))
    if missed := _missed(check):
        found.append((FIGURE, likely or missed[0].promise))
    return found or [(MESSAGE, check.message)]


def _missed(check: Check) -> list[Measurement]:
    return _decided(check, MISSED)


def _undecided(check: Check) -> list[Measurement]:
    return _decided(check, STRADDLES)


def _decided(check: Check, how: str) -> list[Measurement]:
    """The figures of a check that are decided so, the one with the least to spare first."""
    found = [
        one
        for one in check.measurements
        if one.threshold is not None and decide(one, one.threshold, one.relation) == how
    ]
    return sorted(found, key=_spare)


def _spare(held: Measurement) -> float:
    return 0.0 if held.margin_percent is None else held.margin_percent


# -- in words --------------------------------------------------------------------------------


def in_words(reason: ShownReason, words: Wording, most: int | None = None) -> Markup:
    """What happened, in a language.

    Args:
        reason: to be told.
        words: of the language.
        most: so many things are listed of a claim; all unless given.
    """
    if reason.said:
        return words.sentence(reason.said)
    if reason.kind == CLAIM and reason.name in words["broken"]:
        found = [one for check in reason.checks for one in broken(check)]
        return broken_in_words(
            [one for one in found if one.claim.name == reason.name], words, most
        )
    if held := figure_of(reason, reason.checks[0]) if reason.checks else None:
        return Markup("{}: {}").format(_named(held, words), bounds(held, words))
    message = reason.checks[0].message if reason.checks else reason.name
    return capital(told(message, words, LONGEST_MESSAGE))


def figure_of(reason: ShownReason, check: Check) -> Measurement | None:
    """The figure of a check for which a reason is one; None where none is."""
    found = {FIGURE: _missed, UNDECIDED: _undecided}.get(reason.kind)
    return found(check)[0] if found else None


def bounds(held: Measurement, words: Wording) -> Markup:
    """What a figure that is not reached is at best, or where it lies, beside what was promised.

    Args:
        held: missed or undecided.
        words: of the page's language.
    """
    at_least = held.relation == "at least"
    if decide(held, held.threshold, held.relation) == MISSED:
        text = "no_more_than" if at_least else "no_less_than"
    else:
        text = "no_spread" if held.half_width is None else "between"
    return filled(
        words["decision"][text],
        reached=with_unit(held, not at_least, words),
        low=bound(held, True, words),
        high=with_unit(held, False, words),
        promised=promised(held, words),
    )


def _named(held: Measurement, words: Wording) -> str:
    """A figure by its promise and the conditions that it was measured under."""
    return join((promise_name(held.promise, words), words.say(held.conditions)))


def with_unit(held: Measurement, lower: bool, words: Wording) -> str:
    """The lower or the upper bound of a figure, with its unit."""
    return f"{bound(held, lower, words)} {words.unit_name(held.unit)}"


def promised(held: Measurement, words: Wording) -> str:
    """What a figure is held against, with its unit: "at least 300 Mbit/s"."""
    return f"{words.bound(held.threshold or 0, held.relation)} {words.unit_name(held.unit)}"


def likely(reason: ShownReason, words: Wording, longest: int = LONGEST_MESSAGE) -> Markup:
    """The likely cause of a figure, in a language; empty where none was found.

    Args:
        reason: to be told.
        words: of the language.
        longest: letters.
    """
    causes = [one for check in reason.checks[:1] for one in check.causes[:1] if one.weight]
    if not causes or reason.kind not in (FIGURE, UNDECIDED):
        return Markup()
    seen = told(causes[0].sentence, words, longest)
    name = words.named("causes", causes[0].name)
    return filled(words["likely_cause"], cause=name, seen=capital(seen))


def not_run(reason: ShownReason) -> bool:
    """Whether it is that checks were planned and did not run."""
    return any(check.not_run for check in reason.checks)


def observed(check: Check, words: Wording, longest: int = LONGEST_MESSAGE) -> Markup:
    """What was seen in a check instead of what should have been, in a language.

    Empty where not even its first sentence has so many letters: the page of the failure has it.

    Args:
        check: that did not pass.
        words: of the language.
        longest: letters.
    """
    if check.said:
        return words.sentence(check.said)
    wrong = broken(check)
    seen = wrong[0].observed if wrong else check.message
    fits = len(seen) <= longest or ". " in seen[:longest]
    return capital(told(seen, words, longest)) if fits else Markup()


def counted(reason: ShownReason, words: Wording) -> Markup:
    """How many checks it spoils: "8 checks"; empty where it is none of a check."""
    count = len(reason.checks)
    if not count:
        return Markup()
    texts = words["decision"]["checks_counted"]
    return escape(texts["one"]) if count == 1 else filled(texts["more"], count=words.number(count))

