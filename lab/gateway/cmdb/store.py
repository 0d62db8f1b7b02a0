"""The durable copy of the configuration: SQLite, one transaction a change."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lab.gateway.cmdb.rows import Row, Target, pack, unpack
from lab.gateway.cmdb.state import State
from lab.gateway.schema.model import Table

_SCHEMA = """
CREATE TABLE IF NOT EXISTS row (
    path TEXT NOT NULL, key TEXT NOT NULL, position REAL NOT NULL, data TEXT NOT NULL,
    PRIMARY KEY (path, key)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS revision (path TEXT PRIMARY KEY, number INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS fault (name TEXT PRIMARY KEY, parameters TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS saved (
    id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, admin TEXT NOT NULL,
    comment TEXT NOT NULL, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS script (
    id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, admin TEXT NOT NULL,
    name TEXT NOT NULL, result TEXT NOT NULL);
"""


class Store:
    """The gateway's database file.

    Args:
        file: made if missing. Write-ahead logging lets a commit survive a kill of the process.
            Nothing waits for the disk: the lab's network ends with the machine in any case, and
            a disk that others keep busy would hold up calls and the end of the process.
    """

    def __init__(self, file: Path) -> None:
        self._db = sqlite3.connect(file, isolation_level=None, timeout=5)
        self._db.execute("PRAGMA synchronous=OFF")
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.executescript(_SCHEMA)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @property
    def is_empty(self) -> bool:
        """Whether no configuration was ever saved here."""
        return self._db.execute("SELECT 1 FROM row LIMIT 1").fetchone() is None

    def load(self, tables: Mapping[str, Table]) -> State:
        """The configuration saved last; a table new to this release gets its defaults."""
        state = State(tables)
        for path, key, position, data in self._db.execute(
            "SELECT path, key, position, data FROM row ORDER BY path, position"
        ):
            table = tables.get(path)
            if table is not None:
                state.rows[path][json.loads(key)] = Row(unpack(table, json.loads(data)), position)
        for path, number in self._db.execute("SELECT path, number FROM revision"):
            if path in tables:
                state.revisions[path] = number
        state.index()
        return state

    def save(self, state: State) -> None:
        """Write what changed, all of it or nothing."""
        if not state.dirty:
            return
        upserts, deletes = _split(state, state.dirty)
        paths = dict.fromkeys(path for path, _ in state.dirty)
        with _Transaction(self._db):
            self._db.executemany("DELETE FROM row WHERE path = ? AND key = ?", deletes)
            self._db.executemany("INSERT OR REPLACE INTO row VALUES (?, ?, ?, ?)", upserts)
            self._db.executemany("INSERT OR REPLACE INTO revision VALUES (?, ?)",
                                 [(path, state.revisions[path]) for path in paths])
        state.dirty.clear()

    def replace(self, state: State) -> None:
        """Write a whole configuration in the place of the one before."""
        everything = ((path, key) for path, rows in state.rows.items() for key in rows)
        upserts, _ = _split(state, everything)
        with _Transaction(self._db):
            self._db.execute("DELETE FROM row")
            self._db.executemany("INSERT INTO row VALUES (?, ?, ?, ?)", upserts)
            self._db.executemany("INSERT OR REPLACE INTO revision VALUES (?, ?)",
                                 list(state.revisions.items()))
        state.dirty.clear()

    def faults(self) -> dict[str, dict[str, Any]]:
        """The faults in effect, with their parameters."""
        rows = self._db.execute("SELECT name, parameters FROM fault")
        return {name: json.loads(parameters) for name, parameters in rows}

    def set_fault(self, name: str, parameters: Mapping[str, Any] | None) -> None:
        """Keep a fault; None removes it."""
        if parameters is None:
            self._db.execute("DELETE FROM fault WHERE name = ?", (name,))
        else:
            self._db.execute("INSERT OR REPLACE INTO fault VALUES (?, ?)",
                             (name, json.dumps(parameters)))

    def add_saved(self, time: int, admin: str, comment: str, text: str) -> int:
        """Keep a configuration revision; answers its number."""
        cursor = self._db.execute(
            "INSERT INTO saved (time, admin, comment, text) VALUES (?, ?, ?, ?)",
            (time, admin, comment, text))
        return int(cursor.lastrowid or 0)

    def saved(self) -> list[dict[str, Any]]:
        """The configuration revisions, newest first, without their text."""
        rows = self._db.execute("SELECT id, time, admin, comment FROM saved ORDER BY id DESC")
        return [dict(zip(("id", "time", "admin", "comment"), row, strict=True)) for row in rows]

    def saved_text(self, number: int) -> str | None:
        """The text of a configuration revision."""
        row = self._db.execute("SELECT text FROM saved WHERE id = ?", (number,)).fetchone()
        return row[0] if row else None

    def delete_saved(self, number: int) -> bool:
        """Remove a configuration revision; False if there is none."""
        return self._db.execute("DELETE FROM saved WHERE id = ?", (number,)).rowcount == 1

    def add_script(self, time: int, admin: str, name: str, result: str) -> int:
        """Note that a script ran; answers its number."""
        cursor = self._db.execute(
            "INSERT INTO script (time, admin, name, result) VALUES (?, ?, ?, ?)",
            (time, admin, name, result))
        return int(cursor.lastrowid or 0)

    def scripts(self) -> list[dict[str, Any]]:
        """The scripts that ran, newest first."""
        rows = self._db.execute("SELECT id, time, admin, name, result FROM script ORDER BY id DESC")
        names = ("id", "time", "admin", "name", "status")
        return [dict(zip(names, row, strict=True)) for row in rows]

    def delete_scripts(self, numbers: Iterable[int]) -> None:
        """Forget scripts that ran."""
        self._db.executemany("DELETE FROM script WHERE id = ?", [(n,) for n in numbers])


class _Transaction:
    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, *rest: object) -> None:
        self._db.execute("COMMIT" if kind is None else "ROLLBACK")


def _split(state: State, places: Iterable[Target]) -> tuple[list[tuple], list[tuple]]:
    """Rows to write and rows to delete."""
    upserts, deletes = [], []
    for path, key in places:
        row = state.rows[path].get(key)
        name = json.dumps(key)
        if row is None:
            deletes.append((path, name))
        else:
            data = json.dumps(pack(state.tables[path], row), separators=(",", ":"))
            upserts.append((path, name, row.position, data))
    return upserts, deletes
