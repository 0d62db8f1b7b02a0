"""Changes to a configuration, each checked before anything of it takes hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from lab.gateway.cmdb.rows import (
    SINGLETON,
    Builder,
    Key,
    Row,
    Step,
    Target,
    next_number,
    parse_key,
    with_child,
)
from lab.gateway.cmdb.state import State
from lab.gateway.errors import (
    IN_USE,
    PERMISSION_DENIED,
    TABLE_FULL,
    CmdbError,
    duplicate,
    malformed,
    not_found,
)
from lab.gateway.schema.model import Table
from lab.gateway.schema.rules.evaluation import must_be_weak


@dataclass(frozen=True)
class Location:
    """Where a change applies: a table, a row, a child table, or a row of it.

    Attributes:
        path: the table.
        key: the row; None for the table.
        steps: child table and key, from the row inwards.
    """

    path: str
    key: Key | None = None
    steps: tuple[Step, ...] = ()


class Editor:
    """Makes changes to one configuration.

    Args:
        state: the configuration.
        builder: makes rows.
        evaluation: whether the limits of the permanent evaluation licence hold.
        loses: whether the next new row of a table is answered and not kept.
    """

    def __init__(self, state: State, builder: Builder,
                 evaluation: Callable[[], bool] = lambda: False,
                 loses: Callable[[str], bool] = lambda path: False) -> None:
        self.state = state
        self.builder = builder
        self._evaluation = evaluation
        self._loses = loses

    def table(self, path: str) -> Table:
        """The declaration of a table.

        Raises:
            CmdbError: there is none in this release.
        """
        table = self.state.tables.get(path)
        if table is None:
            raise not_found(path)
        return table

    def row(self, path: str, key: Key | None) -> tuple[Table, Key, Row]:
        """A row with its table and its key as the table holds it."""
        table = self.table(path)
        if table.mkey is None:
            return table, SINGLETON, self.state.singleton(path)
        if key is None:
            raise malformed(f"The key of an object of {path} is missing.")
        key = parse_key(table, key)
        row = self.state.find(path, key)
        if row is None:
            raise not_found(f"{path} {key}")
        return table, key, row

    def create(self, place: Location, body: Mapping[str, Any]) -> Key:
        """Add a row; answers its key."""
        if place.steps:
            return self._create_child(place, body)
        table = self.table(place.path)
        if table.mkey is None:
            raise CmdbError(PERMISSION_DENIED, f"{table.path} has no rows to add.", 405)
        # In a file that is read, what belongs to a row may stand before that row.
        whole = {**table.template, **body}
        is_early = self.state.accepts_dangling and table.is_companion(whole)
        if table.fixed and not is_early and not _may_come(table, whole):
            raise CmdbError(TABLE_FULL, f"No entry can be added to {table.path}.")
        key = self._new_key(table, body)
        body = {**body, table.mkey: key}
        row = self.builder.new(table, body)
        if table.has_uuid and not body.get("uuid"):
            row["uuid"] = str(uuid4())
        self._check_room(table)
        self._check_name_free(table, row[table.mkey])
        checked = self._checked(table, None, row)
        if not self._loses(table.path):
            self._bring_companion(table, checked)
            self.state.append(table.path, row[table.mkey], checked)
        return row[table.mkey]

    def install(self, table: Table, body: Mapping[str, Any]) -> None:
        """Add a row that comes with the device, without the rules that hold for clients."""
        row = self.builder.new(table, body)
        if table.has_uuid:
            row["uuid"] = str(uuid4())
        self.state.append(table.path, row["q_origin_key"], self._checked(table, None, row))

    def _bring_companion(self, table: Table, row: Row) -> None:
        """Make the row of another table that this row brings along, or adapt it."""
        if table.companion is None:
            return
        other, body = self.state.tables[table.companion.path], table.companion.body(row)
        key = row["q_origin_key"]
        present = self.state.find(other.path, key)
        if present is None:
            self.install(other, body)
        else:
            self._replace(other, key, present, self.builder.changed(other, present, body))

    def _new_key(self, table: Table, body: Mapping[str, Any]) -> Key:
        assert table.mkey is not None and table.key.parse is not None
        given = body.get(table.mkey)
        if table.has_integer_key and (given is None or given in (0, "0", "")):
            return next_number(iter(self.state.rows[table.path]))
        if given is None or given == "":
            raise malformed(f"The key '{table.mkey}' is missing.")
        return table.key.parse(table.mkey, given)

    def _check_room(self, table: Table) -> None:
        limits = [table.limit] if table.limit else []
        if table.evaluation_limit and self._evaluation():
            limits.append(table.evaluation_limit)
        if limits and len(self.state.rows[table.path]) >= min(limits):
            raise CmdbError(TABLE_FULL,
                            f"Maximum number of entries has been reached: {min(limits)}.")

    def _check_name_free(self, table: Table, key: Key) -> None:
        for path in (table.path, *table.namespace):
            found = self.state.find(path, key)
            if found is not None and not self._awaits(table, path, found):
                raise duplicate(key)

    def _awaits(self, table: Table, path: str, row: Row) -> bool:
        """Whether a row was read from a file before the row of this table that it belongs to."""
        return (
            self.state.accepts_dangling
            and table.companion is not None
            and table.companion.path == path
            and self.state.tables[path].is_companion(row)
        )

    def _checked(self, table: Table, key: Key | None, row: Mapping[str, Any]) -> Row:
        if table.complete is not None:
            row = table.complete(dict(row), self.state)
        for name in table.unique:
            holder = self.state.holder(table.path, name, row[name]) if row[name] else None
            if holder is not None and holder != key:
                raise duplicate(row[name])
        result = Row(row)
        result.targets = self.state.targets(table, row)
        if table.check is not None:
            table.check(result, self.state)
        if self._evaluation():
            must_be_weak(table, result)
        return result

    def _create_child(self, place: Location, body: Mapping[str, Any]) -> Key:
        made: dict[str, Any] = {}

        def add(child: Table, rows: Any) -> Any:
            if child.mkey is None:
                raise CmdbError(PERMISSION_DENIED, f"{child.path} has no rows to add.", 405)
            made.update(self.builder.new_child(child, body, rows))
            return [*rows, dict(made)]

        self._change_children(place, add)
        return made["q_origin_key"]

    def _change_children(self, place: Location, change: Callable[[Table, Any], Any]) -> None:
        table, key, row = self.row(place.path, place.key)
        self._replace(table, key, row, with_child(table, row, place.steps, change))

    def _replace(self, table: Table, key: Key, present: Row, new: Mapping[str, Any]) -> bool:
        """Put a changed row in the place of the present one; False if it is the same."""
        if new == present:
            return False
        if key in table.read_only:
            raise _read_only(table, key)
        row = self._checked(table, key, new)
        if table.handle is not None and row[table.handle] != present[table.handle]:
            # Those who name it do so by this number.
            self._check_unused(table, key)
        self._bring_companion(table, row)
        row.position = present.position
        self.state.put(table.path, key, row)
        return True

    def update(self, place: Location, body: Mapping[str, Any]) -> Key:
        """Change attributes; a new key in the body renames the row. Answers the key."""
        if place.steps:
            self._change_children(
                place, lambda child, row: self._updated_child(child, row, body))
            return place.steps[-1][1] or ""
        table, key, row = self.row(place.path, place.key)
        new = self.builder.changed(table, row, body)
        if table.mkey is None or new[table.mkey] == key:
            self._replace(table, key, row, new)
            return key
        wanted = new[table.mkey]
        new[table.mkey] = new["q_origin_key"] = key
        self._check_rename(table, key, wanted)
        self._replace(table, key, row, new)
        return self.rename(place, wanted)

    def _updated_child(self, child: Table, row: Any, body: Mapping[str, Any]) -> Any:
        if not isinstance(row, Mapping):
            raise CmdbError(PERMISSION_DENIED, f"{child.path} takes PUT on an entry only.", 405)
        if child.mkey is not None:
            body = {name: value for name, value in body.items() if name != child.mkey}
        return self.builder.changed(child, row, body)

    def _check_rename(self, table: Table, key: Key, wanted: Key) -> None:
        if key in table.read_only:
            raise _read_only(table, key)
        if table.fixed or table.companion is not None or not wanted:
            raise CmdbError(PERMISSION_DENIED, f'"{key}" of {table.path} cannot be renamed.')
        self._check_name_free(table, wanted)

    def rename(self, place: Location, wanted: Key) -> Key:
        """Give a row another key; those who name it follow."""
        table, key, row = self.row(place.path, place.key)
        assert table.mkey is not None and table.key.parse is not None
        wanted = table.key.parse(table.mkey, wanted)
        self._check_rename(table, key, wanted)
        state, path = self.state, table.path
        referrers = state.referrers(path, key)
        keys = list(state.rows[path])
        renamed = Row({**row, table.mkey: wanted, "q_origin_key": wanted}, row.position)
        renamed.targets = row.targets
        state.remove(path, key)
        state.put(path, wanted, renamed)
        rows = state.rows[path]
        state.rows[path] = {k: rows[k] for k in (wanted if k == key else k for k in keys)}
        for other_path, other_key in referrers:
            other = state.rows[other_path][other_key]
            follower = Row(_follow(state.tables[other_path], other, (path, key), wanted),
                           other.position)
            follower.targets = frozenset(
                (path, wanted) if target == (path, key) else target for target in other.targets)
            state.put(other_path, other_key, follower)
        return wanted

    def delete(self, place: Location) -> None:
        """Remove a row, or all rows of a table."""
        if place.steps:
            self._change_children(place, _without)
            return
        if place.key is None:
            self._purge(place.path)
            return
        table, key, row = self.row(place.path, place.key)
        if not _may_come(table, row):
            self._check_removable(table)
        if key in table.read_only:
            raise _read_only(table, key)
        self._check_unused(table, key)
        self._remove(table, key)

    def _remove(self, table: Table, key: Key) -> None:
        """Take an unused row away, and with it the row that it brought along."""
        self._check_companion_unused(table, key)
        if table.companion is not None:
            self.state.remove(table.companion.path, key)
        self.state.remove(table.path, key)

    def _check_companion_unused(self, table: Table, key: Key) -> None:
        if table.companion is not None:
            self._check_unused(self.state.tables[table.companion.path], key)

    def _check_removable(self, table: Table) -> None:
        if table.mkey is None or table.fixed:
            raise CmdbError(PERMISSION_DENIED, f"Entries of {table.path} cannot be deleted.")

    def _check_unused(self, table: Table, key: Key) -> None:
        users = self.state.referrers(table.path, key)
        if users:
            path, name = users[0]
            raise CmdbError(
                IN_USE, f'The entry "{key}" is used by other {len(users)} entries, one of them '
                        f'{path} "{name}".')

    def _purge(self, path: str) -> None:
        table = self.table(path)
        self._check_removable(table)
        keys = list(self.state.rows[path])
        for key in keys:
            if key in table.read_only:
                raise _read_only(table, key)
            outside = [user for user in self.state.referrers(path, key) if user[0] != path]
            if outside:
                raise CmdbError(IN_USE, f'The entry "{key}" is used by {outside[0][0]} '
                                        f'"{outside[0][1]}".')
            self._check_companion_unused(table, key)
        for key in keys:
            self._remove(table, key)

    def move(self, place: Location, neighbour: Key, after: bool) -> None:
        """Move a row right before or after another."""
        table, key, _ = self.row(place.path, place.key)
        if place.steps:
            raise malformed("Only a row of a table can be moved.")
        if table.mkey is None:
            raise malformed(f"{table.path} has no order.")
        neighbour = parse_key(table, neighbour)
        if self.state.find(table.path, neighbour) is None:
            raise not_found(f"{table.path} {neighbour}", 500)
        if neighbour != key:
            self.state.place(table.path, key, neighbour, after)

    def clone(self, place: Location, new_key: Key) -> Key:
        """Add a copy of a row under another key."""
        table, _, row = self.row(place.path, place.key)
        if table.mkey is None or place.steps:
            raise malformed(f"{table.path} cannot be cloned.")
        body = {name: row[name] for name in table.attributes if name not in table.unique}
        body.pop("uuid", None)
        body[table.mkey] = new_key
        return self.create(Location(table.path), body)


def _may_come(table: Table, row: Mapping[str, Any]) -> bool:
    return table.may_come is not None and table.may_come(row)


def _read_only(table: Table, key: Key) -> CmdbError:
    return CmdbError(PERMISSION_DENIED, f'"{key}" of {table.path} is read-only.')


def _without(child: Table, row: Any) -> Any:
    if isinstance(row, list):
        return []
    if child.mkey is None:
        raise CmdbError(PERMISSION_DENIED, f"{child.path} cannot be deleted.", 405)
    return None


def _follow(table: Table, row: Mapping[str, Any], target: Target, name: Key) -> dict[str, Any]:
    """A copy of a row in which the target goes by another name."""
    path, key = target
    result = dict(row)
    for attribute in table.referring:
        value = row[attribute.name]
        if attribute.child is None:
            if value == key and path in attribute.references:
                result[attribute.name] = name
        elif attribute.child.mkey is None:
            result[attribute.name] = _follow(attribute.child, value, target, name)
        else:
            result[attribute.name] = [_follow(attribute.child, item, target, name)
                                      for item in value]
    if table.mkey is not None:
        result["q_origin_key"] = result[table.mkey]
    return result
