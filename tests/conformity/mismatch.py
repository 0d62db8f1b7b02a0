"""A difference from what is published, and where it was found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True, order=True)
class Mismatch:
    """One difference.

    Attributes:
        table: or monitor, or log.
        attribute: by its way from the table; empty where it is about the whole.
        kind: "choices lacking", "limit", …
        says: what differs.
    """

    table: str
    attribute: str
    kind: str
    says: str

    def __str__(self) -> str:
        return f"{self.table} {self.attribute or '(whole)'}: {self.kind}: {self.says}"


@dataclass
class Found:
    """Mismatches and the releases in which they are; what was looked at, by number."""

    releases: dict[Mismatch, list[str]] = field(default_factory=dict)
    held: int = 0

    def add(self, mismatches: Iterable[Mismatch], release: str) -> None:
        """Take in what was found in one release."""
        for one in mismatches:
            found = self.releases.setdefault(one, [])
            if release not in found:
                found.append(release)

    def lines(self) -> Iterator[str]:
        """Each in a line, by table."""
        for one, releases in sorted(self.releases.items()):
            yield f"{one}  [{releases[0]}..{releases[-1]}]"
