"""Which rows and attributes a GET asks for, in which order: filter, sort, format, start, count."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.gateway.errors import malformed
from lab.gateway.schema.model import Table

_CONDITION = re.compile(r"^\s*(?P<key>[\w.\-]+?)\s*(?P<op>==|!=|=@|!@|<=|>=|<|>)(?P<value>.*)$",
                        re.DOTALL)

Test = Callable[[Mapping[str, Any]], bool]


def _texts(value: Any, rest: Sequence[str]) -> Iterable[str]:
    """The texts that a condition compares: those of a scalar, or of each entry of a list."""
    if isinstance(value, list):
        for item in value:
            yield from _texts(item, rest)
    elif isinstance(value, Mapping):
        if rest:
            yield from _texts(value.get(rest[0]), rest[1:])
        elif "q_origin_key" in value:
            yield str(value["q_origin_key"]).lower()
    elif value is not None:
        yield str(value).lower()


def _ordered(op: str, left: str, right: str) -> bool:
    try:
        a, b = float(left), float(right)
    except ValueError:
        a, b = left, right  # type: ignore[assignment]
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]


def _condition(key: str, op: str, wanted: str) -> Test:
    name, *rest = key.split(".")
    wanted = wanted.lower()

    def test(row: Mapping[str, Any]) -> bool:
        texts = list(_texts(row.get(name), rest))
        if op == "==":
            return wanted in texts or (wanted == "" and not texts)
        if op == "!=":
            return wanted not in texts
        if op == "=@":
            return any(wanted in text for text in texts)
        if op == "!@":
            return not any(wanted in text for text in texts)
        return any(_ordered(op, text, wanted) for text in texts)

    return test


def _alternatives(text: str) -> list[Test]:
    """The conditions of one `filter=`: a comma is OR and may leave out key and operator."""
    tests: list[Test] = []
    key = op = ""
    for part in text.split(","):
        match = _CONDITION.match(part)
        if match:
            key, op, value = match["key"], match["op"], match["value"]
        elif key:
            value = part
        else:
            raise malformed(f"The filter '{text}' is not KEY, operator, VALUE.")
        tests.append(_condition(key, op, value))
    return tests


_DIRECTIONS = {"asc": False, "dsc": True, "desc": True}


def _orders(texts: Sequence[str]) -> list[tuple[str, bool]]:
    """Attributes to sort by, the first counts most, and whether downwards: `name,dsc`."""
    orders: list[tuple[str, bool]] = []
    for word in ",".join(texts).split(","):
        if word in _DIRECTIONS and orders:
            orders[-1] = orders[-1][0], _DIRECTIONS[word]
        elif word:
            orders.append((word, False))
    return orders


def _rank(value: Any) -> tuple[bool, Any]:
    """What a value sorts by: numbers before texts, so that the two need not be compared."""
    if isinstance(value, (int, float)):
        return False, value
    return True, " ".join(_texts(value, ()))


def _whole(name: str, text: str | None, default: int) -> int:
    if text is None:
        return default
    try:
        return int(text)
    except ValueError:
        raise malformed(f"The parameter '{name}' is not a number.") from None


@dataclass(frozen=True)
class Query:
    """What a GET asks for.

    Attributes:
        tests: all of the outer, any of the inner must hold.
        attributes: those asked for by `format`; empty for all.
        start: rows to pass over.
        count: most rows to answer; negative for all.
        orders: attributes to sort by, and whether downwards; none for the table's own order.
    """

    tests: tuple[tuple[Test, ...], ...] = ()
    attributes: tuple[str, ...] = ()
    start: int = 0
    count: int = -1
    orders: tuple[tuple[str, bool], ...] = ()

    @classmethod
    def parse(cls, filters: Sequence[str], formats: str | None, start: str | None,
              count: str | None, sorts: Sequence[str] = ()) -> Query:
        """Read the parameters of a URL.

        Raises:
            CmdbError: a filter or a number that cannot be read.
        """
        tests = tuple(tuple(_alternatives(text)) for text in filters if text)
        names = tuple(name for name in (formats or "").split("|") if name)
        return cls(tests, names, max(0, _whole("start", start, 0)), _whole("count", count, -1),
                   tuple(_orders(sorts)))

    @property
    def keeps_rows_whole(self) -> bool:
        """Whether rows are answered with all attributes."""
        return not self.attributes

    def matching(self, rows: Iterable[Any]) -> list[Any]:
        """The rows for which the filter holds, in the order asked for."""
        found = [row for row in rows
                 if all(any(test(row) for test in alternatives) for alternatives in self.tests)]
        for name, is_downwards in reversed(self.orders):
            found.sort(key=lambda row: _rank(row.get(name)), reverse=is_downwards)
        return found

    def page(self, rows: list[Any]) -> list[Any]:
        """The rows of the page asked for."""
        end = None if self.count < 0 else self.start + self.count
        return rows[self.start:end]

    def cut(self, table: Table, row: Mapping[str, Any]) -> Mapping[str, Any]:
        """The row with the attributes asked for."""
        if not self.attributes:
            return row
        wanted = {name.split(".")[0] for name in self.attributes}
        if table.mkey is not None:
            wanted.add("q_origin_key")
        return {name: value for name, value in row.items() if name in wanted}
