"""Output of a program whose exit code matters more than whether anybody reads what it says."""

from __future__ import annotations

import os
import sys
from typing import Any, TextIO


class SteadyOutput:
    """A stream that goes on in silence where its reader is gone or its disk is full.

    Otherwise the first line that cannot be written would end a run in the middle, with an exit code
    that says another verdict.

    Args:
        stream: of text, over a file descriptor.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._whole = bool(os.environ.get("GATEPASS_DEBUG"))

    def write(self, text: str) -> int:
        """Write, or drop it; of an error that comes with a traceback, its sentence alone."""
        if not self._whole:
            text = text.partition("\nTraceback (most recent call last):")[0]
        try:
            return self._stream.write(text)
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

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def keep_going() -> None:
    """Have this program's own output be steady, from now on."""
    sys.stdout = sys.__stdout__ = SteadyOutput(sys.stdout)  # type: ignore[assignment, misc]
    sys.stderr = sys.__stderr__ = SteadyOutput(sys.stderr)  # type: ignore[assignment, misc]
