"""The certificate's charts, where a look beats a number. Which there are follows from what was
measured; each has the same figures as its alternative text.
"""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from gatepass.report import svg
from gatepass.report.promises import FOR_COMPARISON, MeasurementRow, PromiseRows, PromiseTable
from gatepass.report.svg import Alternative, Bar, Line
from gatepass.report.wording import Wording
from gatepass.results.record import Measurement
from gatepass.results.study import IN_STUDY

FEWEST_POINTS = 5
"""A rate over time of fewer figures shows nothing."""
MOST_BARS = 12


@dataclass(frozen=True)
class Chart:
    """A picture with its title."""

    title: str
    note: str
    picture: Markup


def charts(table: PromiseTable, words: Wording) -> list[Chart]:
    """The charts of a run, the most telling first; none where nothing was measured.

    Args:
        table: its figures.
        words: of the page's language.
    """
    made: list[Chart] = []
    for promise in table.every:
        made += _grid(promise, words)
        made += _cost(promise, words)
        made += _ciphers(promise, words)
    return made + _over_time(table, words)


def _grid(promise: PromiseRows, words: Wording) -> list[Chart]:
    """NAT x policies."""
    groups: dict[int, list[MeasurementRow]] = {}
    for row in promise.measured:
        conditions = row.measurement.conditions
        if conditions.name in ("one_policy", "rule_set"):
            groups.setdefault(int(conditions.part("policies") or 1), []).append(row)
    if sum(map(len, groups.values())) < 2:
        return []
    texts = words["charts"]
    bars = []
    for count in sorted(groups):
        label = texts["policies"]["one" if count == 1 else "more"].format(n=count)
        rows = sorted(groups[count], key=_without_nat)
        bars.append((label, [_bar(row, _without_nat(row)) for row in rows]))
    title = texts["stateful"].format(promise=promise.name)
    return [_bars("grid", title, bars, texts["nat"], groups[min(groups)][0], words)]


def _without_nat(row: MeasurementRow) -> bool:
    return row.measurement.conditions.part("nat").name == "off"


def _cost(promise: PromiseRows, words: Wording) -> list[Chart]:
    """With and without security services."""
    texts, groups = words["charts"], []
    rows = [
        row
        for row in promise.measured
        if "services_off_mbps" in row.measurement.facts
        and row.measurement.conditions.name != IN_STUDY
    ]
    for row in sorted(rows, key=lambda one: str(one.measurement.conditions.part("protocol"))):
        measured, facts = row.measurement, row.measurement.facts
        change = float(facts.get("degradation_percent") or 0)
        text = texts["cost" if change >= 0 else "gain"].format(
            figure=row.measured, percent=words.number(abs(change), 1)
        )
        off = float(facts["services_off_mbps"])
        bars = [
            Bar(measured.value, text, False, measured.half_width),
            Bar(off, words.number(off, len(row.measured.partition(words["decimal_point"])[2])),
                True),
        ]  # fmt: skip
        groups.append((str(measured.conditions.part("protocol")), bars))
    if not groups:
        return []
    legend = texts["services_legend"]
    return [_bars("cost", texts["services"], groups, legend, rows[0], words)]


def _ciphers(promise: PromiseRows, words: Wording) -> list[Chart]:
    """IPsec throughput of several proposals."""
    rows = [
        row
        for row in (*promise.measured, *promise.compared)
        if promise.identity == "ipsec_throughput"
        and row.measurement.conditions.name not in ("with_tunnels", IN_STUDY)
    ]
    # what a cipher costs shows where traffic went as fast as it could, not where it was paced
    rows = ([row for row in rows if row.measurement.observed] or rows)[:MOST_BARS]
    if len(rows) < 2:
        return []
    texts = words["charts"]
    bars = [
        (row.conditions, [_bar(row, bool(row.measurement.facts.get("weak")))])
        for row in sorted(rows, key=lambda row: -row.measurement.value)
    ]
    held = promise.measured or rows
    title = texts["cipher"].format(promise=promise.name)
    return [_bars("cipher", title, bars, texts["cipher_legend"], held[0], words)]


