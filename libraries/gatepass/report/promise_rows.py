"""A promise as it stands on the page: in one row, and under each of its conditions."""

from __future__ import annotations

import math
from dataclasses import dataclass

from markupsafe import Markup

from gatepass.report.promises import MeasurementRow, PromiseRows
from gatepass.report.strip import proven, strip
from gatepass.report.trend import earlier_of, trend
from gatepass.report.wording import Wording
from gatepass.results.outcome import Outcome
from gatepass.results.record import PASS

FEW_OTHERS, FEWEST_OTHERS = 10, 6
"""Promises that are none of the tier's, where there is little room, and where reasons need it."""
LONGEST_WHY = 400
"""Letters."""


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
    """A promise in one row: its least favourable measurement, or why there is none.

    `proven` is the bound that decides, `strip` its picture, `trend` that of the runs before,
    `target` where a check leads that did not pass.
    """

    name: str
    promised: str
    row: MeasurementRow | None
    verdict: str
    note: str
    why: Markup
    proven: str
    strip: Markup
    trend: Markup
    target: str


def more(text: str, every: list | tuple, most: int) -> str:
    """That there are more than are shown; empty where there are not."""
    return text.format(count=len(every) - most) if len(every) > most else ""


def in_one_row(outcome: Outcome, promise: PromiseRows, words: Wording) -> PromiseRow:
    """A promise by its least favourable measurement, or by why it has none.

    Args:
        outcome: of the run, which tells of those before.
        promise: with all its rows.
        words: of the page's language.
    """
    measured = promise.measured
    notes = []
    if len(measured) > 1:
        text = words["decision"]["worst_of"]
        conditions = measured[0].conditions
        notes.append(text.format(count=len(measured), conditions=conditions))
    elif measured:
        notes.append(measured[0].conditions)
    if measured and promise.open:
        notes.append(words["open_checks"].format(count=len(promise.open)))
    for row in promise.beside:
        notes.append(words["beside"][row.verdict.replace(" ", "_")].format(check=row.conditions))
    why = promise.why
    if not measured and promise.open:
        why = Markup(" ").join(dict.fromkeys(row.why for row in promise.open))
        why = why if len(why) <= LONGEST_WHY else promise.open[0].why
    row = measured[0] if measured else None
    held = row.measurement if row else None
    promised = promise.promised or (row.promised if row else "")
    if held and not promise.promised:
        promised = f"{promised} {words.unit_name(held.unit)}"
    return PromiseRow(
        promise.name,
        promised,
        row,
        promise.verdict,
        "; ".join(notes),
        why,
        proven(row, words) if row else "",
        strip(held) if held else Markup(),
        trend(held, earlier_of(outcome, held), words) if held else Markup(),
        next((one.target for one in (*measured[:1], *promise.open) if one.target), ""),
    )


def detail(promise: PromiseRows, words: Wording, most: int) -> Detail:
    """Measured rows in the order they were measured, and those for comparison after them.

    Args:
        promise: with its rows.
        words: of the page's language.
        most: so many of them are shown.
    """
    rows = [row for row in promise.rows if row.measurement] + list(promise.compared)
    return Detail(
        name=promise.name,
        layer=rows[0].layer,
        published=any(row.published for row in rows),
        rows=rows[:most],
        more=more(words["more_in_report"], rows, most),
    )


def closest(promises: list[PromiseRows], most: int) -> list[PromiseRows]:
    """Those that are missed, or reached with the least to spare, in the order they are in.

    Args:
        promises: each with its rows.
        most: so many of them.
    """

    def spare(promise: PromiseRows) -> tuple[bool, float]:
        row = promise.measured[0].measurement if promise.measured else None
        margin = row.margin_percent if row else None
        return promise.verdict == PASS, math.inf if margin is None else margin

    first = sorted(promises, key=spare)[:most]
    return [promise for promise in promises if promise in first]
