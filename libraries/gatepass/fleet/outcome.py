"""What became of a fleet: its plan held against the ``output.xml`` of each order.

Every order of the plan has a row. One that never ran, crashed or was killed is not proven, by name
and with the reason, so that nothing vanishes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from gatepass.base.result_folders import OUTPUT
from gatepass.fleet.entries import Entry, load
from gatepass.fleet.unfinished import unfinished
from gatepass.report.reasons import MESSAGE, ShownReason, reasons
from gatepass.results.facts import group
from gatepass.results.outcome import NoResults, Outcome, read
from gatepass.results.record import APPROVED, NOT_PROVEN, REJECTED
from gatepass.run.run import EXIT_CODES

WORST_FIRST = (REJECTED, NOT_PROVEN, APPROVED)
STOPPED = "the run was stopped before this check had its verdict."
"""What a check says that a signal cut off."""


@dataclass(frozen=True)
class OrderRow:
    """One order of the fleet.

    Attributes:
        name: of the order in the fleet.
        planned: what the plan says of it; None for a part of the fleet that is missing.
        folder: of its run, need not be there; None for a part that is missing.
        outcome: of its run; None where that left no results.
        problem: why there are none, in a sentence; empty where there are.
    """

    name: str
    planned: Entry | None = None
    folder: Path | None = None
    outcome: Outcome | None = None
    problem: str = ""

    @property
    def verdict(self) -> str:
        """Of the order; without results it is not proven."""
        return self.outcome.verdict if self.outcome else NOT_PROVEN

    @property
    def ended(self) -> bool:
        """Whether its run came to its own end, so that the order has a verdict and no rerun waits.

        It did not where the order never ran, its worker crashed or was killed, or somebody
        stopped it.
        """
        return self.outcome is not None and not any(
            check.verdict == NOT_PROVEN and check.message == STOPPED
            for check in self.outcome.checks
        )

    @property
    def reasons(self) -> list[ShownReason]:
        """Why the order is not approved, worst first; empty where it is."""
        if self.outcome:
            return reasons(self.outcome)
        return [ShownReason(NOT_PROVEN, MESSAGE, self.problem)]


@dataclass(frozen=True)
class FleetOutcome:
    """A whole fleet.

    Attributes:
        folders: of the fleet's run, or of its parts.
        rows: an order each, in the order of the plan; missing parts come last.
        shards: the parts that were read, as (number, of how many); empty where it is not split.
    """

    folders: tuple[Path, ...]
    rows: tuple[OrderRow, ...]
    shards: tuple[tuple[int, int], ...] = ()

    @property
    def verdict(self) -> str:
        """The worst of the orders."""
        found = {row.verdict for row in self.rows}
        return next(verdict for verdict in WORST_FIRST if verdict in found)

    @property
    def exit_code(self) -> int:
        """1 where an order is rejected, else 2 where one is not proven, else 0."""
        return EXIT_CODES[self.verdict]

    @property
    def worst_first(self) -> list[OrderRow]:
        """The orders, the rejected ones first; within a verdict in the order of the plan."""
        return sorted(self.rows, key=lambda row: WORST_FIRST.index(row.verdict))

    @property
    def lab(self) -> bool:
        """Whether a gateway of the fleet was the lab's stand-in."""
        return any(row.outcome and row.outcome.lab for row in self.rows)

    def count(self, verdict: str) -> int:
        """How many orders have this verdict."""
        return sum(row.verdict == verdict for row in self.rows)


def read_fleet(folders: Sequence[Path] | Path, whole: bool = False) -> FleetOutcome:
    """What became of a fleet, from its folders alone.

    Args:
        folders: of one run, or of its parts; an order that several of them hold counts with its
            newest run that has a verdict.
        whole: whether the folders are said to be all of the fleet: a part that is missing among
            them is not proven then.

    Raises:
        InputError: a folder is no fleet's, or its plan is damaged.
    """
    folders = (folders,) if isinstance(folders, Path) else tuple(folders)
    planned = [(entry, entry.folder(folder)) for folder in folders for entry in load(folder)]
    found: dict[str, list[OrderRow]] = {}
    for entry, folder in planned:
        found.setdefault(entry.name, []).append(_row(entry, folder))
    shards = tuple(sorted({entry.part for entry, _ in planned if entry.part}))
    rows = [max(runs, key=_newest) for runs in found.values()]
    if whole:
        rows += _missing(shards)
    return FleetOutcome(folders, tuple(rows), shards)


def _row(entry: Entry, folder: Path) -> OrderRow:
    try:
        return OrderRow(entry.name, entry, folder, read(folder / OUTPUT))
    except NoResults:
        return OrderRow(entry.name, entry, folder, problem=unfinished(folder))


def _newest(row: OrderRow) -> tuple[bool, float]:
    """What the runs of one order are sorted by."""
    started = row.outcome.run.get("started") if row.outcome else None
    try:
        return row.ended, datetime.fromisoformat(str(started)).timestamp()
    except ValueError:
        return row.ended, 0.0


def _missing(shards: Iterable[tuple[int, int]]) -> list[OrderRow]:
    """A row for each part of which no folder was named."""
    return [
        OrderRow(
            f"Part {number} of {parts}",
            problem=f"None of the folders is of part {number}/{parts} of the fleet, so what became "
            "of its orders is not known. Name its folder as well.",
        )
        for parts in dict.fromkeys(parts for _, parts in shards)
        for number in range(1, parts + 1)
        if (number, parts) not in shards
    ]


def tier(row: OrderRow) -> str:
    """What was ordered, from the results or else from the plan."""
    ordered = group(row.outcome.run, "order") if row.outcome else {}
    return str(ordered.get("tier") or (row.planned.tier if row.planned else ""))
