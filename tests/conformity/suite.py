"""What is sent to a gateway, held against the published facts: tables, values, monitors.

It is taken from conversations, recorded ones or those of builders that were driven.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .facts import Fact, Facts, plain
from .mismatch import Mismatch

_ANYWHERE = frozenset({"vdom", "start", "count", "format", "filter", "sort", "with_meta"})
"""Parameters that every call may have."""
_OF_THE_GUI = frozenset({"web-ui/state"})
"""What FortiOS's own pages ask for, which no reference lists; without it the suite says that it
does not know its user's rights."""


@dataclass(frozen=True)
class Exchange:
    """One call.

    Attributes:
        method: of HTTP.
        path: behind `/api/v2/`.
        query: its parameters.
        body: what was sent.
    """

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None


def recorded(file: Path) -> list[Exchange]:
    """The calls of a recording: a JSON object a line, compressed where its name ends in ``.gz``."""
    opened = gzip.open if file.suffix == ".gz" else open
    with opened(file, "rt", encoding="utf-8") as lines:
        told = [json.loads(line) for line in lines]
    return [
        Exchange(one["method"], one["path"], one.get("query") or {}, one.get("body"))
        for one in told
        if "method" in one and not one.get("anonymous")
    ]


def hold(facts: Facts, release: str, calls: Iterable[Exchange]) -> Iterator[Mismatch]:
    """How what is sent differs from what a release takes.

    Args:
        facts: that are published.
        release: of FortiOS.
        calls: that were made.
    """
    for call in calls:
        api, _, rest = call.path.partition("/")
        if api == "cmdb" and rest:
            yield from _cmdb(facts, release, call, rest)
        elif api == "monitor":
            yield from _monitor(facts, call, rest)
        elif api == "log" and not {rest, f"{rest}/raw"} & facts.logs:
            yield Mismatch(f"log {rest}", "", "log", "none of that name")


def hold_row(
    facts: Facts, release: str, path: str, row: Mapping[str, Any]
) -> Iterator[Mismatch]:
    """How a row, or some of a row's values, differs from what a table of a release takes."""
    fact = facts.table(path, release)
    if fact is None:
        yield Mismatch(path, "", "table", "this release has none of that name")
    else:
        yield from _within(path, "", row, fact, facts.known(path))


def _cmdb(facts: Facts, release: str, call: Exchange, rest: str) -> Iterator[Mismatch]:
    path = "/".join(rest.split("/")[:2])
    fact = facts.table(path, release)
    if fact is None:
        # what a release lacks is asked for before it is left out
        if call.method != "GET" or path not in facts:
            yield Mismatch(path, "", "table", "this release has none of that name")
        return
    shown = str(call.query.get("format", ""))
    for name in shown.split("|") if shown else ():
        if plain(name) not in fact["attributes"]:
            yield Mismatch(path, name, "attribute", "this release has none of that name (format=)")
    if call.body is not None and call.query.get("action") is None:
        yield from _within(path, "", call.body, fact, facts.known(path))


def _monitor(facts: Facts, call: Exchange, path: str) -> Iterator[Mismatch]:
    if path in _OF_THE_GUI:
        return
    known = facts.monitors.get(path)
    if known is None:
        yield Mismatch(f"monitor {path}", "", "monitor", "none of that name")
        return
    given = {**call.query, **(call.body or {})}
    for name in given:
        if name not in known and name not in _ANYWHERE:
            yield Mismatch(f"monitor {path}", name, "parameter", "none of that name")
    for name, is_needed in known.items():
        if is_needed and name not in given:
            yield Mismatch(f"monitor {path}", name, "parameter", "has to be given")


def _within(
    path: str, before: str, row: Mapping[str, Any], fact: Fact, known: frozenset[str]
) -> Iterator[Mismatch]:
    for name, value in row.items():
        way = f"{before}{name}"
        real = fact["attributes"].get(plain(name))
        if real is None:
            kind = "release" if plain(way) in known else "attribute"
            yield Mismatch(path, way, kind, "this release has none of that name")
        elif "attributes" in real:
            yield from _rows(path, way, value, real, known)
        elif isinstance(value, (Mapping, list)):
            yield Mismatch(path, way, "type", f"rows instead of {real['kind']}")
        elif str(value) not in ("", str(real.get("default"))):
            yield from _value(path, way, str(value), real)


def _rows(
    path: str, way: str, value: Any, real: Fact, known: frozenset[str]
) -> Iterator[Mismatch]:
    if real["kind"] == "group" and isinstance(value, Mapping):
        yield from _within(path, f"{way}/", value, real, known)
    elif real["kind"] == "table" and isinstance(value, list):
        for row in value:
            yield from _within(path, f"{way}/", row, real, known)
    elif value != "":
        yield Mismatch(path, way, "type", f"no {real['kind']}")


def _value(path: str, way: str, text: str, real: Fact) -> Iterator[Mismatch]:
    for word in text.split() if real.get("several") else [text]:
        if "choices" in real and word not in real["choices"]:
            taken = " ".join(sorted(real["choices"]))
            yield Mismatch(path, way, "choice", f"{word} is none of {taken}")
    if real["kind"] == "integer":
        low, high = real.get("range", (0, 2**32 - 1))
        if not text.removeprefix("-").isdecimal() or not low <= int(text) <= high:
            yield Mismatch(path, way, "limit", f"{text} is not within {low} to {high}")
    if len(text) > real.get("size", len(text)):
        yield Mismatch(path, way, "limit", f"more than {real['size']} characters")
