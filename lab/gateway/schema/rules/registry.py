"""Which table has which rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lab.gateway.schema.model import Check, Complete, Row, Table, View

_RULES: dict[str, dict[str, Any]] = {}
_CHECKS: dict[str, list[Check]] = {}


def check(path: str) -> Callable[[Check], Check]:
    """A rule about whole rows of a table, raising `CmdbError`; a table may have several."""

    def add(rule: Check) -> Check:
        _CHECKS.setdefault(path, []).append(rule)
        return rule

    return add


def complete(path: str) -> Callable[[Complete], Complete]:
    """What the device itself gives a row of a table, before it is checked."""

    def add(rule: Complete) -> Complete:
        about(path, complete=rule)
        return rule

    return add


def about(path: str, **what: Any) -> None:
    """What else a table has (see `Table`): a companion, rows that may come."""
    _RULES.setdefault(path, {}).update(what)


def with_rules(table: Table) -> Table:
    """A table as it was read, with its rules."""
    checks = _CHECKS.get(table.path)
    joined = {"check": _all(checks)} if checks else {}
    return replace(table, **_RULES.get(table.path, {}), **joined)


def _all(checks: list[Check]) -> Check:
    def hold(row: Row, view: View) -> None:
        for one in checks:
            one(row, view)

    return hold
