"""The security log: one line of JSON an event, the newest ten thousand of them."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

KEPT = 10_000
_SPARE = 2_000


class SecurityLog:
    """Appends events to a file that others read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = self._count()

    def _count(self) -> int:
        try:
            with self._path.open("rb") as lines:
                return sum(1 for _ in lines)
        except FileNotFoundError:
            return 0

    def write(self, event: dict[str, Any]) -> None:
        """Append an event; the time is added."""
        line = json.dumps({"time": round(time.time(), 6), **event}) + "\n"
        # Opened each time: a reader may have replaced the file.
        fd = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.write(fd, line.encode())
        finally:
            os.close(fd)
        self._lines += 1
        if self._lines >= KEPT + _SPARE:
            self._shorten()

    def _shorten(self) -> None:
        kept = self._path.read_bytes().splitlines(keepends=True)[-KEPT:]
        new = self._path.with_suffix(".new")
        new.write_bytes(b"".join(kept))
        new.replace(self._path)
        self._lines = len(kept)
