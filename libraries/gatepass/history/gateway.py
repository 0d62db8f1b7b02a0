"""One gateway over time: its runs, its figures, what changed and what an upgrade did."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean

from gatepass.history import steps
from gatepass.history.changes import SURE, Change, by_chance, changes
from gatepass.history.checks import CheckHistory
from gatepass.history.differences import differences
from gatepass.history.series import Point, RecordedRun, Trend
from gatepass.results.record import figure

_ALONG = 0.5
"""The share of a figure's step by which the rig must have moved to be a reason for it."""
_MOVED = 0.05
"""The rig's part in a change is a reason to doubt, so less is asked for than of a change."""


@dataclass(frozen=True)
class Since:
    """All that changed from one run to another.

    Attributes:
        before, run: the last run before, and the first one since.
        changes: the steps between them.
        differences: what else was different, in phrases.
    """

    before: RecordedRun
    run: RecordedRun
    changes: tuple[Change, ...]
    differences: tuple[str, ...]


@dataclass(frozen=True)
class BeforeAndAfter:
    """A figure before and after an upgrade.

    Attributes:
        series: of the figure.
        before, after: the runs of both versions that measured it.
    """

    series: Trend
    before: tuple[Point, ...]
    after: tuple[Point, ...]

    @property
    def larger_than_spread(self) -> bool:
        """Whether the runs of both sides differ by more than runs of one side do."""
        return by_chance(self.before, self.after, self.series.unit) < SURE

    @property
    def step(self) -> str:
        """From before to after, in words."""
        half_widths = (point.half_width for point in self.before)
        unit = self.series.unit
        return steps.step(mean(self.before), mean(self.after), unit, steps.spread(half_widths))


@dataclass(frozen=True)
class Upgrade:
    """The latest change of the FortiOS version.

    Attributes:
        before, after: the versions.
        run: the first one with the version after.
        figures: measured with both.
    """

    before: str
    after: str
    run: RecordedRun
    figures: tuple[BeforeAndAfter, ...]


@dataclass(frozen=True)
class GatewayHistory:
    """What the record says of a gateway.

    Attributes:
        serial: of the gateway.
        runs: in order of time.
        series: its figures that are held against a promise.
        since: what changed, in order of time.
        disturbed: what changed together with the rig and for no other reason known, so that it says
            nothing of the gateway.
        upgrade: None where all runs have the same version.
        checks: its checks, run by run.
    """

    serial: str
    runs: tuple[RecordedRun, ...]
    series: tuple[Trend, ...]
    since: tuple[Since, ...]
    disturbed: tuple[Since, ...]
    upgrade: Upgrade | None
    checks: tuple[CheckHistory, ...] = ()

    @property
    def turned(self) -> list[CheckHistory]:
        """The checks whose verdict was not always the same, those that turned most often first."""
        return sorted((one for one in self.checks if one.turns), key=lambda one: -one.turns)


def gateway_history(
    serial: str,
    runs: Sequence[RecordedRun],
    found: Sequence[Trend],
    checks: Sequence[CheckHistory] = (),
) -> GatewayHistory:
    """Put together what the record says of a gateway.

    Args:
        serial: of the gateway.
        runs: its runs in order of time.
        found: its series, those of the rig included.
        checks: its checks, run by run.
    """
    own = tuple(one for one in found if not one.baseline)
    rig = [one for one in found if one.baseline]
    changed, disturbed = _changed(own, rig)
    upgrade = _upgrade(runs, own)
    return GatewayHistory(serial, tuple(runs), own, changed, disturbed, upgrade, tuple(checks))


def sentence(change: Change) -> str:
    """The figures of a change: "Stateful throughput, …: 306 → 250 Mbit/s (−18 %)"."""
    before, after = figure(change.value_before), figure(change.value_after)
    return f"{change.series.name}: {before} → {after} {change.series.unit} ({change.step})"


def _changed(
    own: Sequence[Trend], rig: Sequence[Trend]
) -> tuple[tuple[Since, ...], tuple[Since, ...]]:
    """What changed by itself, and what changed with the rig."""
    steps: tuple[list[tuple[Change, tuple[str, ...]]], ...] = ([], [])
    for change in (change for series in own for change in changes(series)):
        found = differences(change.before[-1].run, change.after[0].run)
        moved = [text for one in rig if (text := _moved_along(one, change))]
        steps[bool(moved and not found)].append((change, (*found, *moved)))
    return _grouped(steps[0]), _grouped(steps[1])


def _grouped(steps: Sequence[tuple[Change, tuple[str, ...]]]) -> tuple[Since, ...]:
    """Steps between the same two runs together, in order of time."""
    found: dict[tuple[str, str], list[tuple[Change, tuple[str, ...]]]] = {}
    for step in steps:
        change = step[0]
        key = change.before[-1].run.run, change.after[0].run.run
        found.setdefault(key, []).append(step)
    groups = []
    for same in found.values():
        first = same[0][0]
        texts = dict.fromkeys(text for _, texts in same for text in texts)
        groups.append(
            Since(
                first.before[-1].run,
                first.after[0].run,
                tuple(change for change, _ in same),
                tuple(texts),
            )
        )
    return tuple(sorted(groups, key=lambda since: (since.run.started, since.run.run)))


def _moved_along(rig: Trend, change: Change) -> str:
    """How the path without the gateway changed with a figure; empty where it did not.

    It did where it moved the same way, by half of the figure's step or more, and by more than its
    trials explain.
    """
    first, last = (
        [point for point in map(rig.of, _names(side)) if point is not None]
        for side in (change.before, change.after)
    )
    if not first or not last or not change.percent or not mean(first):
        return ""
    percent = (mean(last) - mean(first)) / mean(first) * 100
    if percent / change.percent < _ALONG or by_chance(first, last, rig.unit) >= _MOVED:
        return ""
    return (
        f"the path without the gateway ({rig.conditions}) carried {figure(mean(first))} and "
        f"carries {figure(mean(last))} {rig.unit}"
    )


def _names(points: Sequence[Point]) -> list[str]:
    return [point.run.run for point in points]


def _upgrade(runs: Sequence[RecordedRun], own: Sequence[Trend]) -> Upgrade | None:
    known = [run for run in runs if run.version]
    blocks = [list(block) for _, block in groupby(known, key=lambda run: run.version)]
    if len(blocks) < 2:
        return None
    old, new = ({run.run for run in block} for block in blocks[-2:])
    figures = []
    for series in own:
        before = tuple(point for point in series.points if point.run.run in old)
        after = tuple(point for point in series.points if point.run.run in new)
        if before and after:
            figures.append(BeforeAndAfter(series, before, after))
    first = blocks[-1][0]
    return Upgrade(blocks[-2][0].version, first.version, first, tuple(figures))


def mean(points: Sequence[Point]) -> float:
    """Of the figures of some runs."""
    return fmean(point.value for point in points)
