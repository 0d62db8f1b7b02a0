"""What the certificate says: an outcome turned into the sentences and rows of the page."""

from __future__ import annotations

from dataclasses import dataclass

from gatepass.certificate_checks import (
    Chapter,
    EvidenceGroup,
    Reason,
    Untested,
    chapters,
    evidence,
    reasons,
    untested,
)
from gatepass.certificate_facts import group, join
from gatepass.certificate_promises import (
    TIER,
    PromiseTable,
    ordered_option,
    promise_name,
    promise_table,
    tier_figure,
)
from gatepass.certificate_rig import Rig, deviations, method, rig
from gatepass.outcome import Outcome
from gatepass.record import APPROVED, FAIL, NOT_APPLICABLE, NOT_PROVEN, PASS
from gatepass.wording import Wording

Facts = list[tuple[str, str]]


@dataclass(frozen=True)
class Page:
    """Everything on the page, in the order of reading; the template only places it."""

    lab: bool
    verdict: str
    counts: str
    approved_without: str
    reasons: list[Reason]
    subject: str
    order: str
    date: str
    ordered: Facts
    promised: Facts
    notes: str
    promises: PromiseTable
    promises_caption: str
    evidence: list[EvidenceGroup]
    chapters: list[Chapter]
    untested: list[Untested]
    deviations: list[str]
    rig: Rig
    method: Facts
    restored: str
    restoration_problem: str
    left: str
    differences: tuple[str, ...]
    run_id: str
    gatepass: str


def page(outcome: Outcome, words: Wording) -> Page:
    """The content of the certificate."""
    run = outcome.run
    order = group(run, "order")
    table = promise_table(outcome, words)
    missing = join(table.untested) if outcome.verdict == APPROVED else ""
    restoration = outcome.restoration
    return Page(
        lab=outcome.lab,
        verdict=outcome.verdict.replace(" ", "_"),
        counts=_counts(outcome, words),
        approved_without=words["approved_without"].format(promises=missing) if missing else "",
        reasons=reasons(outcome),
        subject=_subject(order, words),
        order=words["order_of"].format(order=order["order"]) if order.get("order") else "",
        date=words.day(run["started"]) if run.get("started") else "",
        ordered=_bought(outcome, words) if order else [],
        promised=_promised(outcome, words),
        notes=str(order.get("notes") or "").strip(),
        promises=table,
        promises_caption=_caption(table, words),
        evidence=evidence(outcome, table.told),
        chapters=chapters(outcome, table.told, words),
        untested=untested(outcome, table.told, words),
        deviations=deviations(outcome, words),
        rig=rig(outcome, words),
        method=method(outcome, words),
        restored=_restored(outcome),
        restoration_problem=restoration.problem if restoration else "",
        left=join(restoration.left) if restoration else "",
        differences=restoration.differences if restoration else (),
        run_id=str(run.get("run_id") or words["not_known"]),
        gatepass=str(run.get("gatepass") or words["not_known"]),
    )


def _counts(outcome: Outcome, words: Wording) -> str:
    count = {verdict: words.number(outcome.count(verdict)) for verdict in _VERDICTS}
    return words["counts"].format(
        passed=count[PASS],
        failed=count[FAIL],
        not_proven=count[NOT_PROVEN],
        not_applicable=count[NOT_APPLICABLE],
    )


_VERDICTS = (PASS, FAIL, NOT_PROVEN, NOT_APPLICABLE)


def _subject(order: dict, words: Wording) -> str:
    customer = order.get("customer")
    service = " ".join(str(order[key]) for key in ("tier", "service_level") if order.get(key))
    named = words["for_customer"].format(customer=customer) if customer else ""
    return f"{service} {named}".strip()


def _bought(outcome: Outcome, words: Wording) -> Facts:
    order = group(outcome.run, "order")
    label = words["ordered"]
    options = join(
        words["options"].get(name, name.replace("_", " "))
        for name, bought in sorted(group(order, "options").items())
        if bought
    )
    facts = [
        (label[key], str(order.get(key) or words["not_known"]))
        for key in ("customer", "order", "tier", "service_level")
    ]
    facts.append((label["options"], options or label["no_options"]))
    if shaper := group(order, "shaper"):
        percent = words.number(shaper.get("burst_allowance_percent") or 0)
        told = label["shaper_value"].format(name=shaper.get("name"), percent=percent)
        facts.append((label["shaper"], told))
    return facts


def _promised(outcome: Outcome, words: Wording) -> Facts:
    """The tier's figures, those that it does not offer included."""
    if not group(outcome.run, "tier"):
        return []
    facts = []
    for promise in TIER:
        figure = tier_figure(outcome, promise.key, words)
        if figure and not ordered_option(outcome, promise.option):
            figure = words["needs_option"].format(figure=figure)
        facts.append((promise_name(promise, words), figure or words["not_offered"]))
    return facts


def _caption(table: PromiseTable, words: Wording) -> str:
    confidences = join(f"{words.number(value * 100)} %" for value in table.confidences)
    interval = f" ({confidences})" if confidences else ""
    caption = words["promises_caption"].format(confidence=interval)
    return f"{caption} {words['goodput']}" if table.goodput else caption


def _restored(outcome: Outcome) -> str:
    if outcome.restoration is None:
        return "unknown"
    return "identical" if outcome.restoration.identical else "different"
