"""The certificate's sections on single checks: reasons, evidence, other checks, the untested."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from gatepass.certificate_facts import group
from gatepass.certificate_promises import has_tag, ordered_option
from gatepass.outcome import Check, Outcome
from gatepass.record import FAIL, NOT_APPLICABLE, NOT_PROVEN
from gatepass.wording import Wording

MOST_NAMES = 3
"""A reason that more checks share names their chapters only."""
REPORTED = ("snmp_reporting", "flow_reporting", "security_reporting")
"""Options without a figure in the tier; a check of one carries its name as a tag."""


@dataclass(frozen=True)
class Reason:
    """Why the order is not approved.

    `title` names the checks; it is empty where the reason is none of a check.
    """

    verdict: str
    title: str
    text: str


@dataclass(frozen=True)
class Seen:
    """One observation, with the checks that made it."""

    titles: tuple[str, ...]
    observed: str
    holds: bool


@dataclass(frozen=True)
class EvidenceGroup:
    """The observations of all checks to one claim, those that do not hold first."""

    claim: str
    seen: list[Seen]


@dataclass(frozen=True)
class Finding:
    """A check in one line; `figures` are measurements that are held against nothing."""

    name: str
    verdict: str
    text: str
    figures: tuple[str, ...]


@dataclass(frozen=True)
class Chapter:
    """A chapter's checks, with the sentence that says why the customer cares."""

    name: str
    why: str
    findings: list[Finding]


@dataclass(frozen=True)
class Untested:
    """What was left out, and why."""

    what: str
    why: str


def reasons(outcome: Outcome) -> list[Reason]:
    """Why the order is not approved, worst first; checks that share a reason stand together."""
    told = outcome.reasons()
    if not told:
        return []
    found: list[Reason] = []
    of_checks = set()
    for verdict in (FAIL, NOT_PROVEN):
        checks = [check for check in outcome.checks if check.verdict == verdict]
        of_checks |= {f"{check.name}: {check.message}" for check in checks}
        for message in dict.fromkeys(check.message for check in checks):
            sharing = [check for check in checks if check.message == message]
            found.append(Reason(verdict, _title(sharing), message))
    rest = [Reason(NOT_PROVEN, "", reason) for reason in told if reason not in of_checks]
    return found + rest


def evidence(outcome: Outcome, told: frozenset[int]) -> list[EvidenceGroup]:
    """The evidence behind the figures by its claim; checks that saw the same stand together.

    What the other checks saw is their result, and stands with them.

    Args:
        outcome: the run.
        told: positions of the checks that stand in the table of promises.
    """
    groups: dict[str, dict[tuple[bool, str], list[str]]] = {}
    for check in (outcome.checks[position] for position in sorted(told)):
        for one in check.evidence:
            same = groups.setdefault(one.claim, {}).setdefault((one.holds, one.observed), [])
            same.append(_conditions(check))
    return [
        EvidenceGroup(
            claim,
            [
                Seen(tuple(titles), observed, holds)
                for (holds, observed), titles in sorted(seen.items(), key=lambda item: item[0][0])
            ],
        )
        for claim, seen in groups.items()
    ]


def chapters(outcome: Outcome, told: frozenset[int], words: Wording) -> list[Chapter]:
    """The checks that the table of promises does not tell of, by chapter.

    Args:
        outcome: the run.
        told: positions of the checks that stand in that table.
        words: of the page's language.
    """
    found: dict[str, list[Finding]] = {}
    for position, check in enumerate(outcome.checks):
        if position not in told and check.verdict != NOT_APPLICABLE:
            found.setdefault(check.chapter, []).append(_finding(check, words))
    return [
        Chapter(name, first_sentence(outcome.chapters.get(name, "")), findings)
        for name, findings in found.items()
    ]


def untested(outcome: Outcome, told: frozenset[int], words: Wording) -> list[Untested]:
    """What was left out, apart from the promises in the table."""
    if not outcome.checks:
        return [Untested(**words["nothing_tested"])]
    found = [
        Untested(f"{check.chapter}: {check.name}", check.message)
        for position, check in enumerate(outcome.checks)
        if position not in told and check.verdict == NOT_APPLICABLE
    ]
    for option in REPORTED:
        if ordered_option(outcome, option) and not has_tag(outcome, option):
            name = words["options"][option]
            found.append(Untested(name[0].upper() + name[1:], words["option_untested"]))
    if level := group(outcome.run, "order").get("service_level"):
        what = words["level_without_figures"].format(level=level)
        found.append(Untested(what, words["level_reason"]))
    return found


def first_sentence(documentation: str) -> str:
    """The first sentence of a chapter's or a check's documentation, on one line."""
    text = " ".join(documentation.split())
    return re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0]


def _finding(check: Check, words: Wording) -> Finding:
    figures = tuple(
        f"{': '.join(part for part in (m.promise, m.conditions) if part)}: {words.figure(m)}"
        for m in check.measurements
        if m.threshold is None and not is_baseline(m.promise)
    )
    seen = " ".join(dict.fromkeys(one.observed for one in check.evidence))
    text = check.message or seen or first_sentence(check.documentation)
    return Finding(check.name, check.verdict, text, figures)


def is_baseline(promise: str) -> bool:
    """Whether a measurement is of the path without the gateway."""
    return promise.startswith("Baseline")


def _conditions(check: Check) -> str:
    """What tells a check from its neighbours: the conditions of its measurement, or its name."""
    for measurement in check.measurements:
        if measurement.conditions:
            return measurement.conditions
    return check.name


def _title(checks: list[Check]) -> str:
    if len(checks) <= MOST_NAMES:
        return "; ".join(f"{check.chapter}, {check.name}" for check in checks)
    counted = Counter(check.chapter for check in checks)
    return "; ".join(f"{chapter} ({count})" for chapter, count in counted.items())
