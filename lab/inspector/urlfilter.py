"""Entries of a static URL filter.

Expressions are matched by RE2, which takes time in proportion to what it looks at, whatever the
expression: one that backtracks could be made to hang every inspected session by a single URL.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import re2


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
    pattern: Any = None

    @classmethod
    def of(cls, url: str, kind: str, action: str) -> UrlEntry:
        """An entry from its attributes.

        Raises:
            ValueError: the regular expression is none, see `expression`.
        """
        pattern = None
        if kind == "regex":
            pattern = expression(url)
        elif kind == "wildcard":
            text = re2.escape(_bare(url)).replace(r"\*", ".*").replace(r"\?", ".")
            pattern = expression(f"(?s){text}")  # a line feed is a character like any other
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


def expression(text: str) -> Any:
    """A regular expression, whatever the case of its letters, in RE2's syntax.

    Raises:
        ValueError: it is none, or has what cannot be matched in linear time (look-around,
            back-references, atomic groups, possessive quantifiers); the text says which.
    """
    options = re2.Options()
    options.case_sensitive, options.log_errors = False, False
    try:
        return re2.compile(text, options)
    except re2.error as error:
        reason = error.args[0]
        raise ValueError(reason.decode() if isinstance(reason, bytes) else reason) from None


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
