"""What the certificate says: an outcome turned into the sentences and rows of the page.

All of it is bounded: whatever a run has to tell, the page keeps to three sheets of A4, and the rest
is in the report.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from markupsafe import Markup, escape

from gatepass.report.charts import Chart, charts
from gatepass.report.checks import MOST_NAMES, ShownReason, Untested, reasons, untested
from gatepass.report.evidence import Chapter, evidence, not_holding
from gatepass.report.phrases import LONGEST_MESSAGE, chapter, filled, join, shortened
from gatepass.report.promises import (
    TIER,
    MeasurementRow,
    PromiseRows,
    PromiseTable,
    missed,
    promise_name,
    promise_table,
    tier_figure,
)
from gatepass.report.rig import Facts, about_test, deviations, gateway, rig
from gatepass.report.wording import FALLBACK, Wording
from gatepass.results.facts import group
from gatepass.results.outcome import Outcome
from gatepass.results.record import APPROVED, FAIL, NOT_APPLICABLE, NOT_PROVEN, PASS, Cause

MOST_REASONS, MOST_LEFT_OUT, MOST_LINES = 6, 7, 4
MOST_ROWS = 9
"""Of one promise under several conditions."""
MANY_CHECKS = 60
"""A run of more is set in smaller type."""
LONGEST_NOTE = 200
"""Letters, where much else has to be told."""
FEW_REASONS, FEW_CHARTS = 3, 2
"""So many reasons may be told at length. Where there are more, the page is theirs."""


@dataclass(frozen=True)
class ReasonLine:
    """A reason in the page's language, and in the words of the report where those are others."""

    verdict: str
    title: Markup
    text: Markup
    english: str


@dataclass(frozen=True)
class Detail:
    """One promise under each condition.

    `layer` is the first row's unit and layer; `published` whether a row has such a figure; `more`
    tells of rows that are left out.
    """

    name: str
    layer: str
    published: bool
    rows: list[MeasurementRow]
    more: str


@dataclass(frozen=True)
class PromiseRow:
    """A promise in one row: its least favourable measurement, or why there is none."""

    name: str
    promised: str
    row: MeasurementRow | None
    verdict: str
    note: str
    why: Markup


@dataclass(frozen=True)
class Page:
    """Everything on the page, in the order of reading; the template only places it."""

    lab: bool
    verdict: str
    counts: str
    approved_without: str
    reasons: list[ReasonLine]
    more_reasons: str
    dense: bool
    subject: str
    order: str
    date: str
    ordered: Facts
    gateway: Facts
    test: Facts
    notes: str
    not_offered: str
    promises: list[PromiseRow]
    others: list[PromiseRow]
    promises_caption: str
    charts: list[Chart]
    details: list[Detail]
    published: list[Markup]
    evidence: list[Chapter]
    untested: list[Untested]
    more_untested: str
    deviations: list[Markup]
    rig: Facts
    restored: str
    restoration_problem: Markup
    left: Markup
    differences: tuple[str, ...]
    more_differences: str
    run_id: str
    gatepass: str


def page(outcome: Outcome, words: Wording) -> Page:
    """The content of the certificate."""
    run = outcome.run
    order = group(run, "order")
    table = promise_table(outcome, words)
    missing = join(table.untested) if outcome.verdict == APPROVED else ""
    restoration = outcome.restoration
    found = reasons(outcome)
    crowded = len(found) > FEW_REASONS
    left_out = untested(outcome, table.covered, words)
    differences = restoration.differences if restoration else ()
    return Page(
        lab=outcome.lab,
        verdict=outcome.verdict.replace(" ", "_"),
        counts=_counts(outcome, words),
        approved_without=words["approved_without"].format(promises=missing) if missing else "",
        reasons=[
            _reason(reason, table, words, crowded)
            for reason in found[:MOST_REASONS]
        ],
        dense=crowded or len(outcome.checks) > MANY_CHECKS,
        more_reasons=_more(words["more_reasons"], found, MOST_REASONS),
        subject=_subject(order, words),
        order=words["order_of"].format(order=order["order"]) if order.get("order") else "",
        date=words.day(run["started"]) if run.get("started") else "",
        ordered=_bought(outcome, words) if order else [],
        gateway=gateway(outcome, words),
        test=about_test(outcome, words),
        notes=shortened(str(order.get("notes") or ""), words, LONGEST_NOTE),
        not_offered=_not_offered(outcome, words),
        promises=[_in_one_row(promise, words) for promise in table.promises],
        others=[_in_one_row(promise, words) for promise in table.others if promise.rows],
        promises_caption=_caption(table, words),
        charts=charts(table, words)[: FEW_CHARTS if crowded else None],
        details=[_detail(promise, words) for promise in table.every if promise.detailed],
        published=_published(outcome, table, words),
        evidence=evidence(outcome, words, crowded),
        untested=left_out[:MOST_LEFT_OUT],
        more_untested=_more(words["more_in_report"], left_out, MOST_LEFT_OUT),
        deviations=deviations(outcome, words),
        rig=rig(outcome, words) + _back(outcome, words),
        restored=_restored(outcome),
        restoration_problem=_problem(outcome, words),
        left=_left(outcome, words),
        differences=tuple(line[:LONGEST_NOTE] for line in differences[:MOST_LINES]),
        more_differences=_more(words["more_in_report"], differences, MOST_LINES),
        run_id=str(run.get("run_id") or words["not_known"]),
        gatepass=str(run.get("gatepass") or words["not_known"]),
    )


