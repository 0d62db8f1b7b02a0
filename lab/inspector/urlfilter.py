"""Entries of a static URL filter."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class UrlEntry:
    """One entry.

    Attributes:
        url: as configured.
        kind: simple, wildcard or regex.
        action: exempt, block, allow or monitor.
        pattern: of the kinds wildcard and regex.
    """

    url: str
    kind: str
    action: str
    pattern: re.Pattern[str] | None = None

    @classmethod
    def of(cls, url: str, kind: str, action: str) -> UrlEntry:
        """An entry from its attributes.

        Raises:
            re.error: the regular expression is none.
        """
        pattern = None
        if kind == "regex":
            pattern = re.compile(url, re.IGNORECASE)
        elif kind == "wildcard":
            text = re.escape(_bare(url)).replace(r"\*", ".*").replace(r"\?", ".")
            pattern = re.compile(text, re.IGNORECASE)
        return cls(_bare(url), kind, action, pattern)

    def matches(self, host: str, path: str | None) -> bool:
        """Whether it is about a request.

        A simple entry is about that host alone (no neighbour, no sub-domain), or about what
        begins with its path there. A wildcard covers host or URL from end to end, a regular
        expression may hit anywhere in the URL.

        Args:
            host: without port, in small letters.
            path: with query; None where it cannot be seen (HTTPS).
        """
        if self.pattern is not None:
            if self.kind == "regex":
                return bool(self.pattern.search(host + (path or "")))
            return any(map(self.pattern.fullmatch, (host, host + (path or "/"))))
        name, slash, rest = self.url.partition("/")
        if name.lower() != host:
            return False
        wanted = slash + rest
        if wanted in ("", "/"):
            return True
        return path is not None and _below(path, wanted)


def _below(path: str, wanted: str) -> bool:
    return path.startswith(wanted) and (
        len(path) == len(wanted) or wanted.endswith("/") or path[len(wanted)] in "/?#"
    )


def _bare(url: str) -> str:
    """Without scheme, as the device compares it."""
    return re.sub(r"^[a-z]+://", "", url.strip(), flags=re.IGNORECASE)


def first_match(entries: Iterable[UrlEntry], host: str, path: str | None) -> UrlEntry | None:
    """The entry that decides."""
    return next((entry for entry in entries if entry.matches(host, path)), None)
