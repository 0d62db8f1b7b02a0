"""The record on a terminal: tables where somebody looks, plain columns where it is piped."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TypeVar

from rich.box import ROUNDED
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gatepass.history.differences import NOTHING
from gatepass.history.fleet import FEWEST, AcrossGateways, Margin, least_margins
from gatepass.history.gateway import GatewayHistory, Since, Upgrade, mean, sentence
from gatepass.history.series import Point, RecordedRun, Trend
from gatepass.results.record import figure

SHOWN_RUNS = 5
"""How many runs' figures stand beside each other, the latest."""
SHOWN_FIGURES = 4
"""With more figures than this a gateway's row in the fleet has the furthest one alone."""
MARK = " !"
"""Stands behind a figure that changed, and one that is out of line."""
_PIPED_WIDTH = 240
_UNKNOWN = "–"
_Figure = TypeVar("_Figure", Trend, AcrossGateways)


class TextPage:
    """Writes to standard output."""

    def __init__(self) -> None:
        self._live = sys.stdout.isatty()
        width = None if self._live else _PIPED_WIDTH
        self._console = Console(width=width, highlight=False, soft_wrap=not self._live)

    def overview(self, gateways: Sequence[GatewayHistory]) -> None:
        """A row a gateway."""
        table = self._table("Gateways of the record")
        for name in ("Gateway", "Tier", "FortiOS", "Runs", "Last run", "Verdict", "Changes"):
            table.add_column(name)
        for one in gateways:
            last = one.runs[-1]
            table.add_row(
                *(one.serial or "not reached", last.tier or _UNKNOWN, last.version or _UNKNOWN),
                *(str(len(one.runs)), _minute(last), last.verdict),
                str(sum(len(since.changes) for since in one.since)),
            )
        self._print(table)
        self._say("./run.sh history --gateway SERIAL shows one of them, --tier TIER a fleet.")

    def gateway(self, one: GatewayHistory) -> None:
        """Runs, figures, changes, and the latest upgrade."""
        self._print(self._runs(one))
        if one.series:
            self._print(self._figures(one))
        if one.turned:
            self._print(self._checks(one))
        self._changes(one)
        if one.upgrade and one.upgrade.figures:
            self._upgrade(one.upgrade)

    def fleet(
        self, title: str, last: dict[str, RecordedRun], figures: Sequence[AcrossGateways]
    ) -> None:
        """Each gateway's latest figures beside the fleet's median.

        Args:
            title: which fleet.
            last: the latest run of each gateway, by serial number.
            figures: promise by promise.
        """
        self._print(self._fleet_figures(title, figures))
        self._print(self._margins(last, figures))
        self._print(self._gateways(last, figures))
        odd = [(row, serial) for row in figures for serial in row.odd]
        for row, serial in odd:
            self._say(
                f"{serial} is out of line: {row.name}: {figure(row.latest[serial].value)} "
                f"{row.unit}; the fleet's median is {figure(row.median)}."
            )
        if len(last) < FEWEST:
            self._say(f"Fewer than {FEWEST} gateways: none can be called the odd one.")
        elif not odd:
            self._say("No gateway is out of line.")

    def _runs(self, one: GatewayHistory) -> Table:
        table = self._table(f"Runs of {one.serial or 'gateways that were not reached'}")
        names = ("Run", "Started", "Tier", "FortiOS", "Profile", "Verdict", "Checks")
        for name in names:
            table.add_column(name)
        for run in one.runs:
            counts = ", ".join(f"{count} {name}" for name, count in run.counts.items())
            known = (run.tier, run.version, run.profile)
            table.add_row(
                run.run, _minute(run), *(text or _UNKNOWN for text in known), run.verdict, counts
            )
        return table

    def _figures(self, one: GatewayHistory) -> Table:
        shown = one.runs[-SHOWN_RUNS:]
        left_out = len(one.runs) - len(shown)
        table = self._table(
            "Figures" + (f" of the latest {len(shown)} runs; --json has all" if left_out else "")
        )
        table.add_column("Promise", overflow="fold", min_width=28)
        table.add_column("Held against", justify="right")
        for run in shown:
            table.add_column(_minute(run).replace(" ", "\n"), justify="right", no_wrap=True)
        changed = {
            (change.series.name, since.run.run) for since in one.since for change in since.changes
        }
        for promise, found in _by_promise(one.series).items():
            table.add_row(f"{promise}:")
            for series in found:
                cells = (
                    _cell(series.of(run.run), (series.name, run.run) in changed) for run in shown
                )
                table.add_row(_conditions(series), _threshold(series), *cells)
        return table

    def _checks(self, one: GatewayHistory) -> Table:
        """A row a check whose verdict turned in the latest runs or before, a column a run."""
        shown = one.runs[-SHOWN_RUNS:]
        table = self._table("Checks whose verdict turned")
        table.add_column("Check", overflow="fold", min_width=28)
        for run in shown:
            table.add_column(_minute(run).replace(" ", "\n"), no_wrap=True)
        table.add_column("Turned")
        for check in one.turned:
            times = "once" if check.turns == 1 else f"{check.turns} times"
            table.add_row(
                f"{check.chapter}: {check.name}",
                *(check.verdicts.get(run.run, _UNKNOWN) for run in shown),
                f"{times}, unstable" if check.unstable else times,
            )
        return table

    def _fleet_figures(self, title: str, figures: Sequence[AcrossGateways]) -> Table:
        """Median, lowest and highest of each figure."""
        table = self._table(title)
        table.add_column("Promise", overflow="fold")
        for name in ("Median", "Lowest", "Highest"):
            table.add_column(name, justify="right", no_wrap=True)
            if name != "Median":
                table.add_column("of gateway")
        for promise, found in _by_promise(figures).items():
            table.add_row(f"{promise}:")
            for row in found:
                serials = sorted(row.latest, key=lambda serial: row.latest[serial].value)
                ends = (
                    cell
                    for serial in (serials[0], serials[-1])
                    for cell in (figure(row.latest[serial].value), serial)
                )
                table.add_row(_conditions(row), figure(row.median), *ends)
        return table

    def _margins(self, last: dict[str, RecordedRun], figures: Sequence[AcrossGateways]) -> Table:
        """A row a gateway, a column a promise: the least favourable of its latest figures."""
        table = self._table("Margin of each promise, under the least favourable conditions")
        least = least_margins(figures)
        table.add_column("Gateway")
        for promise in least:
            table.add_column(promise, justify="right")
        for serial in last:
            cells = (found.get(serial) for found in least.values())
            table.add_row(serial, *(_margin(cell) if cell else _UNKNOWN for cell in cells))
        return table

    def _gateways(self, last: dict[str, RecordedRun], figures: Sequence[AcrossGateways]) -> Table:
        """A row a gateway: each of its figures, or the one that is furthest off the median."""
        each = len(figures) <= SHOWN_FIGURES
        table = self._table("Each gateway's latest figures")
        for name in ("Gateway", "Last run", "Verdict"):
            table.add_column(name)
        for row in figures if each else ():
            table.add_column(str(row.conditions) or row.promise, justify="right")
        if not each:
            table.add_column("Furthest off the median; --promise shows one, --json all")
        for serial, run in last.items():
            own = [_beside(row, serial) for row in figures] if each else []
            cells = own or [_furthest(figures, serial)]
            table.add_row(serial, _minute(run), run.verdict, *cells)
        return table

    def _changes(self, one: GatewayHistory) -> None:
        if not one.since:
            by_itself = " by itself" if one.disturbed else ""
            what = f"No figure changed{by_itself} by more than the runs differ by anyway."
            self._say(what if len(one.runs) > 1 else "One run alone shows no change.")
        for since in one.since:
            self._say(f"Changed since run {since.run.run} (the run before it: {since.before.run}):")
            self._since(since)
        for since in one.disturbed:
            self._say(
                f"Changed together with the rig since run {since.run.run}, so nothing is said of "
                "the gateway:"
            )
            self._since(since)

    def _since(self, since: Since) -> None:
        for change in since.changes:
            self._say(f"  {sentence(change)}")
        self._say(f"  {causes(since)}.")

    def _upgrade(self, upgrade: Upgrade) -> None:
        """The figures that differ by more than the runs do anyway, and how many do not."""
        title = f"Before and after the upgrade, since run {upgrade.run.run}"
        larger = [row for row in upgrade.figures if row.larger_than_spread]
        others = len(upgrade.figures) - len(larger)
        if not larger:
            self._say(f"{title}: no figure differs by more than the runs do anyway.")
            return
        table = self._table(title)
        table.add_column("Promise", overflow="fold")
        for name in (upgrade.before, upgrade.after, "Step"):
            table.add_column(name, justify="right")
        for row in larger:
            name = f"{row.series.name}, {row.series.unit}"
            table.add_row(name, _of(row.before), _of(row.after), row.step)
        self._print(table)
        if others:
            figures = "1 other figure differs" if others == 1 else f"{others} other figures differ"
            self._say(f"{figures} by no more than the runs do anyway.")

    def _table(self, title: str) -> Table:
        box = ROUNDED if self._live else None
        edge = self._live
        return Table(title=Text(title), title_justify="left", box=box, pad_edge=edge)

    def _print(self, what: Table | Text) -> None:
        with self._console.capture() as captured:
            self._console.print(what)
        for line in captured.get().splitlines():
            print(line.rstrip())

    def _say(self, text: str) -> None:
        self._print(Text(text))


