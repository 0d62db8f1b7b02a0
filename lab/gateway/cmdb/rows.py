"""Rows of tables: made from what a client sends, shown, and packed for the disk."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from lab.gateway.cmdb.vault import MASK, Vault
from lab.gateway.errors import bad_value, duplicate, malformed, not_found, not_here
from lab.gateway.schema.model import Attribute, Table

Key = str | int
Target = tuple[str, Key]
Step = tuple[str, Key | None]
SINGLETON: Key = ""


class Row(dict):
    """One row with all its attributes. Never changed in place, so that copies may share it.

    Attributes:
        position: rank among the table's rows.
        encoded: the row as JSON, once it was asked for.
        targets: the objects that it names.
    """

    __slots__ = ("encoded", "position", "targets")

    def __init__(self, values: Mapping[str, Any], position: float = 0.0) -> None:
        super().__init__(values)
        self.position = position
        self.encoded: bytes | None = None
        self.targets: frozenset[Target] = frozenset()


class Builder:
    """Turns bodies of requests into rows."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault

    def new(self, table: Table, body: Mapping[str, Any]) -> dict[str, Any]:
        """A row of defaults with the body's values; the key must be in the body."""
        return self.changed(table, table.template, body)

    def changed(self, table: Table, row: Mapping[str, Any],
                body: Mapping[str, Any]) -> dict[str, Any]:
        """A copy of the row with the body's values.

        Attributes that the table does not have are passed over, as FortiOS does over REST, but for
        those that a device has and that would narrow something.

        Raises:
            CmdbError: a value is not what the attribute takes.
        """
        result = dict(row)
        for name, value in body.items():
            attribute = table.attributes.get(name)
            if attribute is not None:
                result[name] = self._value(attribute, value, row[name])
            elif value not in table.lacking.get(name, (value,)):
                raise not_here(name, value)
        if table.mkey is not None:
            result["q_origin_key"] = result[table.mkey]
        return result

    def _value(self, attribute: Attribute, value: Any, present: Any) -> Any:
        if attribute.child is not None:
            if attribute.child.mkey is None:
                if not isinstance(value, Mapping):
                    raise bad_value(attribute.name, value, "an object")
                return self.changed(attribute.child, present, value)
            return self._children(attribute, value, present)
        if attribute.secret:
            assert attribute.parse is not None
            try:
                return self._vault.accept(attribute.parse(attribute.name, value), present)
            except ValueError as error:
                raise bad_value(attribute.name, "ENC", f"plain text; {error}") from None
        if value == attribute.default and type(value) is type(attribute.default):
            return attribute.default
        if value is None or (value == "" and not attribute.may_be_empty):
            # An emptied field is how clients ask for the default.
            return attribute.default
        assert attribute.parse is not None
        return attribute.parse(attribute.name, value)

    def _children(self, attribute: Attribute, value: Any,
                  present: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        table = attribute.child
        assert table is not None and table.mkey is not None
        if not isinstance(value, list):
            raise bad_value(attribute.name, value, f"a list of objects with {table.mkey}")
        before = {row[table.mkey]: row for row in present} if table.secrets else {}
        result: list[dict[str, Any]] = []
        for item in value:
            if not isinstance(item, Mapping):
                raise bad_value(attribute.name, item, f"an object with {table.mkey}")
            result.append(self.new_child(table, item, result, before))
        return result

    def new_child(self, table: Table, body: Mapping[str, Any],
                  siblings: Sequence[Mapping[str, Any]],
                  before: Mapping[Key, Mapping[str, Any]] | None = None) -> dict[str, Any]:
        """A row for a child table; number 0 takes the next number."""
        assert table.mkey is not None
        key = body.get(table.mkey)
        if table.has_integer_key and (key is None or key in (0, "0")):
            body = {**body, table.mkey: next_number(row[table.mkey] for row in siblings)}
        elif key is None or key == "":
            raise bad_value(table.mkey, "", f"the {table.mkey} of an entry of {table.path}")
        row = self.new(table, body)
        key = row[table.mkey]
        if before and key in before:
            row = self.changed(table, {**row, **{a.name: before[key][a.name]
                                                 for a in table.secrets}}, body)
        if any(other[table.mkey] == key for other in siblings):
            raise duplicate(key)
        return row

    def reveal(self, table: Table, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """The row with its secrets readable, for those who put it in force."""
        return _with_secrets(table, row, self._vault.reveal)

    def reseal(self, table: Table, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """The row with its secrets sealed afresh, as each backup shows them."""
        return _with_secrets(table, row, lambda s: self._vault.seal(self._vault.reveal(s)))


def _with_secrets(table: Table, row: Mapping[str, Any],
                  change: Callable[[str], str]) -> Mapping[str, Any]:
    if not table.secrets:
        return row
    result = dict(row)
    for attribute in table.secrets:
        value = row[attribute.name]
        if attribute.child is None:
            result[attribute.name] = change(value)
        elif attribute.child.mkey is None:
            result[attribute.name] = _with_secrets(attribute.child, value, change)
        else:
            result[attribute.name] = [_with_secrets(attribute.child, r, change) for r in value]
    return result


def masked(table: Table, row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The row as a client may see it."""
    return _with_secrets(table, row, lambda sealed: MASK if sealed else "")


def encoded(table: Table, row: Row) -> bytes:
    """The row as JSON, as a client may see it."""
    if row.encoded is None:
        row.encoded = json.dumps(masked(table, row), separators=(",", ":")).encode()
    return row.encoded


def next_number(numbers: Iterator[int]) -> int:
    """The number after the highest."""
    return max(numbers, default=0) + 1


def parse_key(table: Table, text: Key) -> Key:
    """A row's key as the table holds it, from a URL or a command line."""
    if not table.has_integer_key:
        return str(text)
    try:
        return int(text)
    except ValueError:
        raise not_found(f"{table.path} {text}") from None


def pack(table: Table, row: Mapping[str, Any]) -> dict[str, Any]:
    """What differs from the defaults, without `q_origin_key`."""
    template, result = table.template, {}
    for name, attribute in table.attributes.items():
        value = row[name]
        if attribute.child is not None:
            if attribute.child.mkey is None:
                value = pack(attribute.child, value)
            else:
                value = [pack(attribute.child, item) for item in value]
            if value:
                result[name] = value
        elif name == table.mkey or value != template[name]:
            result[name] = value
    return result


def unpack(table: Table, packed: Mapping[str, Any]) -> dict[str, Any]:
    """The reverse of `pack`; attributes that this release lacks are left out."""
    row = dict(table.template)
    for name, value in packed.items():
        attribute = table.attributes.get(name)
        if attribute is None:
            continue
        if attribute.child is not None:
            if attribute.child.mkey is None:
                value = unpack(attribute.child, value)
            else:
                value = [unpack(attribute.child, item) for item in value]
        row[name] = value
    if table.mkey is not None:
        row["q_origin_key"] = row[table.mkey]
    return row


def find_child(table: Table, row: Mapping[str, Any], steps: Sequence[Step]) -> tuple[Table, Any]:
    """The child table and what a path into a row leads to: a row, or a list of rows.

    Raises:
        CmdbError: there is no such child.
    """
    value: Any = row
    for name, key in steps:
        table = child_table(table, name)
        value = value[name]
        if table.mkey is None or key is None:
            continue
        key = parse_key(table, key)
        value = next((item for item in value if item[table.mkey] == key), None)
        if value is None:
            raise not_found(f"{table.path} {key}")
    return table, value


def child_table(table: Table, name: str) -> Table:
    """The table inside an attribute."""
    attribute = table.attributes.get(name)
    if attribute is None or attribute.child is None:
        raise not_found(f"{name} of {table.path}")
    return attribute.child


def with_child(table: Table, row: Mapping[str, Any], steps: Sequence[Step],
               change: Callable[[Table, Any], Any]) -> dict[str, Any]:
    """A copy of a row in which what the path leads to is replaced by `change` of it.

    `change` gets the child table and its rows (or, in a group of attributes, the one row); it gets
    a single row where the last step has a key, and None as its answer removes that row.
    """
    (name, key), *rest = steps
    child = child_table(table, name)
    result = dict(row)
    if child.mkey is None or key is None:
        if rest and child.mkey is not None:
            raise malformed(f"A path into {name} needs the key of an entry.")
        result[name] = (with_child(child, row[name], rest, change) if rest
                        else change(child, row[name]))
        return result
    key = parse_key(child, key)
    rows = list(row[name])
    index = next((i for i, item in enumerate(rows) if item[child.mkey] == key), None)
    if index is None:
        raise not_found(f"{child.path} {key}")
    new = with_child(child, rows[index], rest, change) if rest else change(child, rows[index])
    rows[index:index + 1] = [] if new is None else [new]
    result[name] = rows
    return result
