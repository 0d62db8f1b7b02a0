"""The security log: one line of JSON an event. Who reads it keeps it short."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any


class SecurityLog:
    """Appends events to a file that others read."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, event: dict[str, Any]) -> None:
        """Append an event; the time is added."""
        line = json.dumps({"time": round(time.time(), 6), **event}) + "\n"
        # Opened each time: a reader may have replaced the file.
        fd = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.write(fd, line.encode())
        finally:
            os.close(fd)
