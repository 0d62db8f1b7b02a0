"""Reading a run's facts, of which any may be missing where the run ended early."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from markupsafe import Markup

from gatepass.wording import Wording, printable

LONGEST_MESSAGE = 700
"""Letters; sentences with figures, likely cause and remedy have 600."""


def group(facts: object, *keys: str) -> dict[str, Any]:
    """The group of facts under these keys, one within the other; empty where there is none."""
    for key in keys:
        facts = facts.get(key) if isinstance(facts, dict) else None
    return facts if isinstance(facts, dict) else {}


def join(parts: Iterable[str]) -> str:
    """Parts of a list in one line."""
    return ", ".join(part for part in parts if part)


def shortened(text: str, words: Wording, longest: int = LONGEST_MESSAGE) -> str:
    """A message without what would push everything else off the page."""
    text = " ".join(text.split())
    return text if len(text) <= longest else text[:longest].rstrip() + words["rest_in_report"]


def filled(text: str, **parts: object) -> Markup:
    """A text of the language's file with its parts; what is no Markup among them is escaped."""
    clean = {
        name: printable(part) if isinstance(part, str) and not isinstance(part, Markup) else part
        for name, part in parts.items()
    }
    return Markup(text).format(**clean)
