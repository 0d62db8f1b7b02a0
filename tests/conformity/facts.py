"""What is published about FortiOS, as one release has it (see `collect`)."""

from __future__ import annotations

import json
import lzma
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("facts.json.xz")
RELEASES = ("7.4.4", "7.4.8", "7.6.0", "7.6.1", "7.6.2", "7.6.3", "7.6.4")
"""That are held; what is published tells most of them apart."""
DEFAULTS_OF = "7.6.5"
"""The release whose defaults and groups of access profiles are known."""

Fact = dict[str, Any]
_SPELLING = str.maketrans("_(", "--", ")")


def plain(name: str) -> str:
    """A name as it is compared; the sources do not agree on hyphens and parentheses."""
    return name.translate(_SPELLING).lower()


class Facts:
    """The published facts.

    Args:
        told: as `collect` makes them; the project's own unless given.
    """

    def __init__(self, told: Fact | None = None) -> None:
        told = told or json.loads(lzma.decompress(FILE.read_bytes()))
        self._newest = {train: _number(text) for train, text in told["newest"].items()}
        self._tables = {plain(path): fact for path, fact in told["tables"].items()}
        self.paths = tuple(told["tables"])
        self.monitors: dict[str, dict[str, bool]] = told["monitors"]
        self.logs: frozenset[str] = frozenset(told["logs"])
        self.table = cache(self._table)

    def __contains__(self, path: str) -> bool:
        return plain(path) in self._tables

    def _table(self, path: str, release: str) -> Fact | None:
        """A table with what a release has of it, names as `plain`; None where it has none."""
        fact = self._tables.get(plain(path))
        return self._cut(fact, release) if fact and self._within(fact, release) else None

    def known(self, path: str) -> frozenset[str]:
        """The ways of all attributes that some release has of a table."""
        return frozenset(_ways(self._tables[plain(path)], ""))

    def _within(self, what: Fact, release: str) -> bool:
        return self._in(what.get("in"), release)

    def _in(self, spans: list[list[str]] | None, release: str) -> bool:
        """A later patch counts as the last one of its train that is published about."""
        train = ".".join(release.split(".")[:2])
        at = min(_number(release), self._newest.get(train, _number(release)))
        return not spans or any(
            _number(first) <= at and (not last or at <= _number(last)) for first, last in spans
        )

    def _cut(self, fact: Fact, release: str) -> Fact:
        cut = dict(fact)
        if "attributes" in fact:
            cut["attributes"] = {
                plain(name): self._cut(one, release)
                for name, one in fact["attributes"].items()
                if self._within(one, release)
            }
        if "choices" in fact:
            spans = fact["choices"].items()
            cut["choices"] = frozenset(name for name, span in spans if self._in(span, release))
        return cut


def _ways(fact: Fact, before: str) -> set[str]:
    found = set()
    for name, one in fact.get("attributes", {}).items():
        way = f"{before}{plain(name)}"
        found |= {way} | _ways(one, f"{way}/")
    return found


def _number(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))
