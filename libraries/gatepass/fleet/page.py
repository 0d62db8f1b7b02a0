"""``fleet.html``: what became of a fleet on one page, and the other files that stand for all of it.

A function of the plan and the orders' ``output.xml``: made again it is the same. It is the
provider's page, so it is English; the certificates speak the language of their customers.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import quote

import gatepass
from gatepass.base.phrase import say
from gatepass.fleet import merged, xunit
from gatepass.fleet.outcome import FleetOutcome, OrderRow, tier
from gatepass.report.page_template import template
from gatepass.report.phrases import join, shortened
from gatepass.report.promises import promise_table
from gatepass.report.wording import FALLBACK, Wording, wording
from gatepass.report.xunit import NAME as XUNIT
from gatepass.results.facts import group
from gatepass.results.record import APPROVED, NOT_APPLICABLE, NOT_PROVEN, PASS, REJECTED

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
class OrderLine:
    """An order as the page shows it."""

    name: str
    subject: str
    where: str
    lab: bool
    verdict: str
    checks: str
    margin: str
    figure: str
    title: str
    reason: str
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
        verdict_of_all=outcome.verdict,
        meaning=meaning(outcome),
        counts=counts(outcome),
        part=part(outcome),
        lab=outcome.lab,
        fleet=join(one.resolve().name for one in outcome.folders),
        when=_when(outcome, words),
        lines=[_line(row, folder, words) for row in outcome.worst_first],
        of_all=[
            Link(text, f"{text} of all orders", name)
            for text, name in _OF_ALL
            if (folder / name).exists()
        ],
        gatepass=gatepass.__version__,
    )


_VERDICTS = {APPROVED: "approved", REJECTED: "rejected"}


def meaning(outcome: FleetOutcome) -> str:
    """What the verdict says of handing over, in a sentence."""
    number, of = outcome.count(outcome.verdict), sum(bool(row.planned) for row in outcome.rows)
    if outcome.verdict == APPROVED:
        return f"{_gateways(number, of)} may be handed over."
    if outcome.verdict == REJECTED:
        return f"{_gateways(number, of)} must not be handed over."
    if of < len(outcome.rows):
        return "What became of a part of the fleet is not known."
    return f"Whether {_gateways(number, of).lower()} may be handed over cannot be decided."


def _gateways(number: int, of: int) -> str:
    if of == 1:
        return "The gateway"
    return f"All {of} gateways" if number == of else f"{number} of {of} gateways"


def counts(outcome: FleetOutcome) -> str:
    """How many orders have which verdict."""
    found = {one: outcome.count(one) for one in (APPROVED, REJECTED, NOT_PROVEN)}
    return (
        f"Orders approved: {found[APPROVED]}. Rejected: {found[REJECTED]}. "
        f"Not proven: {found[NOT_PROVEN]}."
    )


def part(outcome: FleetOutcome) -> str:
    """That this is not the whole fleet, in a sentence; empty where it is."""
    parts = {of for _, of in outcome.shards}
    if not parts or len(outcome.shards) == sum(parts):
        return ""
    read = join(f"{number}/{of}" for number, of in outcome.shards)
    return f"This is part {read} of a fleet. ./run.sh fleet joins the parts."


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


def _line(row: OrderRow, folder: Path, words: Wording) -> OrderLine:
    margin, figure = _worst(row, words)
    title, reason, more = _reason(row, words)
    order = group(row.outcome.run, "order") if row.outcome else {}
    level = str(order.get("service_level") or "")
    return OrderLine(
        name=row.name,
        subject=join([f"{tier(row)} {level}".strip(), str(order.get("customer") or "")]),
        where=_where(row, words),
        lab=bool(row.outcome and row.outcome.lab),
        verdict=row.verdict,
        checks=_checks(row),
        margin=margin,
        figure=figure,
        title=title,
        reason=reason,
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


def _worst(row: OrderRow, words: Wording) -> tuple[str, str]:
    if not row.worst:
        return words["none"], ""
    check, measured = row.worst
    what = join([str(say(measured.promise)), str(measured.conditions) or check.name])
    bound = words.bound(measured.threshold, measured.relation)
    margin = f"{words.signed(measured.margin_percent)} %"
    return margin, f"{what}: {words.figure(measured)}, {bound}"


def _reason(row: OrderRow, words: Wording) -> tuple[str, str, str]:
    """Title and text of the worst reason, and how many more there are."""
    if not row.reasons:
        untested = join(promise_table(row.outcome, words).untested)
        without = words["approved_without"].format(promises=untested) if untested else ""
        return "", without, ""
    first, others = row.reasons[0], len(row.reasons) - 1
    more = f"And {others} more reason{'' if others == 1 else 's'}." if others else ""
    return first.title, _whole_sentences(first.text, words), more


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
