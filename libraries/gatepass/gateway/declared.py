"""What a device says of its own tables (`action=schema`): attributes, choices, lengths, ranges.

They differ by model, memory and release, so the device is asked before it is told. What it does not
tell nothing is held against.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_MOST_CHOICES = 8
"""That a sentence names."""


@dataclass(frozen=True)
class Unknown:
    """A value that a device would not take.

    Attributes:
        table: the path.
        attribute: by its way from the table: ``http/oversize-limit``.
        why: what the device takes instead.
        value: that would be sent; empty where there is no such attribute, or it may be secret.
    """

    table: str
    attribute: str
    why: str
    value: str = ""

    def __str__(self) -> str:
        value = f' "{self.value}"' if self.value else ""
        return f"{self.table} {self.attribute}{value} ({self.why})"


@dataclass(frozen=True)
class Declared:
    """What a device tells of one table.

    Attributes:
        table: the path.
        told: the results of ``GET cmdb/TABLE?action=schema``; None where it tells nothing.
    """

    table: str
    told: Mapping[str, Any] | None

    def most(self, *names: str) -> int | None:
        """How high a number may be; None where the device does not tell.

        Args:
            names: of the attribute, and before it of the groups that it stands in.
        """
        most = self._attribute(names).get("max-value")
        return most if isinstance(most, int) else None

    def default(self, name: str) -> Any:
        """What an attribute is where nobody sets it; None where the device does not tell."""
        return self._attribute((name,)).get("default")

    def is_table(self, name: str) -> bool | None:
        """Whether an attribute has rows; None where the device does not tell."""
        category = self._attribute((name,)).get("category")
        return None if category is None else category == "table"

    def unknown(self, row: Mapping[str, Any]) -> Iterator[Unknown]:
        """What the device would not take of a row, or of some of a row's values.

        Args:
            row: as it would be sent.
        """
        if self.told is not None:
            yield from self._within(self.told, row, "")

    def _attribute(self, names: tuple[str, ...]) -> Mapping[str, Any]:
        found: Any = self.told
        for name in names:
            found = _children(found).get(name)
        return found if isinstance(found, Mapping) else {}

    def _within(
        self, declared: Mapping[str, Any], row: Mapping[str, Any], before: str
    ) -> Iterator[Unknown]:
        children = _children(declared)
        for name, value in row.items() if children else ():
            way = f"{before}{name}"
            one = children.get(name)
            if name not in children:
                yield Unknown(self.table, way, "the device has no such attribute")
            elif isinstance(one, Mapping):
                yield from self._one(one, value, way)

    def _one(self, declared: Mapping[str, Any], value: Any, way: str) -> Iterator[Unknown]:
        if declared.get("category") == "table":
            if not isinstance(value, list):
                yield Unknown(self.table, way, "it takes a list of rows")
                return
            for row in value:
                yield from self._within(declared, row, f"{way}/")
        elif isinstance(value, Mapping):
            yield from self._within(declared, value, f"{way}/")
        elif isinstance(value, list):
            yield Unknown(self.table, way, "it takes no list")
        elif str(value) not in ("", str(declared.get("default"))):
            yield from self._scalar(declared, value, way)

    def _scalar(self, declared: Mapping[str, Any], value: Any, way: str) -> Iterator[Unknown]:
        text, size = str(value), declared.get("size")
        for word in text.split() if declared.get("multiple_values") else [text]:
            if why := _not_taken(declared, word):
                yield Unknown(self.table, way, why, word)
        if isinstance(size, int) and 0 < size < len(text):
            yield Unknown(self.table, way, f"it takes {size} characters, not {len(text)}")


def _not_taken(declared: Mapping[str, Any], word: str) -> str:
    """What a device takes instead of a choice or a number; empty where it takes it."""
    choices = _names(declared.get("options"))
    if choices and word not in choices:
        more = ", …" if len(choices) > _MOST_CHOICES else ""
        return f"it takes {', '.join(choices[:_MOST_CHOICES])}{more}"
    low, high = declared.get("min-value"), declared.get("max-value")
    if declared.get("type") != "integer" or not (isinstance(low, int) and isinstance(high, int)):
        return ""
    is_number = word.removeprefix("-").isdecimal()
    return "" if is_number and low <= int(word) <= high else f"it takes {low:,} to {high:,}"


def _children(declared: Any) -> Mapping[str, Any]:
    children = declared.get("children") if isinstance(declared, Mapping) else None
    return children if isinstance(children, Mapping) else {}


def _names(options: Any) -> list[str]:
    """The choices, as far as they can be read."""
    if not isinstance(options, list):
        return []
    return [str(one["name"]) for one in options if isinstance(one, Mapping) and "name" in one]
