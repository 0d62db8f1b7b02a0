"""The page that leads to first failure data: what happened, the trials, then files by kind."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gatepass
from gatepass.report.failure_exchanges import Exchanges
from gatepass.report.failure_trials import picture, rows
from gatepass.report.page_template import template

UP = "../../../"
"""From a check's folder to the run's."""
_KINDS = (
    ("trials/", "Reports of its trials"),
    ("exchanges/", "All transfers and connections"),
    ("gateway/", "What the gateway showed"),
)
_OTHERS = "What the endpoints and the browser showed"
NOTHING_SEEN = Exchanges()


@dataclass(frozen=True)
class Subject:
    """A check.

    Attributes:
        chapter, name: of it.
        place: its id in Robot's log.
    """

    chapter: str
    name: str
    place: str = ""


@dataclass(frozen=True)
class Tried:
    """The trials of a check.

    Attributes:
        noted: what was noted of each.
        folder: that holds the run's trials.
        beside: addresses that are reached without the gateway.
        promised: rate that they are held against, Mbit/s; None where it is none.
    """

    noted: Sequence[Mapping[str, Any]] = ()
    folder: Path = Path()
    beside: Collection[str] = field(default=frozenset())
    promised: float | None = None


def render(
    about: Subject,
    message: str,
    kept: Sequence[tuple[str, str]],
    missing: Sequence[str],
    tried: Tried,
    seen: Exchanges = NOTHING_SEEN,
) -> str:
    """The page as HTML that needs nothing from elsewhere.

    Args:
        about: the check.
        message: why it did not pass.
        kept: name and meaning of each file, from the page's folder on.
        missing: what could not be had, in sentences.
        tried: its trials.
        seen: what went to and fro.
    """
    told = rows(tried.noted, tried.folder, tried.beside)
    hosts = dict.fromkeys(name for row in told for name in row.busy)
    lines = ("whole line", "dashed", "dotted")
    return template("failure.html").render(
        chapter=about.chapter,
        check=about.name,
        place=about.place,
        message=message,
        up=UP,
        rows=told,
        picture=picture(told, tried.promised),
        hosts=", ".join(f"{host}: {line}" for host, line in zip(hosts, lines, strict=False)),
        seen=seen,
        kinds=list(_kinds(kept)),
        missing=missing,
        gatepass=gatepass.__version__,
    )


def _kinds(kept: Sequence[tuple[str, str]]) -> Sequence[tuple[str, Sequence[tuple[str, str]]]]:
    found: dict[str, list[tuple[str, str]]] = {_OTHERS: [], **{name: [] for _, name in _KINDS}}
    for name, meaning in sorted(kept):
        heading = next((said for prefix, said in _KINDS if name.startswith(prefix)), _OTHERS)
        found[heading].append((name, meaning))
    order = (*(heading for _, heading in _KINDS), _OTHERS)
    return [(heading, found[heading]) for heading in order if found[heading]]