def _more(text: str, every: list | tuple, most: int) -> str:
    return text.format(count=len(every) - most) if len(every) > most else ""


def _counts(outcome: Outcome, words: Wording) -> str:
    count = {verdict: words.number(outcome.count(verdict)) for verdict in _VERDICTS}
    return words["counts"].format(
        passed=count[PASS],
        failed=count[FAIL],
        not_proven=count[NOT_PROVEN],
        not_applicable=count[NOT_APPLICABLE],
    )


_VERDICTS = (PASS, FAIL, NOT_PROVEN, NOT_APPLICABLE)


def _reason(
    reason: ShownReason, table: PromiseTable, words: Wording, crowded: bool
) -> ReasonLine:
    """In the page's language as far as figures, evidence and cause tell it, or in few words."""
    title = _title(reason, words)
    text = shortened(reason.text, words, LONGEST_NOTE if crowded else LONGEST_MESSAGE)
    english = words["language"] == FALLBACK
    if reason.said:
        return ReasonLine(reason.verdict, title, words.sentence(reason.said), "")
    if english and not crowded:
        return ReasonLine(reason.verdict, title, escape(text), "")
    own = _own_words(reason, table, words)
    if english:
        return ReasonLine(reason.verdict, title, own or escape(text), "")
    return ReasonLine(reason.verdict, title, own, text)


def _title(reason: ShownReason, words: Wording) -> Markup:
    """The checks that share the reason; of many only how many of each chapter."""
    if len(reason.checks) <= MOST_NAMES:
        named = [
            chapter(one.chapter, words) + ": " + words.as_it_stands(one.name)
            for one in reason.checks
        ]
    else:
        counted = Counter(check.chapter for check in reason.checks)
        named = [chapter(name, words) + f" ({count})" for name, count in counted.items()]
    return Markup("; ").join(named)


def _own_words(reason: ShownReason, table: PromiseTable, words: Wording) -> Markup:
    sentences: list[Markup] = []
    measured = [m for check in reason.checks for m in check.measurements]
    for promise in table.every:
        for row in promise.rows:
            if row.measurement in measured and missed(row.measurement):
                spread = "" if row.measurement.half_width is None else f" {row.spread}"
                sentences.append(
                    filled(
                        words["own_words"],
                        promise=promise.name,
                        conditions=row.conditions,
                        measured=row.measured + spread,
                        bound=row.promised,
                        unit=words.unit_name(row.measurement.unit),
                    )
                )
    for check in reason.checks:
        sentences += [filled(words["own_evidence"], claim=one) for one in not_holding(check, words)]
        sentences += [_likely(cause, words) for cause in check.causes[:1] if cause.weight]
    return Markup(" ").join(dict.fromkeys(sentences))


def _likely(cause: Cause, words: Wording) -> Markup:
    """What kind of cause it is; in the language of the checks also what was seen of it."""
    seen = ""
    if words["language"] == FALLBACK:
        seen = f": {shortened(cause.sentence, words, LONGEST_NOTE).rstrip('.')}"
    return filled(words["likely_cause"], cause=words.named("causes", cause.name), seen=seen)


def _subject(order: dict, words: Wording) -> str:
    customer = order.get("customer")
    service = " ".join(str(order[key]) for key in ("tier", "service_level") if order.get(key))
    named = words["for_customer"].format(customer=customer) if customer else ""
    return f"{service} {named}".strip()


