"""``fleet.html``: what became of a fleet on one page, and the other files that stand for all of it.

A function of the plan and the orders' ``output.xml``: made again it is the same. It is the
provider's page, so it is English; the certificates speak the language of their customers.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import gatepass
from gatepass.fleet import margins, merged, summary, xunit
from gatepass.fleet.causes import FleetCause, causes
from gatepass.fleet.outcome import FleetOutcome, OrderRow, tier
from gatepass.report.page_template import template
from gatepass.report.phrases import join, shortened
from gatepass.report.promises import promise_name, promise_table
from gatepass.report.reasons import counted, in_words
from gatepass.report.wording import FALLBACK, Wording, wording
from gatepass.report.xunit import NAME as XUNIT
from gatepass.results.facts import group
from gatepass.results.record import APPROVED, FAIL, NOT_APPLICABLE, NOT_PROVEN, PASS, REJECTED
from gatepass.verdict import judgement

NAME = "fleet.html"
LONGEST_REASON = 320
"""Letters; the certificate tells the rest."""
_PAGES = (
    ("Certificate", "certificate.html"),
    ("PDF", "certificate.pdf"),
    ("Report", "report.html"),
    ("Log", "log.html"),
)
_OF_ALL = (("Report", merged.REPORT), ("Log", merged.LOG), ("xUnit", XUNIT))


@dataclass(frozen=True)
class Link:
    """A page that can be opened; `about` is said to who hears the link alone."""

    text: str
    about: str
    target: str


@dataclass(frozen=True)
class CauseLine:
    """A cause as the page shows it."""

    verdict: str
    count: str
    text: str
    example: str
    gateways: list[Link]


@dataclass(frozen=True)
class OrderLine:
    """An order as the page shows it."""

    name: str
    anchor: str
    subject: str
    where: str
    lab: bool
    verdict: str
    checks: str
    margin: str
    figure: str
    reason: str
    count: str
    more: str
    links: list[Link]


def write(folder: Path, outcome: FleetOutcome) -> Path:
    """Write what stands for the whole fleet: page, xUnit, and the merged reports of Robot.

    Args:
        folder: to write to; exists.
        outcome: of the fleet; the orders' folders are linked to from where they are.

    Returns:
        The path of the page.

    Raises:
        OSError: something cannot be written.
    """
    merged.write(folder, outcome)
    xunit.write(folder, outcome)
    target = folder / NAME
    target.write_text(render(folder, outcome), encoding="utf-8", newline="\n")
    return target


def render(folder: Path, outcome: FleetOutcome) -> str:
    """The page as self-contained HTML.

    Args:
        folder: where it will lie; links begin there.
        outcome: of the fleet.
    """
    words = wording(FALLBACK)
    return template(NAME).render(
        t=words.texts | {"check_verdicts": words["check_verdicts"] | _VERDICTS},
        common=summary.common(outcome),
        headline=summary.headline(outcome),
        title=f"Acceptance of a fleet: {_small(summary.in_a_line(outcome))}",
        meaning=summary.meaning(outcome),
        part=summary.part(outcome),
        lab=outcome.lab,
        fleet=join(one.resolve().name for one in outcome.folders),
        when=_when(outcome, words),
        causes=[_cause(cause, folder, words) for cause in causes(outcome.worst_first)],
        lines=[_line(row, folder, words) for row in outcome.worst_first],
        **_matrix(outcome, words),
        of_all=[
            Link(text, f"{text} of all orders", name)
            for text, name in _OF_ALL
            if (folder / name).exists()
        ],
        gatepass=gatepass.__version__,
    )


def _matrix(outcome: FleetOutcome, words: Wording) -> dict[str, Any]:
    """The margins of each order, a column a promise; nothing where there is but one order."""
    rows = [row for row in outcome.worst_first if row.outcome]
    found = margins.worst_of_each(rows) if len(rows) > 1 else {}
    lines = [
        (row.name, f"#{_anchor(row)}", [of_promise.get(row.name) for of_promise in found.values()])
        for row in rows
    ]
    names = [promise_name(one, words) for one in found]
    return {"verdict_of": _DECIDED, "promises": names, "margins": lines}


def _small(text: str) -> str:
    return f"{text[:1].lower()}{text[1:]}"


_DECIDED = {
    judgement.PASS: PASS,
    judgement.FAIL: FAIL,
    judgement.UNDECIDED: NOT_PROVEN,
}
_VERDICTS = {APPROVED: "approved", REJECTED: "rejected"}


def _when(outcome: FleetOutcome, words: Wording) -> str:
    """From the first order's beginning to the last one's end."""
    begun = []
    for row in outcome.rows:
        try:
            started = datetime.fromisoformat(str(row.outcome.run["started"]))
        except (AttributeError, KeyError, ValueError):
            continue
        begun.append((started, started + timedelta(seconds=row.outcome.elapsed_s)))
    if not begun:
        return ""
    first = min(started for started, _ in begun)
    lasted = max(ended for _, ended in begun) - first
    return f"{words.date(first.isoformat())}, {words.duration(lasted.total_seconds())}"


def _cause(cause: FleetCause, folder: Path, words: Wording) -> CauseLine:
    count = len(cause.rows)
    return CauseLine(
        verdict=cause.reason.verdict,
        count="1 gateway" if count == 1 else f"{count} gateways",
        text=cause.text(words),
        example=cause.example,
        gateways=[Link(row.name, row.name, f"#{_anchor(row)}") for row in cause.rows],
    )


def _anchor(row: OrderRow) -> str:
    return quote(f"order-{row.name}")


def _line(row: OrderRow, folder: Path, words: Wording) -> OrderLine:
    margin, figure = margins.in_words(row.outcome, words) if row.outcome else ("", "")
    reason, count, more = _reason(row, words)
    order = group(row.outcome.run, "order") if row.outcome else {}
    level = str(order.get("service_level") or "")
    return OrderLine(
        name=row.name,
        anchor=_anchor(row),
        subject=join([f"{tier(row)} {level}".strip(), str(order.get("customer") or "")]),
        where=_where(row, words),
        lab=bool(row.outcome and row.outcome.lab),
        verdict=row.verdict,
        checks=_checks(row),
        margin=margin or words["none"],
        figure=figure,
        reason=reason,
        count=count,
        more=more,
        links=_links(row, folder),
    )


def _where(row: OrderRow, words: Wording) -> str:
    """Gateway, testbed and duration, as far as they are known."""
    if not row.outcome:
        return Path((row.planned and row.planned.testbed) or "").stem
    run = row.outcome.run
    gateway = group(run, "gateway")
    return join(
        [
            str(gateway.get("serial") or ""),
            str(gateway.get("version") or ""),
            str(group(run, "testbed").get("name") or ""),
            words.duration(row.outcome.elapsed_s),
        ]
    )


def _checks(row: OrderRow) -> str:
    if not row.outcome:
        return ""
    called_for = len(row.outcome.checks) - row.outcome.count(NOT_APPLICABLE)
    return f"{row.outcome.count(PASS)} of {called_for} passed"


def _reason(row: OrderRow, words: Wording) -> tuple[str, str, str]:
    """The gravest cause, how many checks it spoils, and how many more causes there are."""
    if not row.reasons:
        untested = join(promise_table(row.outcome, words).untested)
        without = words["approved_without"].format(promises=untested) if untested else ""
        return without, "", ""
    first, others = row.reasons[0], len(row.reasons) - 1
    more = f"And {others} more cause{'' if others == 1 else 's'}." if others else ""
    text = str(in_words(first, words).unescape())
    return _whole_sentences(text, words), str(counted(first, words).unescape()), more


def _whole_sentences(text: str, words: Wording) -> str:
    """As many as there is room for, at least a part of the first."""
    if len(text) <= LONGEST_REASON:
        return text
    kept, end, _ = text[:LONGEST_REASON].rpartition(". ")
    return f"{kept}. …" if end else shortened(text, words, LONGEST_REASON)


def _links(row: OrderRow, folder: Path) -> list[Link]:
    if not row.folder:
        return []
    return [
        Link(text, f"{text} of {row.name}", _to(row.folder / name, folder))
        for text, name in _PAGES
        if (row.folder / name).is_file()
    ]


def _to(target: Path, folder: Path) -> str:
    """A link that still holds where both are moved together."""
    return quote(Path(os.path.relpath(target.resolve(), folder.resolve())).as_posix())
