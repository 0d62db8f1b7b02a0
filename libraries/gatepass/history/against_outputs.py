"""Does the record of all runs say what the ``output.xml`` of each run makes of it?

The rows of every run that is there are made again by `store.add`, in a record of their own. What
the record knew when a run began, which its certificate draws, is held against them as well.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gatepass.base.errors import InputError
from gatepass.base.paths import HISTORY, RESULTS
from gatepass.history import store
from gatepass.proof.findings import Findings
from gatepass.proof.folder import SUMS
from gatepass.proof.recomputed import other_program
from gatepass.report import results_json
from gatepass.results.outcome import Outcome, read_digested

_TABLES = {"runs": "run", "checks": "position", "measurements": "position"}
"""What their rows are in order by."""
_OF_THE_PLACE = ("output", "run")
"""Columns that do not follow from the output of a run alone."""
_WORDED = ("reasons", "facts", "conditions")
"""Columns that another copy of Gatepass may word otherwise."""
_MOST = 3
"""Figures that are named."""

_BEFORE = """
    SELECT promise, conditions, unit, layer, value FROM measurements JOIN runs USING (run)
    WHERE started_s < (SELECT started_s FROM runs WHERE run = ?)
"""
_Row = Mapping[str, Any]


@dataclass(frozen=True)
class _Run:
    """One that is there.

    Attributes:
        folder: in which it lies.
        outcome: what its ``output.xml`` tells.
        document: of the run.
    """

    folder: Path
    outcome: Outcome
    document: dict[str, Any]


_Key = tuple[str, ...]


def look(results: Path, found: Findings) -> None:
    """Hold the record of all runs against the outputs of those that are there.

    Args:
        results: the folder of all runs. Its record lies in it, but that of this installation's
            own folder where `HISTORY` says.
        found: what is added to.
    """
    own = results.resolve() == RESULTS.resolve()
    record = HISTORY if own else results / HISTORY.name
    if not record.exists():
        return
    with TemporaryDirectory() as place:
        again = Path(place, record.name)
        there = _made_again(results, again)
        if not there:
            return
        try:
            with store.opened(record) as kept, store.opened(again) as made:
                names = _names(kept, there)
                _rows(record.name, kept, made, there, names, found)
                _others(record.name, kept, set(names.values()), results, found)
                _earlier({run: one.outcome for run, one in there.items()}, made, found)
        except store.HistoryTrouble as trouble:
            found.open.append(f"The record of all runs was not looked at: {trouble}".rstrip("."))


def _made_again(results: Path, again: Path) -> dict[str, _Run]:
    """The record as the outputs make it; the runs in it, by their names there."""
    there = {}
    for folder in sorted(path.parent for path in results.glob(f"**/{SUMS}")):
        output = folder / "output.xml"
        try:
            outcome, digest = read_digested(output)
            document = results_json.document(outcome, digest)
            there[store.add(again, document, output)] = _Run(folder, outcome, document)
        except (InputError, store.HistoryTrouble):
            continue  # that it cannot be read is told of the run
    return there


def _names(kept: sqlite3.Connection, there: Mapping[str, _Run]) -> dict[str, str]:
    """What the record calls the runs that are there, by their names in the one made again.

    One that it has of the same name alone may be the same with another serial number.
    """
    known = {row["run"] for row in kept.execute("SELECT run FROM runs")}
    called = {run: store.name_of(kept, one.document) for run, one in there.items()}
    called = {run: name for run, name in called.items() if name in known}
    for run, one in there.items():
        bare = one.document["run"]["id"]
        if run not in called and bare in known and bare not in called.values():
            called[run] = bare
    return called


def _rows(
    name: str,
    kept: sqlite3.Connection,
    made: sqlite3.Connection,
    there: Mapping[str, _Run],
    names: Mapping[str, str],
    found: Findings,
) -> None:
    """Rows of runs that are there, and of which the record has some."""
    runs = [row["run"] for row in made.execute("SELECT run FROM runs ORDER BY started_s, run")]
    for run in [run for run in runs if run in names]:
        left = (*_OF_THE_PLACE, *(_WORDED if other_program(there[run].folder) else ()))
        for table in _TABLES:
            told = _of_run(kept, table, names[run], left)
            again = _of_run(made, table, run, left)
            found.wrong += _differences(f"{name}: run {names[run]}", table, told, again)
    if lacking := [run for run in runs if run not in names]:
        found.open.append(
            f"{name} does not have {_named(lacking)}, which "
            f"{'lies' if len(lacking) == 1 else 'lie'} here"
        )
    found.seen.append(f"{len(names)} of them in {name}")


def _others(
    name: str, kept: sqlite3.Connection, there: set[str], results: Path, found: Findings
) -> None:
    """Runs of the record that are not here."""
    elsewhere = []
    for row in kept.execute("SELECT run, output FROM runs ORDER BY started_s, run"):
        output = Path(str(row["output"]))
        if row["run"] in there or output.is_file():
            continue
        if output.is_relative_to(results.resolve()):
            found.wrong.append(f"Run {row['run']} is missing: by {name} it lay in this folder.")
        else:
            elsewhere.append(row["run"])
    if elsewhere:
        found.open.append(f"{name} has runs that are not here: {_named(elsewhere)}")


def _of_run(
    connection: sqlite3.Connection, table: str, run: str, left: Sequence[str]
) -> list[_Row]:
    order = _TABLES[table]
    found = connection.execute(f"SELECT * FROM {table} WHERE run = ? ORDER BY {order}", (run,))
    return [{key: row[key] for key in row.keys() if key not in left} for row in found]  # noqa: SIM118


def _differences(
    where: str, table: str, told: Sequence[_Row], again: Sequence[_Row]
) -> Iterator[str]:
    """What the rows of a run have otherwise, in a sentence for each table."""
    if len(told) != len(again):
        yield f"{where} has {len(told)} {table}; its output.xml makes {len(again)}."
        return
    off = [
        f"{_subject(table, new)}{key} {old[key]}, not {new[key]}"
        for old, new in zip(told, again, strict=True)
        for key in new
        if old[key] != new[key]
    ]
    if off:
        yield f"{where} is recorded otherwise than its output.xml makes it: {_named(off)}."


def _subject(table: str, row: _Row) -> str:
    names = {"checks": "name", "measurements": "promise"}
    return f"{row[names[table]]}: " if table in names else ""


def _named(several: Sequence[str]) -> str:
    more = f" and {len(several) - _MOST} more" * (len(several) > _MOST)
    return f"{'; '.join(several[:_MOST])}{more}"


def _earlier(outcomes: Mapping[str, Outcome], made: sqlite3.Connection, found: Findings) -> None:
    """Figures of earlier runs that certificates draw, and that no run here has."""
    strange = {}
    for run, outcome in outcomes.items():
        known: dict[_Key, Counter[float]] = defaultdict(Counter)
        for row in made.execute(_BEFORE, (run,)):
            known[tuple(row)[:-1]][row["value"]] += 1
        strange[run] = list(_strange(outcome, known))
    if shown := [f"{run} ({_named(figures)})" for run, figures in strange.items() if figures]:
        found.open.append(
            f"Certificates show earlier figures that no run here has, those of {_named(shown)}"
        )


def _strange(outcome: Outcome, known: Mapping[_Key, Counter[float]]) -> Iterator[str]:
    for entry in outcome.run.get("earlier") or ():
        try:
            conditions = json.dumps(entry["conditions"], ensure_ascii=False, sort_keys=True)
            key = (entry["promise"], conditions, entry["unit"], entry["layer"])
            for value in (Counter(entry["values"]) - known[key]).elements():
                yield f"{entry['promise']} {value} {entry['unit']}"
        except (KeyError, TypeError):
            continue  # of a newer Gatepass: the page does without