def _over_time(table: PromiseTable, words: Wording) -> list[Chart]:
    """Of each unit, the least favourable conditions of the first promise that has a series."""
    found: dict[str, Chart] = {}
    for promise in table.every:
        for row in promise.measured:
            unit = row.measurement.unit
            if len(row.measurement.series) >= FEWEST_POINTS and unit not in found:
                name = f"time{len(found) or ''}"
                found[unit] = _curve(promise, row, name, words)
    return list(found.values())


def _curve(promise: PromiseRows, row: MeasurementRow, name: str, words: Wording) -> Chart:
    texts, measured = words["charts"], row.measurement
    seconds = measured.series_interval_s or 1.0
    whole = words.number(round(seconds * len(measured.series), 1))
    figures = ", ".join(words.number(rate, 1) for rate in measured.series)
    unit = words.unit_name(measured.unit)
    title = texts["time"].format(promise=promise.name)
    note = texts["time_of" if len(measured.trials) > 1 else "time_one"].format(
        conditions=row.conditions,
        trials=len(measured.trials),
        lowest=words.number(min(measured.series), 1),
        highest=words.number(max(measured.series), 1),
    )
    series = texts["text_series"].format(
        seconds=words.number(round(seconds, 2)), unit=unit, figures=figures
    )
    line = _line(measured, words)
    told = _joined(series, line, row, words)
    alternative = Alternative(f"chart-{name}", f"{title}: {note}", told)
    highest = max(measured.series)
    picture = svg.curve(
        measured.series,
        seconds,
        line,
        (words.number(highest, 1 if highest < 10 else 0),
         texts["seconds"].format(figure="0"), texts["seconds"].format(figure=whole)),
        alternative,
    )  # fmt: skip
    return Chart(title, note, picture)


def _bars(
    name: str,
    title: str,
    groups: list[tuple[str, list[Bar]]],
    legend: list[str],
    held: MeasurementRow,
    words: Wording,
) -> Chart:
    """Bars with what they are held against, and their figures as text."""
    texts = words["charts"]
    plain, hatched = legend
    line = _line(held.measurement, words) if held.verdict != FOR_COMPARISON else None
    shown = {bar.hatched for _, bars in groups for bar in bars}
    unit = words.unit_name(held.measurement.unit)
    rows = " ".join(
        texts["text_row"].format(
            label=label,
            figures="; ".join(
                f"{hatched if bar.hatched else plain} {_spread(bar, words)} {unit}" for bar in bars
            ),
        )
        for label, bars in groups
    )
    alternative = Alternative(f"chart-{name}", title, _joined(rows, line, held, words))
    used = (plain if False in shown else "", hatched if True in shown else "")
    return Chart(title, unit, svg.bars(groups, line, used, alternative))


def _bar(row: MeasurementRow, hatched: bool) -> Bar:
    measured = row.measurement
    return Bar(measured.value, row.measured, hatched, measured.half_width)


def _spread(bar: Bar, words: Wording) -> str:
    if not bar.half_width:
        return bar.text
    decimals = len(bar.text.split(" ")[0].partition(words["decimal_point"])[2])
    return f"{bar.text} ± {words.number(bar.half_width, decimals)}"


def _line(measured: Measurement, words: Wording) -> Line | None:
    if measured.threshold is None:
        return None
    figure = words.number(measured.threshold)
    unit = words.unit_name(measured.unit)
    return Line(
        measured.threshold, words["charts"]["promised"].format(figure=figure, unit=unit)
    )


def _joined(text: str, line: Line | None, held: MeasurementRow, words: Wording) -> str:
    if line is None:
        return text
    promised = words["charts"]["text_promised"].format(
        figure=words.number(line.value), unit=words.unit_name(held.measurement.unit)
    )
    return f"{text} {promised}"
