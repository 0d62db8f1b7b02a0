"""The log of the security services: one JSON object a line, written by the inspector.

The file is only appended to by others. It is cut here to the newest events, in place, as a writer
may hold it open for years.
"""

from __future__ import annotations

import json
import os
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Any

from lab.gateway.periodic import Periodic

MOST_EVENTS = 10_000
# How many more lines the file may have before it is cut: cutting copies what is kept.
_SLACK = 2_000
# How much of what was read last is held against the file, to tell it from another.
_TAIL_BYTES = 256
_LATEST = 1e11
"""Seconds since 1970 beyond which a time is a mistake."""

Event = dict[str, Any]


class GatewayLog(Periodic):
    """Reads the log as it grows.

    Args:
        file: where the inspector writes.
    """

    seconds = 30

    def __init__(self, file: Path) -> None:
        self._file = file
        self._events: deque[Event] = deque(maxlen=MOST_EVENTS)
        self._offset = 0
        self._lines = 0
        self._tail = b""

    async def tick(self) -> None:
        """Keep the file bounded although nobody reads it."""
        with suppress(OSError):
            self.events()

    def events(self) -> list[Event]:
        """The events, newest first, as far as their lines are complete."""
        try:
            descriptor = os.open(self._file, os.O_RDWR)
        except FileNotFoundError:
            self._forget()
            return []
        with os.fdopen(descriptor, "rb+", buffering=0) as handle:
            self._read(handle.fileno())
            if self._lines > MOST_EVENTS + _SLACK:
                self._cut(handle.fileno())
        return list(reversed(self._events))

    def _forget(self) -> None:
        self._events.clear()
        self._offset = self._lines = 0
        self._tail = b""

    def _read(self, file: int) -> None:
        """Take in the lines since the last look; a file with another content is read anew."""
        tail = _pread(file, self._offset - len(self._tail), len(self._tail))
        if tail != self._tail:
            self._forget()
        data = _pread(file, self._offset, os.fstat(file).st_size - self._offset)
        end = data.rfind(b"\n") + 1
        for line in data[:end].splitlines():
            self._lines += 1
            event = _event(line)
            if event is not None:
                self._events.append(event)
        self._offset += end
        self._tail = (self._tail + data[:end])[-_TAIL_BYTES:]

    def _cut(self, file: int) -> None:
        """Keep the newest lines, and what is appended meanwhile."""
        data = _pread(file, 0, os.fstat(file).st_size)
        kept = b"".join(data.splitlines(keepends=True)[-MOST_EVENTS:])
        os.pwrite(file, kept, 0)
        size, seen = len(kept), len(data)
        while late := _pread(file, seen, os.fstat(file).st_size - seen):
            os.pwrite(file, late, size)
            size, seen = size + len(late), seen + len(late)
        os.ftruncate(file, size)
        # Half a line at the end, and what came late, is in the file and was not taken in.
        self._offset = kept.rfind(b"\n") + 1
        self._tail = kept[: self._offset][-_TAIL_BYTES:]
        self._lines = MOST_EVENTS


def _pread(file: int, offset: int, length: int) -> bytes:
    parts = []
    while length > 0 and (part := os.pread(file, length, offset)):
        parts.append(part)
        offset, length = offset + len(part), length - len(part)
    return b"".join(parts)


def _event(line: bytes) -> Event | None:
    """An event; None for a line that is none, as a writer that was killed leaves it."""
    try:
        event = json.loads(line)
    except ValueError:
        return None
    moment = event.get("time") if isinstance(event, dict) else None
    return event if isinstance(moment, (int, float)) and 0 <= moment < _LATEST else None
