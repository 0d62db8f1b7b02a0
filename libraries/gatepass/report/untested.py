"""The certificate's section on what was not tested, and why."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup, escape

from gatepass.report.phrases import chapter, filled
from gatepass.report.promises import TIER, why
from gatepass.report.wording import Wording
from gatepass.results.facts import group
from gatepass.results.outcome import Outcome
from gatepass.results.record import NOT_APPLICABLE


@dataclass(frozen=True)
class Untested:
    """What was left out, and why."""

    what: Markup
    why: Markup


def untested(outcome: Outcome, shown: frozenset[int], words: Wording) -> list[Untested]:
    """What was left out, apart from the promises in the table; a chapter's checks together."""
    if not outcome.checks:
        return [Untested(*(escape(words["nothing_tested"][part]) for part in ("what", "why")))]
    left_out = [
        check
        for position, check in enumerate(outcome.checks)
        if position not in shown and check.verdict == NOT_APPLICABLE
    ]
    # those of the tier stand in the table; what was planned and did not run tells itself
    found = [
        Untested(words.said(name), escape(words["option_untested"]))
        for name in outcome.not_tested
        if name.name not in TIER and not any(check.not_run for check in outcome.checks)
    ]
    for name, message in dict.fromkeys((check.chapter, check.message) for check in left_out):
        sharing = [c for c in left_out if (c.chapter, c.message) == (name, message)]
        about = {"chapter": chapter(name, words), "count": words.number(len(sharing))}
        if len(sharing) > 1:
            what = filled(words["untested_checks"], **about)
        else:
            named = words.named("checks", sharing[0].name)
            what = filled(words["untested_check"], name=named, **about)
        found.append(Untested(what, why(sharing[0], words)))
    if level := group(outcome.run, "order").get("service_level"):
        what = filled(words["level_without_figures"], level=level)
        found.append(Untested(what, escape(words["level_reason"])))
    return found
