"""A study's page: its tables in the source's layout, what was published beside what was measured.

A function of ``output.xml`` alone, like the certificate. It is for engineers, so it is English.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from markupsafe import Markup

import gatepass
from gatepass.inputs.studies import STUDIES
from gatepass.report import study_charts
from gatepass.report.page_template import template
from gatepass.report.phrases import join
from gatepass.report.study_charts import WHOSE
from gatepass.report.wording import FALLBACK, Wording, wording
from gatepass.results.facts import group
from gatepass.results.outcome import Check, Outcome
from gatepass.results.study import DIFFERENCES, Cell, Column, StudyTable

TEMPLATE = "study.html"


@dataclass(frozen=True)
class Head:
    """A column's heading."""

    text: str
    unit: str
    figure: bool


@dataclass(frozen=True)
class Shown:
    """A table as the page shows it; `whose` figures stand in how many columns, from the left."""

    title: str
    caption: str
    source: str
    whose: list[tuple[str, int]]
    heads: list[Head]
    rows: list[list[tuple[str, bool]]]
    charts: list[tuple[str, Markup]]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    """A check of the study, and what it said or saw."""

    name: str
    verdict: str
    seen: str


def name_of(study: str) -> str:
    """Of a study's page."""
    return f"study-{study}.html"


def write(outcome: Outcome, folder: Path) -> dict[str, Path]:
    """Write a page for each study that a run has tables of.

    Args:
        outcome: of the run.
        folder: to write to; exists.

    Returns:
        The pages' paths, by the studies' names.

    Raises:
        OSError: one cannot be written.
    """
    found = dict.fromkeys(table.study for check in outcome.checks for table in check.tables)
    written = {}
    for study in found:
        written[study] = folder / name_of(study)
        written[study].write_text(render(outcome, study), encoding="utf-8", newline="\n")
    return written


def render(outcome: Outcome, study: str) -> str:
    """The page as self-contained HTML.

    Args:
        outcome: of the run.
        study: of which there are tables in it.
    """
    words = wording(FALLBACK)
    checks = [check for check in outcome.checks if _part_of(check, study)]
    # one that grows check by check is told anew by each of them: the last one has it all
    found = {t.name: t for check in checks for t in check.tables if t.study == study}
    tables = sorted(found.values(), key=lambda table: table.name == DIFFERENCES)  # it comes last
    known = STUDIES.get(study)
    return template(TEMPLATE).render(
        t=words.texts,
        title=known.title if known else study,
        source=known.source if known else "",
        lab=outcome.lab,
        facts=_facts(outcome, words),
        when=words.date(outcome.run.get("started", "")),
        run=str(outcome.run.get("run_id", "")),
        verdicts=[_verdict(check) for check in checks],
        lead=[note for table in tables if table.name == DIFFERENCES for note in table.notes],
        tables=[_shown(table, words) for table in tables],
        gatepass=str(outcome.run.get("gatepass") or gatepass.__version__),
    )


def _part_of(check: Check, study: str) -> bool:
    return study in check.tags or any(table.study == study for table in check.tables)


def _verdict(check: Check) -> Verdict:
    seen = check.message or " ".join(one.observed for one in check.evidence)
    return Verdict(check.name, check.verdict, seen)


def _facts(outcome: Outcome, words: Wording) -> list[tuple[str, str]]:
    """On what it was carried out."""
    run = outcome.run
    order, gateway, profile = (group(run, name) for name in ("order", "gateway", "profile"))
    facts = [
        ("Gateway", join([gateway.get("model"), gateway.get("serial"), gateway.get("version")])),
        ("Order", join([order.get("order"), order.get("tier"), order.get("customer")])),
        ("Testbed", str(group(run, "testbed").get("name") or "")),
        ("Profile", join([profile.get("name"), profile.get("description")])),
    ]
    for name, told in group(run, "endpoints").items():
        cores = told.get("cpus")
        processors = f"{cores} processors" if cores else ""
        facts.append((name.capitalize(), join([f"Linux {told.get('kernel', '?')}", processors])))
    return [(name, text) for name, text in facts if text]


def _shown(table: StudyTable, words: Wording) -> Shown:
    columns = [one for one in table.columns if _filled(table, one)]
    whose = [(of, len([*some])) for of, some in groupby(one.of for one in columns)]
    return Shown(
        title=table.title,
        caption=table.caption,
        source=table.source,
        whose=[(WHOSE.get(of, ""), count) for of, count in whose],
        heads=[Head(one.text, words.unit_name(one.unit), bool(one.unit)) for one in columns],
        rows=[
            [(_cell(row.get(one.key), one, words), bool(one.unit)) for one in columns]
            for row in table.rows
        ],
        charts=[
            (drawn.title, picture)
            for at, drawn in enumerate(table.charts)
            if (picture := study_charts.chart(table, drawn, f"{table.name}-{at}", words))
        ],
        notes=() if table.name == DIFFERENCES else table.notes,
    )


def _filled(table: StudyTable, column: Column) -> bool:
    """Whether any row has something there; what has nothing is no column."""
    return not table.rows or any(row.get(column.key) not in (None, "") for row in table.rows)


def _cell(cell: Cell, column: Column, words: Wording) -> str:
    if cell is None:
        return words["none"]
    return cell if isinstance(cell, str) else words.number(cell, column.decimals)


