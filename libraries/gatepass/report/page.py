"""What the certificate says: an outcome turned into the sentences and rows of the page.

All of it is bounded: whatever a run has to tell, the page keeps to three sheets of A4, and two more
where many causes have to be told in full; the rest
is in the report.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from markupsafe import Markup, escape

from gatepass.report.charts import Chart, charts
from gatepass.report.decision import Decision, decision, figures, signers
from gatepass.report.evidence import Chapter, evidence
from gatepass.report.issuer import Issuer, issuer
from gatepass.report.phrases import (
    capital,
    filled,
    join,
    shortened,
    told,
)
from gatepass.report.promise_rows import (
    FEW_OTHERS,
    FEWEST_OTHERS,
    Detail,
    PromiseRow,
    closest,
    detail,
    in_one_row,
    more,
)
from gatepass.report.promises import (
    TIER,
    PromiseTable,
    promise_name,
    promise_table,
    tier_figure,
)
from gatepass.report.published import reference
from gatepass.report.reason_lines import MOST_LINES as MOST_CAUSES
from gatepass.report.reason_lines import CauseInFull, ReasonLine, in_full, lines
from gatepass.report.reasons import reasons
from gatepass.report.rig import Facts, about_test, deviations, gateway, rig
from gatepass.report.untested import Untested, untested
from gatepass.report.wording import Wording
from gatepass.results.facts import group
from gatepass.results.outcome import Outcome
from gatepass.results.record import (
    APPROVED,
    FAIL,
    NOT_APPLICABLE,
    NOT_PROVEN,
    PASS,
)

MOST_LEFT_OUT, MOST_DIFFERENCES = 7, 4
MOST_ROWS = 9
"""Of one promise under several conditions."""
MANY_CHECKS = 60
"""A run of more is set in smaller type."""
LONGEST_NOTE = 200
"""Letters, where much else has to be told."""
FEW_ROWS = 3
"""The same of a run of many checks, whose other figures the report has."""
FEW_REASONS, FEW_CHARTS = 3, 2
"""Where there are more reasons, the page is theirs."""


@dataclass(frozen=True)
class Page:
    """Everything on the page, in the order of reading; the template only places it."""

    title: str
    decision: Decision
    issuer: Issuer
    signers: str
    lab: bool
    verdict: str
    counts: str
    reasons: list[ReasonLine]
    more_reasons: str
    seen_beside: bool
    causes: list[CauseInFull]
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
    more_others: str
    promises_caption: str
    charts: list[Chart]
    details: list[Detail]
    published: list[Markup]
    evidence: list[Chapter]
    evidence_caption: str
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


def page(outcome: Outcome, digest: str, words: Wording) -> Page:
    """The content of the certificate.

    Args:
        outcome: of the run.
        digest: SHA-256 of its ``output.xml``, hexadecimal.
        words: of the page's language.
    """
    run = outcome.run
    order = group(run, "order")
    table = promise_table(outcome, words)
    restoration = outcome.restoration
    found = reasons(outcome)
    crowded = len(found) > FEW_REASONS
    left_out = untested(outcome, table.covered, words)
    differences = restoration.differences if restoration else ()
    many = len(outcome.checks) > MANY_CHECKS
    brief = many or crowded
    detailed = table.promises if brief else table.every
    measured = [promise for promise in table.others if promise.rows]
    few = FEWEST_OTHERS if crowded and many else FEW_OTHERS
    others = closest(measured, few) if brief else measured
    of_tier, of_others = (
        [in_one_row(outcome, promise, words) for promise in promises]
        for promises in (table.promises, others)
    )
    followed = any(row.trend for row in (*of_tier, *of_others))
    return Page(
        title=words["title"] if outcome.verdict == APPROVED else words["decision"]["record"],
        decision=decision(outcome, table, left_out, words),
        issuer=issuer(outcome, digest, words),
        signers=signers(outcome, words),
        lab=outcome.lab,
        verdict=outcome.verdict.replace(" ", "_"),
        counts=_counts(outcome, table, words),
        reasons=lines(found, words),
        dense=crowded or many,
        seen_beside=any(check.seen for reason in found for check in reason.checks),
        more_reasons=more(words["more_causes"], found, MOST_CAUSES),
        causes=in_full(found, words),
        subject=_subject(order, words),
        order=words["order_of"].format(order=order["order"]) if order.get("order") else "",
        date=words.day(run["started"]) if run.get("started") else "",
        ordered=_bought(outcome, words) if order else [],
        gateway=gateway(outcome, words),
        test=about_test(outcome, words),
        notes=shortened(str(order.get("notes") or ""), words, LONGEST_NOTE),
        not_offered=_not_offered(outcome, words),
        promises=of_tier,
        others=of_others,
        more_others=more(words["more_in_report"], measured, len(others)),
        promises_caption=_caption(table, words, followed),
        charts=charts(table, words)[: FEW_CHARTS if brief else None],
        details=[
            detail(promise, words, FEW_ROWS if brief else MOST_ROWS)
            for promise in detailed
            if promise.detailed
        ],
        published=_published(outcome, table, words, brief),
        evidence=evidence(outcome, words, crowded, brief),
        evidence_caption=words["decision"]["evidence_caption"] if brief else "",
        untested=[replace(one, what=capital(one.what)) for one in left_out[:MOST_LEFT_OUT]],
        more_untested=more(words["more_in_report"], left_out, MOST_LEFT_OUT),
        deviations=deviations(outcome, words),
        rig=rig(outcome, words) + _back(outcome, words),
        restored=_restored(outcome),
        restoration_problem=_problem(outcome, words),
        left=_left(outcome, words),
        differences=tuple(line[:LONGEST_NOTE] for line in differences[:MOST_DIFFERENCES]),
        more_differences=more(words["more_in_report"], differences, MOST_DIFFERENCES),
        run_id=str(run.get("run_id") or words["not_known"]),
        gatepass=str(run.get("gatepass") or words["not_known"]),
    )


def _counts(outcome: Outcome, table: PromiseTable, words: Wording) -> str:
    """What became of each planned check, and how many figures they measured."""
    not_run = sum(check.not_run for check in outcome.checks)
    left_out = words["counts_not_run"].format(count=words.number(not_run)) if not_run else ""
    return words["counts"].format(
        planned=words.number(len(outcome.checks)),
        passed=words.number(outcome.count(PASS)),
        failed=words.number(outcome.count(FAIL)),
        not_proven=words.number(outcome.count(NOT_PROVEN)),
        not_applicable=words.number(outcome.count(NOT_APPLICABLE)),
        not_run=left_out,
        figures=words.number(figures(table)),
    )


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


def _published(
    outcome: Outcome, table: PromiseTable, words: Wording, brief: bool
) -> list[Markup]:
    """Whose figures stand beside the measured ones; of all that there are unless `brief`."""
    rows = [row for one in table.every for row in (*one.rows, *one.compared) if row.published]
    if not rows:
        return []
    sources = group(outcome.run, "published", "sources")
    if brief:
        found = [reference(group(outcome.run, "published"), row.measurement) for row in rows]
        cited = {one["source"] for one in found if one}
        sources = {key: source for key, source in sources.items() if key in cited}
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


def _caption(table: PromiseTable, words: Wording, followed: bool) -> str:
    confidences = join(f"{words.number(value * 100)} %" for value in table.confidences)
    interval = f" ({confidences})" if confidences else ""
    caption = words["decision"]["promises_caption"].format(confidence=interval)
    if followed:
        caption = f"{caption} {words['decision']['earlier_caption']}"
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
    return told(problem, words, LONGEST_NOTE) if problem else Markup()


def _left(outcome: Outcome, words: Wording) -> Markup:
    left = outcome.restoration.left if outcome.restoration else ()
    if not left:
        return Markup()
    objects = shortened(join(left), words, LONGEST_NOTE)
    return filled(words["restoration"]["left"], objects=escape(objects))
