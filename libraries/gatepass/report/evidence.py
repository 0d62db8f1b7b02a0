"""The certificate's section on evidence: each chapter in words that a customer follows.

A run records some hundred observations in the words of an engineer. Here they are put together by
what they show; the report holds each of them. What a chapter shows is what its checks saw that
passed: a claim whose check failed or came to no verdict is not made.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markupsafe import Markup, escape

from gatepass.base import phrase
from gatepass.base.own_yaml import own_yaml
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


@cache
def let_through() -> tuple[str, ...]:
    """Names of the claims that keep something out, the gravest first."""
    return tuple(own_yaml(Path(phrase.__file__).with_name("claims.yaml"))["let_through"])


def rank(claim: str) -> int:
    """How grave it is that a claim does not hold, 0 for the gravest.

    Args:
        claim: its name.
    """
    kept_out = let_through()
    return kept_out.index(claim) if claim in kept_out else len(kept_out)


def broken(check: Check) -> list[Evidence]:
    """The observations of a check that its claims do not hold, the gravest first."""
    return sorted(
        (one for one in check.evidence if not one.holds), key=lambda one: rank(one.claim.name)
    )


def broken_in_words(seen: Sequence[Evidence], words: Wording, most: int | None = None) -> Markup:
    """What happened instead of what was claimed, in a sentence.

    Args:
        seen: observations of one claim.
        words: of the page's language.
        most: so many things are listed; all unless given.
    """
    return _sentence("broken", seen, words, most)


def listed(claims: Iterable[Phrase], words: Wording, most: int | None = None) -> Markup:
    """What claims of one name are about: each thing once, with the ways that it was tried.

    Args:
        claims: with the parts "what" and "by", where they have any.
        words: of the page's language.
        most: so many things; all unless given.
    """
    things: dict[Phrase, dict[str, None]] = {}
    for claim in claims:
        what, way = claim.part("what"), claim.part("by")
        if what:
            things.setdefault(what, {}).update({way: None} if way else {})
    named = [
        words.said(what) + (Markup(" ({})").format(", ".join(ways)) if ways else "")
        for what, ways in things.items()
    ]
    items = Markup(", ").join(named[:most])
    return items + Markup(" ") + _more(len(named) - most) if most and len(named) > most else items


def _more(count: int) -> Markup:
    """How many more there are; the section's caption says what that means."""
    return Markup("(+{})").format(count)


def _chapter(
    name: str, checks: list[Check], words: Wording, crowded: bool, brief: bool
) -> Chapter:
    passed = [check for check in checks if check.verdict == PASS]
    verdicts = {check.verdict for check in checks}
    most = MOST_ITEMS if brief else None
    found = [one for check in checks for one in check.evidence if not one.holds]
    wrong = [broken_in_words(seen, words, most) for seen in _kinds(found)]
    held = [one for check in passed for one in check.evidence if one.holds]
    right = [_sentence("shown", seen, words, most) for seen in _kinds(held)]
    right = [sentence for sentence in right if sentence]
    if brief and len(right) > MOST_RIGHT:
        right = [*right[:MOST_RIGHT], _more(len(right) - MOST_RIGHT)]
    if right and len(passed) < len(checks):
        right = [escape(words["in_passed"]), *right]
    return Chapter(
        chapter(name, words),
        words["passed_of"].format(passed=len(passed), all=len(checks)),
        next(one for one in (FAIL, NOT_PROVEN, PASS) if one in verdicts),
        tuple(wrong[:MOST_WRONG]) if crowded and wrong else (*wrong, *right),
    )


def _kinds(seen: list[Evidence]) -> Iterable[list[Evidence]]:
    """Observations by what they show."""
    kinds: dict[object, list[Evidence]] = {}
    for one in seen:
        known = one.claim.name != AS_IT_STANDS
        kinds.setdefault(one.claim.name if known else one.claim, []).append(one)
    return kinds.values()


def _sentence(group: str, seen: Sequence[Evidence], words: Wording, most: int | None) -> Markup:
    """In the page's language where it has the claim, else the claim as it was made.

    Args:
        group: of the language's texts: "shown" or "broken".
        seen: observations of one kind.
        words: of the page's language.
        most: so many things are listed; all unless given.
    """
    claim = seen[0].claim
    text = words[group].get(claim.name)
    if text is None:
        stands = words.as_it_stands(f"{str(claim).rstrip('.')}.")
        return filled(words["not_so"], claim=stands) if group == "broken" else stands
    return filled(text, items=listed((one.claim for one in seen), words, most), count=len(seen))
