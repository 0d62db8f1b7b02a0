"""Why an order is not approved, as the certificate shows it: a line a cause, and all of it in full.

The first sheet has a line for each cause as far as there is room. Whatever it leaves out, further
causes, checks by name or the end of a sentence, stands in the section with all causes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from gatepass.report.evidence import MOST_ITEMS
from gatepass.report.phrases import MOST_NAMES, check_name, linked, names_of
from gatepass.report.reasons import (
    ShownReason,
    bounds,
    counted,
    figure_of,
    in_words,
    likely,
    not_run,
    observed,
)
from gatepass.report.wording import Wording
from gatepass.results.outcome import Check

MOST_LINES = 8
"""Causes that the first sheet has room for."""
LONGEST_SEEN = 200
"""Letters of what was seen in a check."""


@dataclass(frozen=True)
class ReasonLine:
    """A cause on the first sheet.

    Attributes:
        verdict: fail or not proven.
        text: what happened.
        more: its likely cause, or what was seen instead.
        count: how many checks it spoils, such as "8 checks"; empty where it is none of a check.
        checks: their names, or of many how many of each chapter.
    """

    verdict: str
    text: Markup
    more: Markup
    count: Markup
    checks: Markup


@dataclass(frozen=True)
class CauseInFull:
    """A cause with each of its checks.

    Attributes:
        verdict: fail or not proven.
        text: what happened, with all that it happened to, and the likely cause.
        checks: each with its name, and what was seen in it.
    """

    verdict: str
    text: Markup
    checks: tuple[tuple[Markup, Markup], ...]


def lines(found: Sequence[ShownReason], words: Wording) -> list[ReasonLine]:
    """The causes that the first sheet has room for.

    Args:
        found: all of them, gravest first.
        words: of the page's language.
    """
    return [_line(reason, words) for reason in found[:MOST_LINES]]


def _line(reason: ShownReason, words: Wording) -> ReasonLine:
    more = likely(reason, words, LONGEST_SEEN)
    if not more and reason.kind == "claim" and len(reason.checks) == 1:
        more = observed(reason.checks[0], words, LONGEST_SEEN)
    return ReasonLine(
        reason.verdict,
        in_words(reason, words, MOST_ITEMS),
        more,
        counted(reason, words),
        names_of(reason.checks, words),
    )


def in_full(found: Sequence[ShownReason], words: Wording) -> list[CauseInFull]:
    """What the first sheet leaves out: causes that it has no room for, and checks by name.

    Checks that did not run are all alike, and are counted only.

    Args:
        found: all causes, gravest first.
        words: of the page's language.
    """
    return [
        CauseInFull(
            reason.verdict,
            _whole(reason, words),
            tuple(
                (linked(check, check_name(check, words)), _seen(reason, check, words))
                for check in reason.checks
            ),
        )
        for rank, reason in enumerate(found)
        if (rank >= MOST_LINES or len(reason.checks) > MOST_NAMES) and not not_run(reason)
    ]


def _whole(reason: ShownReason, words: Wording) -> Markup:
    text, cause = in_words(reason, words), likely(reason, words)
    return text + " " + cause if cause else text


def _seen(reason: ShownReason, check: Check, words: Wording) -> Markup:
    """What was seen in one of its checks: the figure, or what was there instead of the claim."""
    held = figure_of(reason, check)
    if held is None:
        return observed(check, words, LONGEST_SEEN)
    if held.promise == figure_of(reason, reason.checks[0]).promise:
        return bounds(held, words)
    return in_words(replace(reason, checks=(check,)), words)
