"""The certificate's section on evidence: each chapter in words that a customer follows.

A run records some hundred observations in the words of an engineer. Here they are put together by
what they show; the report holds each of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from markupsafe import Markup

from gatepass.base.phrase import Phrase
from gatepass.report.phrases import chapter, filled
from gatepass.report.wording import Wording
from gatepass.results.outcome import Check, Outcome
from gatepass.results.record import FAIL, NOT_APPLICABLE, NOT_PROVEN, PASS, Evidence
from gatepass.results.schema1 import AS_IT_STANDS

MOST_WRONG = 3
MOST_RIGHT, MOST_ITEMS = 2, 4
"""Sentences of a chapter, and what one of them lists, in a run of many checks."""


@dataclass(frozen=True)
class Chapter:
    """A chapter in one row.

    Attributes:
        name: for the reader.
        passed: how many of its checks passed.
        verdict: the worst of its checks.
        shown: sentences; those on what does not hold come first.
    """

    name: Markup
    passed: str
    verdict: str
    shown: tuple[Markup, ...]


@dataclass
class _Kind:
    """Observations that show the same."""

    seen: list[Evidence] = field(default_factory=list)
    items: dict[Phrase, dict[str, None]] = field(default_factory=dict)

    def add(self, one: Evidence) -> None:
        self.seen.append(one)
        what, by = one.claim.part("what"), one.claim.part("by")
        if what:
            self.items.setdefault(what, {}).update({by: None} if by else {})


def evidence(
    outcome: Outcome, words: Wording, crowded: bool = False, brief: bool = False
) -> list[Chapter]:
    """The chapters, in the order they ran, apart from those that the order does not ask for.

    Args:
        outcome: the run.
        words: of the page's language.
        crowded: there is much else to tell, so a chapter tells only the first things that do not
            hold, if there are any.
        brief: there is little room, so that a chapter tells the first things that hold, and how
            many more do.
    """
    chapters: dict[str, list[Check]] = {}
    for check in outcome.checks:
        if check.verdict != NOT_APPLICABLE:
            chapters.setdefault(check.chapter, []).append(check)
    return [_chapter(name, checks, words, crowded, brief) for name, checks in chapters.items()]


def _more(count: int) -> Markup:
    """How many more there are; the section's caption says what that means."""
    return Markup("(+{})").format(count)


def not_holding(check: Check, words: Wording) -> list[Markup]:
    """What a check should have seen and did not."""
    return [claimed([one], words) for one in check.evidence if not one.holds]


def claimed(seen: list[Evidence], words: Wording) -> Markup:
    """What observations of one kind show, in one sentence."""
    (kind,) = _kinds(seen).values()
    return _sentence(kind, words)


def _chapter(
    name: str, checks: list[Check], words: Wording, crowded: bool, brief: bool
) -> Chapter:
    passed = sum(check.verdict == PASS for check in checks)
    verdicts = {check.verdict for check in checks}
    wrong, right = [], []
    for kind in _kinds([one for check in checks for one in check.evidence]).values():
        sentence = _sentence(kind, words, MOST_ITEMS if brief else None)
        bad = sum(not one.holds for one in kind.seen)
        if bad:
            wrong.append(
                filled(words["not_so"], bad=bad, all=len(kind.seen), claim=sentence)
            )
        elif sentence:
            right.append(sentence)
    if brief and len(right) > MOST_RIGHT:
        right = [*right[:MOST_RIGHT], _more(len(right) - MOST_RIGHT)]
    return Chapter(
        chapter(name, words),
        words["passed_of"].format(passed=passed, all=len(checks)),
        next(one for one in (FAIL, NOT_PROVEN, PASS) if one in verdicts),
        tuple(wrong[:MOST_WRONG]) if crowded and wrong else (*wrong, *right),
    )


def _kinds(seen: list[Evidence]) -> dict[object, _Kind]:
    """Observations by what they show."""
    kinds: dict[object, _Kind] = {}
    for one in seen:
        known = one.claim.name != AS_IT_STANDS
        kinds.setdefault(one.claim.name if known else one.claim, _Kind()).add(one)
    return kinds


def _sentence(kind: _Kind, words: Wording, most: int | None = None) -> Markup:
    """In the page's language where it has the claim, else the claim as it was made.

    Args:
        kind: of observations.
        words: of the page's language.
        most: so many things are listed; all unless given.
    """
    claim = kind.seen[0].claim
    text = words["shown"].get(claim.name)
    if text is None:
        return words.as_it_stands(f"{str(claim).rstrip('.')}.")
    listed = [
        words.said(what) + (Markup(" ({})").format(", ".join(ways)) if ways else "")
        for what, ways in kind.items.items()
    ]
    items = Markup(", ").join(listed[:most])
    if most and len(listed) > most:
        items += Markup(" ") + _more(len(listed) - most)
    return filled(text, items=items, count=len(kind.seen))
