"""Parts of sentences on a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from markupsafe import Markup

from gatepass.base.chapters import short
from gatepass.base.printable import printable
from gatepass.report.wording import Wording
from gatepass.results.outcome import Check

MOST_NAMES = 3
"""Of more checks only their chapters are named."""
LONGEST_MESSAGE = 700
"""Letters; sentences with figures, likely cause and remedy have 600."""


def chapter(name: str, words: Wording) -> Markup:
    """A chapter's name; in the words of its suite where the language has none."""
    return words.named("chapters", short(name), name)


def check_name(check: Check, words: Wording) -> Markup:
    """A check by its chapter and its own name."""
    return chapter(check.chapter, words) + ": " + words.named("checks", check.name)


def names_of(checks: Sequence[Check], words: Wording) -> Markup:
    """Checks by their names, each leading to what was seen; of many how many of each chapter."""
    if len(checks) <= MOST_NAMES:
        return Markup("; ").join(linked(check, check_name(check, words)) for check in checks)
    counts = Counter(check.chapter for check in checks)
    return Markup("; ").join(
        linked(_first_of(name, checks), chapter(name, words)) + f" ({count})"
        for name, count in counts.items()
    )


def _first_of(name: str, checks: Sequence[Check]) -> Check:
    return next(check for check in checks if check.chapter == name)


def linked(check: Check, name: Markup) -> Markup:
    """A name as a link to what was seen of a check, if it leads anywhere."""
    there = target(check)
    return Markup('<a href="{}">{}</a>').format(there, name) if there else name


def target(check: Check) -> str:
    """Where a check leads, from the run's folder on; empty for one that did not run.

    It is what was seen when it failed, or else its place in the log. Both lie beside the page; a
    copy of it that went elsewhere leads nowhere, and says all the same.
    """
    return check.seen or (f"log.html#{check.place}" if check.place else "")


def capital(text: Markup) -> Markup:
    """A text as a sentence begins."""
    return text[:1].upper() + text[1:]


def join(parts: Iterable[str]) -> str:
    """Parts of a list in one line."""
    return ", ".join(part for part in parts if part)


def shortened(text: str, words: Wording, longest: int = LONGEST_MESSAGE) -> str:
    """A message without what would push everything else off the page."""
    text = " ".join(text.split())
    return text if len(text) <= longest else text[:longest].rstrip() + words["rest_in_report"]


def told(text: str, words: Wording, longest: int = LONGEST_MESSAGE) -> Markup:
    """The same in the page's language, as far as that has its sentences, by whole sentences."""
    text = " ".join(text.split())
    whole = text.rfind(". ", 0, longest) + 1
    if len(text) <= longest or not whole:
        return words.as_it_stands(shortened(text, words, longest))
    return words.as_it_stands(text[:whole]) + " " + words["rest_in_report"]


def filled(text: str, **parts: object) -> Markup:
    """A text of the language's file with its parts; what is no Markup among them is escaped."""
    clean = {
        name: printable(part) if isinstance(part, str) and not isinstance(part, Markup) else part
        for name, part in parts.items()
    }
    return Markup(text).format(**clean)
