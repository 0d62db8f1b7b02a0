"""Which table has which rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lab.gateway.schema.model import Check, Complete, Table

_RULES: dict[str, dict[str, Any]] = {}


def check(path: str) -> Callable[[Check], Check]:
    """The rule about whole rows of a table, raising `CmdbError`."""
    return _adds(path, "check")


def complete(path: str) -> Callable[[Complete], Complete]:
    """What the device itself gives a row of a table, before it is checked."""
    return _adds(path, "complete")


def _adds(path: str, kind: str) -> Callable[[Any], Any]:
    def add(rule: Any) -> Any:
        about(path, **{kind: rule})
        return rule

    return add


def about(path: str, **what: Any) -> None:
    """What else a table has (see `Table`): a companion, rows that may come."""
    _RULES.setdefault(path, {}).update(what)


def with_rules(table: Table) -> Table:
    """A table as it was read, with its rules."""
    return replace(table, **_RULES.get(table.path, {}))
