"""The configuration in memory: rows in order, and who names whom."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from lab.gateway.cmdb.rows import SINGLETON, Key, Row, Target
from lab.gateway.errors import BAD_VALUE, CmdbError
from lab.gateway.schema.model import Attribute, Table

_SMALLEST_GAP = 1e-6


class State:
    """All tables of one configuration.

    A copy shares its rows with the original, so that a transaction can work on a copy of
    thousands of rows at the price of a few dictionaries.

    Attributes:
        tables: declarations by path.
        rows: path -> key -> row, in order of evaluation.
        revisions: path -> how often the table changed.
        dirty: rows that the durable copy does not know yet, in the order of their change.
    """

    def __init__(self, tables: Mapping[str, Table]) -> None:
        self.tables = tables
        self.rows: dict[str, dict[Key, Row]] = {path: {} for path in tables}
        self.revisions: dict[str, int] = dict.fromkeys(tables, 0)
        self.dirty: dict[Target, None] = {}
        # While a whole configuration is read, an object may name one that comes later.
        self.accepts_dangling = False
        self._referrers: dict[Target, dict[Target, None]] = {}
        self._unique: dict[tuple[str, str], dict[Any, Key]] = {
            (path, name): {} for path, table in tables.items() for name in table.unique
        }

    def copy(self) -> State:
        """A configuration that can be changed without this one noticing."""
        other = State.__new__(State)
        other.tables = self.tables
        other.rows = {path: dict(rows) for path, rows in self.rows.items()}
        other.revisions = dict(self.revisions)
        other.dirty = dict(self.dirty)
        other.accepts_dangling = self.accepts_dangling
        other._referrers = {target: dict(names) for target, names in self._referrers.items()}
        other._unique = {place: dict(keys) for place, keys in self._unique.items()}
        return other

    def find(self, path: str, key: Key) -> Row | None:
        """The row of this key, or None."""
        return self.rows.get(path, {}).get(key)

    def all(self, path: str) -> Collection[Row]:
        """The rows of a table; none where the release lacks it."""
        return self.rows.get(path, {}).values()

    def singleton(self, path: str) -> Row:
        """The one row of a singleton."""
        return self.rows[path][SINGLETON]

    def referrers(self, path: str, key: Key) -> list[Target]:
        """The rows that name this one, other than itself."""
        return [t for t in self._referrers.get((path, key), ()) if t != (path, key)]

    def holder(self, path: str, name: str, value: Any) -> Key | None:
        """The key of the row that has this value in a unique attribute."""
        return self._unique[path, name].get(value)

    def taken(self, path: str, name: str) -> Collection[Any]:
        """The values that the rows of a table have in a unique attribute."""
        return self._unique[path, name].keys()

    def targets(self, table: Table, row: Mapping[str, Any]) -> frozenset[Target]:
        """The objects that a row names.

        Raises:
            CmdbError: it names something that is not there.
        """
        if self.accepts_dangling:
            return frozenset()
        return frozenset(
            target for a in table.referring for target in self._named(a, row[a.name]))

    def check_names(self, attribute: Attribute, value: Any) -> None:
        """Check that what a value names is there.

        Raises:
            CmdbError: it is not.
        """
        if not self.accepts_dangling:
            for _ in self._named(attribute, value):
                pass

    def _named(self, attribute: Attribute, value: Any) -> Iterator[Target]:
        child = attribute.child
        if child is None:
            target = self.resolve(attribute, value) if attribute.references else None
            if target is not None:
                yield target
            return
        for row in [value] if child.mkey is None else value:
            for inner in child.referring:
                yield from self._named(inner, row[inner.name])

    def resolve(self, attribute: Attribute, value: Key) -> Target | None:
        """The object that a value names; None where it names none."""
        if value in ("", 0) or value in attribute.literals:
            return None
        declared = False
        for path in attribute.references:
            rows = self.rows.get(path)
            if rows is not None:
                declared = True
                handle = self.tables[path].handle
                key = value if handle is None else self.holder(path, handle, value)
                if key in rows:
                    return path, key
        if not declared and value == attribute.default:
            # A factory object of a table that this gateway does not have.
            return None
        raise CmdbError(
            BAD_VALUE,
            f"entry not found in datasource\n\nvalue parse error before '{value}' "
            f"({attribute.name})",
        )

    def settle(self) -> list[Target]:
        """End of reading a whole configuration: drop rows that name what is not there.

        Returns:
            The rows dropped.
        """
        self.accepts_dangling = False
        dropped: list[Target] = []
        is_stable = False
        while not is_stable:
            is_stable = True
            for path, table in self.tables.items():
                for key, row in list(self.rows[path].items()):
                    try:
                        self.targets(table, row)
                    except CmdbError:
                        self.remove(path, key)
                        dropped.append((path, key))
                        is_stable = False
        self.index()
        return dropped

    def append(self, path: str, key: Key, row: Row) -> None:
        """Put a new row after all others."""
        rows = self.rows[path]
        row.position = rows[next(reversed(rows))].position + 1 if rows else 1.0
        self.put(path, key, row)

    def put(self, path: str, key: Key, row: Row) -> None:
        """Put a row in its place; `row.targets` must be set."""
        present = self.rows[path].get(key)
        if present is not None:
            self._forget(path, key, present)
        self.rows[path][key] = row
        self._note(path, key, row)
        self.touch(path, key)

    def index(self) -> None:
        """Work out who names whom, for rows that were put in place as they were saved."""
        for path, table in self.tables.items():
            for key, row in self.rows[path].items():
                row.targets = self.targets(table, row)
                self._note(path, key, row)

    def _note(self, path: str, key: Key, row: Row) -> None:
        for target in row.targets:
            self._referrers.setdefault(target, {})[path, key] = None
        for name in self.tables[path].unique:
            if row[name]:
                self._unique[path, name][row[name]] = key

    def remove(self, path: str, key: Key) -> None:
        """Take a row away."""
        self._forget(path, key, self.rows[path].pop(key))
        self.touch(path, key)

    def _forget(self, path: str, key: Key, row: Row) -> None:
        for target in row.targets:
            names = self._referrers[target]
            del names[path, key]
            if not names:
                del self._referrers[target]
        for name in self.tables[path].unique:
            if row[name] and self._unique[path, name].get(row[name]) == key:
                del self._unique[path, name][row[name]]

    def touch(self, path: str, key: Key) -> None:
        """Note that a row changed."""
        self.dirty[path, key] = None
        self.revisions[path] += 1

    def place(self, path: str, key: Key, neighbour: Key, after: bool) -> None:
        """Move a row right before or after another."""
        rows = self.rows[path]
        order = [k for k in rows if k != key]
        index = order.index(neighbour) + after
        low = rows[order[index - 1]].position if index else None
        high = rows[order[index]].position if index < len(order) else None
        order.insert(index, key)
        if order == list(rows):
            return
        if low is None:
            position = high - 1 if high is not None else 1.0
        else:
            position = (low + high) / 2 if high is not None else low + 1
        moved = _at(rows[key], position)
        self.rows[path] = {k: moved if k == key else rows[k] for k in order}
        self.touch(path, key)
        if low is not None and high is not None and high - low < _SMALLEST_GAP:
            for rank, (k, row) in enumerate(list(self.rows[path].items()), 1):
                self.rows[path][k] = _at(row, float(rank))
                self.dirty[path, k] = None


def _at(row: Row, position: float) -> Row:
    copy = Row(row, position)
    copy.targets, copy.encoded = row.targets, row.encoded
    return copy
