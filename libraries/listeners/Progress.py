"""Tells how far a run is, on the terminal and to who watches it: a chapter, then its checks."""

from __future__ import annotations

import sys
import textwrap

from gatepass.base.steady_output import CLEAR_LINE
from gatepass.results.chapters import chapter_of, uppermost
from gatepass.run.progress import tell

MOST_FIGURES = 2
"""Of a check on its line; the log has all."""
SYMBOLS = {"pass": "✓", "fail": "✗", "not proven": "?", "not applicable": "–"}
_WIDTH = 110


class Progress:
    """A listener for Robot's own ``--listener``."""

    ROBOT_LISTENER_API_VERSION = 3
    # after the listener that settles the verdict
    ROBOT_LISTENER_PRIORITY = -10

    def __init__(self) -> None:
        self._out = sys.__stdout__
        self._live = self._out.isatty()
        self._chapter: object = None

    def start_suite(self, data: object, result: object) -> None:
        """A chapter's name."""
        chapter = uppermost(data)
        if data.tests and chapter is not self._chapter:
            self._chapter = chapter
            self._say(f"\n{chapter.name}")
            tell("chapter", name=chapter.name)

    def start_test(self, data: object, result: object) -> None:
        """What is at work now; said on a terminal only."""
        tell("begins", name=data.name)
        if self._live:
            self._out.write(f"  … {data.name}")
            self._out.flush()

    def end_test(self, data: object, result: object) -> None:
        """Verdict, name, measured and required figure; the reason where it did not pass."""
        if self._live:
            self._out.write(CLEAR_LINE)
        verdict = result.metadata.get("Verdict", "not proven")
        measured = result.metadata.get("Measured", "")
        tell(
            "check",
            chapter=chapter_of(result).name,
            name=result.name,
            verdict=verdict,
            message=result.message,
            measured=measured,
        )
        wanted = result.metadata.get("Required", "")
        line = f"  {SYMBOLS[verdict]} {verdict:<14} {result.name}"
        figures = f"{measured.split(' (')[0]}, {wanted}" if measured and wanted else measured
        if "; " in measured:  # several figures: each with its requirement
            pairs = zip(measured.split("; "), wanted.split("; "), strict=False)
            told = [f"{one.split(' (')[0]}, {limit}" for one, limit in pairs]
            more = [f"and {len(told) - MOST_FIGURES} more"] * (len(told) > MOST_FIGURES)
            figures = "; ".join([*told[:MOST_FIGURES], *more])
        self._say(f"{line:<56} {figures}".rstrip())
        if verdict in ("fail", "not proven"):
            indent = " " * 19
            reason = textwrap.fill(result.message, _WIDTH - len(indent))
            self._say(textwrap.indent(reason, indent))

    def _say(self, text: str) -> None:
        self._out.write(text + "\n")
        self._out.flush()