def _bought(outcome: Outcome, words: Wording) -> Facts:
    order = group(outcome.run, "order")
    label = words["subject"]
    options = join(
        words["options"].get(name, name.replace("_", " "))
        for name, bought in sorted(group(order, "options").items())
        if bought
    )
    facts: Facts = [
        (label[key], str(order.get(key) or words["not_known"]))
        for key in ("customer", "order", "tier", "service_level")
    ]
    facts.append((label["options"], options or label["no_options"]))
    if shaper := group(order, "shaper"):
        percent = words.number(shaper.get("burst_allowance_percent") or 0)
        value = label["shaper_value"].format(name=shaper.get("name"), percent=percent)
        facts.append((label["shaper"], value))
    return facts


def _not_offered(outcome: Outcome, words: Wording) -> str:
    """The promises that others have and this tier has not."""
    if not group(outcome.run, "tier"):
        return ""
    missing = join(
        promise_name(promise, words)
        for promise in TIER
        if not tier_figure(outcome, promise, words)
    )
    return words["not_offered"].format(promises=missing) if missing else ""


def _in_one_row(promise: PromiseRows, words: Wording) -> PromiseRow:
    measured = promise.measured
    notes = []
    if len(measured) > 1:
        text, conditions = words["worst_of"], measured[0].conditions
        notes.append(text.format(count=len(measured), conditions=conditions))
    elif measured:
        notes.append(measured[0].conditions)
    if measured and promise.open:
        notes.append(words["open_checks"].format(count=len(promise.open)))
    why = promise.why
    if not measured and promise.open:
        why = Markup(" ").join(dict.fromkeys(row.why for row in promise.open))
        why = why if len(why) <= 2 * LONGEST_NOTE else promise.open[0].why
    promised = promise.promised or (measured[0].promised if measured else "")
    row = measured[0] if measured else None
    return PromiseRow(promise.name, promised, row, promise.verdict, "; ".join(notes), why)


def _detail(promise: PromiseRows, words: Wording) -> Detail:
    """All measured rows in the order they were measured, and those for comparison after them."""
    rows = [row for row in promise.rows if row.measurement] + list(promise.compared)
    return Detail(
        name=promise.name,
        layer=rows[0].layer,
        published=any(row.published for row in rows),
        rows=rows[:MOST_ROWS],
        more=_more(words["more_in_report"], rows, MOST_ROWS),
    )


def _published(outcome: Outcome, table: PromiseTable, words: Wording) -> list[Markup]:
    """Whose figures stand beside the measured ones."""
    if not any(row.published for one in table.every for row in (*one.rows, *one.compared)):
        return []
    sources = group(outcome.run, "published", "sources")
    return [
        filled(
            words["published"],
            name=source.get("name", ""),
            method=_of_source("method", key, source, words),
            device=_of_source("device", key, source, words),
        )
        for key, source in ((key, group(sources, key)) for key in sources)
    ]


def _of_source(part: str, key: str, source: dict, words: Wording) -> Markup:
    """How, or with what, a published test was made."""
    text = words["sources"].get(key, {}).get(part)
    return words.as_it_stands(source.get(part, "")) if text is None else escape(text)


def _caption(table: PromiseTable, words: Wording) -> str:
    confidences = join(f"{words.number(value * 100)} %" for value in table.confidences)
    interval = f" ({confidences})" if confidences else ""
    caption = words["promises_caption"].format(confidence=interval)
    return f"{caption} {words['goodput']}" if table.goodput else caption


def _restored(outcome: Outcome) -> str:
    if outcome.restoration is None:
        return "unknown"
    return "identical" if outcome.restoration.identical else "different"


def _back(outcome: Outcome, words: Wording) -> Facts:
    """That the configuration is back, in a line; where it is not, that has a section of its own."""
    if _restored(outcome) != "identical":
        return []
    return [(words["sections"]["restoration"], words["restoration"]["identical"])]


def _problem(outcome: Outcome, words: Wording) -> Markup:
    problem = outcome.restoration.problem if outcome.restoration else ""
    return words.as_it_stands(shortened(problem, words, LONGEST_NOTE)) if problem else Markup()


def _left(outcome: Outcome, words: Wording) -> Markup:
    left = outcome.restoration.left if outcome.restoration else ()
    if not left:
        return Markup()
    objects = shortened(join(left), words, LONGEST_NOTE)
    return filled(words["restoration"]["left"], objects=escape(objects))
