"""Signatures: what to look for, and the search in a stream that comes in pieces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Rule:
    """One signature with what is to happen.

    Attributes:
        id: of the attack or application.
        name: likewise.
        action: of an attack: pass, block or reset; of an application the list decides.
        log: whether a hit is logged.
        category: of an application.
        service: HTTP, FTP or SSL; None for any.
        flow: from_client or from_server; None for both.
        context: uri, header, body, host or packet.
        pattern: what to find.
        no_case: whether letters of either case match; `pattern` is in small letters then.
    """

    id: int
    name: str
    action: str
    log: bool
    category: int
    service: str | None
    flow: str | None
    context: str
    pattern: bytes
    no_case: bool

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Rule:
        """A rule from its JSON."""
        pattern = row["pattern"].encode("utf-8", "surrogateescape")
        return cls(**{**row, "pattern": pattern.lower() if row["no_case"] else pattern})

    def concerns(self, service: str, flow: str, context: str) -> bool:
        """Whether to look for it there."""
        return (
            self.context == context
            and self.service in (None, service)
            and self.flow in (None, flow)
        )

    def hits(self, data: bytes) -> bool:
        """Whether it is in there."""
        return self.pattern in (data.lower() if self.no_case else data)


class Search:
    """The search for rules in one stream; a pattern may lie across two pieces."""

    __slots__ = ("_keep", "_left", "_tail")

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._left = list(rules)
        self._keep = max((len(rule.pattern) for rule in rules), default=1) - 1
        self._tail = b""

    def feed(self, piece: bytes | bytearray | memoryview) -> Iterator[Rule]:
        """The rules that are found for the first time."""
        if not self._left:
            return
        data = self._tail + bytes(piece)
        small = data.lower() if any(rule.no_case for rule in self._left) else b""
        for rule in list(self._left):
            if rule.pattern in (small if rule.no_case else data):
                self._left.remove(rule)
                yield rule
        self._tail = data[-self._keep :] if self._keep else b""
