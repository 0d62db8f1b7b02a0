"""The charts of a study's tables, each with its figures as text beside it."""

from __future__ import annotations

from markupsafe import Markup

from gatepass.report import svg
from gatepass.report.svg import Alternative, Bar
from gatepass.report.wording import Wording
from gatepass.results.study import Column, Drawn, StudyTable

WHOSE = {"published": "Published", "measured": "Measured", "rig": "The test set-up alone"}
"""Of a column's figures."""
Series = dict[str, list[tuple[str | float, float]]]
"""What is drawn, by what tells lines or kinds of bars apart: where, and how much."""


def chart(table: StudyTable, drawn: Drawn, name: str, words: Wording) -> Markup | None:
    """A chart; None where there is nothing to draw.

    Args:
        table: whose figures are drawn.
        drawn: how.
        name: unique on the page.
        words: of the page.
    """
    column = _column(table, drawn.value)
    series: Series = {}
    for name_of_kind, key in _kinds(table, drawn).items():
        for row in table.rows:
            along, value = row.get(drawn.along), row.get(key)
            if isinstance(value, int | float) and along is not None:
                kind = str(row.get(drawn.by, name_of_kind))
                series.setdefault(kind, []).append((along, value))
    if not series:
        return None
    alternative = Alternative(f"chart-{name}", drawn.title, _told(series, column, words))
    if drawn.kind == "lines":
        return _lines(table, drawn, series, alternative, words)
    return _bars(series, column, alternative, words)


def _kinds(table: StudyTable, drawn: Drawn) -> dict[str, str]:
    """Keys of the columns that are drawn, by what tells them apart: whose figures, or which."""
    if not drawn.beside:
        return {"": drawn.value}
    both = [_column(table, key) for key in (drawn.value, drawn.beside)]
    whose = {WHOSE.get(one.of, ""): one.key for one in both}
    return whose if len(whose) == len(both) else {one.text: one.key for one in both}


def _column(table: StudyTable, key: str) -> Column:
    return next(one for one in table.columns if one.key == key)


def _bars(series: Series, column: Column, alternative: Alternative, words: Wording) -> Markup:
    """A group of bars for each place, with a bar of each kind; there are two kinds at most."""
    kinds = list(series)[:2]
    groups: dict[str, list[Bar]] = {}
    for kind in kinds:
        for along, value in series[kind]:
            text = words.number(value, column.decimals)
            groups.setdefault(str(along), []).append(Bar(value, text, kind != kinds[0]))
    legend = (kinds[0], kinds[1] if len(kinds) > 1 else "")
    return svg.bars(list(groups.items()), None, legend, alternative)


def _lines(
    table: StudyTable, drawn: Drawn, series: Series, alternative: Alternative, words: Wording
) -> Markup:
    along = _column(table, drawn.along)
    lines = {
        name: sorted((float(x), y) for x, y in points if isinstance(x, int | float))
        for name, points in series.items()
    }
    return svg.plot(lines, (f"{along.text}, {along.unit}", ""), words.number, alternative)


def _told(series: Series, column: Column, words: Wording) -> str:
    def figure(value: str | float) -> str:
        return value if isinstance(value, str) else words.number(value)

    return " ".join(
        f"{name or 'All'}: "
        + ", ".join(
            f"{figure(along)}: {words.number(value, column.decimals)} {column.unit}".strip()
            for along, value in points
        )
        + "."
        for name, points in series.items()
    )
