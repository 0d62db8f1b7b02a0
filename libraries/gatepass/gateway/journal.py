"""The journal: what a run is about to do to the gateway, on disk before it is done.

One JSON object a line, synced before the call goes out, so that after a kill the next run knows
everything that may have been created. The file is locked while its run lives.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from gatepass.base.paths import FLEET

NAME = "journal.jsonl"
_HEAD = ("mark", "serial", "testbed")
"""What the way back to a gateway needs."""


@dataclass
class Journal:
    """The journal of one run.

    Attributes:
        path: the file.
        head: what is needed to find the gateway again: testbed, serial number, mark, …
        entries: what was announced, in order.
        closed: whether the gateway is known to be as it was.
        begun: whether there is a whole line in it; a kill may come before.
    """

    path: Path
    head: dict = field(default_factory=dict)
    entries: list[dict] = field(default_factory=list)
    closed: bool = False
    begun: bool = False
    _file: IO[str] | None = field(default=None, repr=False)
    _writing: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def pending(self) -> bool:
        """Whether its run may have left the gateway changed."""
        return self.begun and not self.closed

    @property
    def damaged(self) -> bool:
        """Whether nobody can tell which gateway it is about."""
        return not all(isinstance(self.head.get(key), str) for key in _HEAD)

    @classmethod
    def start(cls, path: Path, head: dict) -> Journal:
        """A new journal, locked by this process until it ends or `close` is called."""
        journal = cls(path, head)
        journal._file = path.open("x", encoding="utf-8")
        fcntl.flock(journal._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        journal._write({"do": "start", **head})
        return journal

    @classmethod
    def read(cls, path: Path) -> Journal:
        """The journal of an earlier run; a last line cut off by a kill is left out."""
        journal = cls(path)
        *whole, _ = path.read_text(encoding="utf-8", errors="replace").split("\n")
        for line in whole:
            try:
                entry = json.loads(line)
                kind = entry["do"]
            except (ValueError, TypeError, KeyError):
                continue  # cut off by a kill
            if kind == "start":
                journal.head = entry
            elif kind == "close":
                journal.closed = True
            else:
                journal.entries.append(entry)
        journal.begun = bool(whole)
        return journal

    def adopt(self) -> bool:
        """Take over an earlier run's journal for its undoing; False while that run still lives."""
        handle = self.path.open("a", encoding="utf-8")
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            handle.close()
            return False
        self._file = handle
        if not self.path.read_text(encoding="utf-8").endswith("\n"):
            handle.write("\n")  # what comes next must not be lost in a line that a kill cut off
        return True

    def creates(self, path: str, mkeys: Sequence[str | int]) -> None:
        """Announce that rows of these keys will be created in a table."""
        self._add({"do": "create", "path": path, "mkeys": list(mkeys)})

    def changes(self, path: str, mkey: str | int | None, before: dict) -> None:
        """Announce that attributes of an existing object will be changed; `before` undoes it."""
        self._add({"do": "change", "path": path, "mkey": mkey, "before": before})

    def close(self) -> None:
        """The gateway is as it was: nothing is left to undo."""
        if not self.closed:
            self._write({"do": "close"})
            self.closed = True
        self.release()

    def release(self) -> None:
        """Give up the lock and leave the journal open for a later `restore`."""
        if self._file:
            self._file.close()
            self._file = None

    def _add(self, entry: dict) -> None:
        with self._writing:  # several connections may be at work
            self._write(entry)
            self.entries.append(entry)

    def _write(self, entry: dict) -> None:
        if self._file is None:
            raise RuntimeError("the journal is closed; nothing may be changed on the gateway")
        self._file.write(json.dumps(entry) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def left_changed(folder: Path) -> bool:
    """Whether the run of this folder may have left its gateway changed."""
    path = folder / NAME
    return path.exists() and Journal.read(path).pending


def pending(results: Path) -> list[Journal]:
    """The journals below a results folder that were never closed, newest first."""
    paths = [*results.glob(f"*/{NAME}"), *results.glob(f"{FLEET}*/*/*/{NAME}")]
    files = [path for path in paths if path.is_file()]
    found = [Journal.read(path) for path in sorted(files, key=_begun, reverse=True)]
    return [journal for journal in found if journal.pending]


def _begun(path: Path) -> str:
    """What sorts journals by the time that their runs began: the names of folders tell it."""
    return path.as_posix().replace(f"/{FLEET}", "/")