def causes(since: Since) -> str:
    """What else was different when figures changed, as one sentence without its full stop."""
    cell = "; ".join(since.differences) or NOTHING
    return cell[0].upper() + cell[1:]


def _by_promise(figures: Sequence[_Figure]) -> dict[str, list[_Figure]]:
    """The figures of each promise, in the order in which the promises first appear."""
    found: dict[str, list[_Figure]] = {}
    for one in figures:
        found.setdefault(one.promise, []).append(one)
    return found


def _beside(row: AcrossGateways, serial: str) -> str:
    if serial not in row.latest:
        return _UNKNOWN
    off = f" ({row.off(serial)})"
    return f"{figure(row.latest[serial].value)}{off}{MARK if serial in row.odd else ''}"


def _furthest(figures: Sequence[AcrossGateways], serial: str) -> str:
    own = [row for row in figures if serial in row.latest]
    if not own:
        return _UNKNOWN
    row = max(own, key=lambda row: (serial in row.odd, row.distance(serial)))
    return f"{row.name}: {_beside(row, serial)}"


def _margin(one: Margin) -> str:
    return f"{one.text}{MARK if one.missed else ''}"


def _conditions(one: Trend | AcrossGateways) -> str:
    return f"  {', '.join(str(part) for part in (one.conditions, one.unit) if part)}"


def _cell(point: Point | None, changed: bool) -> str:
    return _UNKNOWN if point is None else f"{figure(point.value)}{MARK if changed else ''}"


def _of(points: Sequence[Point]) -> str:
    runs = f" ({len(points)} runs)" if len(points) > 1 else ""
    return f"{figure(mean(points))}{runs}"


def _threshold(series: Trend) -> str:
    last = series.points[-1]
    return f"{last.relation} {last.threshold:g}"


def _minute(run: RecordedRun) -> str:
    return run.started[:16].replace("T", " ") or _UNKNOWN
