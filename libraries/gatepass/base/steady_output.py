"""What this program prints: nothing that steers a terminal, or ends a run that nobody reads."""

from __future__ import annotations

import os
import sys
from typing import Any, TextIO

from gatepass.base.printable import without_controls

CLEAR_LINE = "\r\033[K"


class PrintableOutput:
    """A stream that leaves out what would steer a terminal, whoever has put it into a text.

    Colours are let through, and the call that clears a line, where nothing else is written with it.

    Args:
        stream: of text.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write what can be printed of it."""
        self._stream.write(text if text == CLEAR_LINE else without_controls(text))
        return len(text)

    @property
    def whole(self) -> TextIO:
        """The stream itself, for who moves the cursor and prints words of its own alone."""
        return self._stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class SteadyOutput(PrintableOutput):
    """One that goes on in silence where its reader is gone or its disk is full.

    Otherwise the first line that cannot be written would end a run in the middle, with an exit code
    that says another verdict.

    Args:
        stream: of text, over a file descriptor.
    """

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._whole = bool(os.environ.get("GATEPASS_DEBUG"))

    def write(self, text: str) -> int:
        """Write, or drop it; of an error that comes with a traceback, its sentence alone."""
        if not self._whole:
            text = text.partition("\nTraceback (most recent call last):")[0]
        try:
            return super().write(text)
        except OSError:
            self._go_on()
            return len(text)

    def flush(self) -> None:
        """Flush, or drop what is there."""
        try:
            self._stream.flush()
        except OSError:
            self._go_on()

    def _go_on(self) -> None:
        """Let the rest go nowhere, also what the stream still holds and writes at the end."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)


def own_output(steady: bool) -> None:
    """Have all that this program prints go through such a stream, from now on.

    Args:
        steady: whether it goes on where nobody reads it any more.
    """
    stream = SteadyOutput if steady else PrintableOutput
    sys.stdout = sys.__stdout__ = stream(sys.stdout)  # type: ignore[assignment, misc]
    sys.stderr = sys.__stderr__ = stream(sys.stderr)  # type: ignore[assignment, misc]
