"""The journal: what a run is about to do to the gateway, on disk before it is done.

One JSON object a line behind its check sum, synced before the call goes out, so that after a kill
the next run knows everything that may have been created. The file is locked while its run lives. A
line that was damaged later is left out and counted; what it announced is known by the run's mark.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import threading
import weakref
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from gatepass.base.formats import is_mark
from gatepass.base.ownership import distrust_of_run
from gatepass.base.paths import FLEET

NAME = "journal.jsonl"
_HEAD = ("mark", "serial", "testbed")
"""What the way back to a gateway needs."""


HostChanges = dict[str, dict[str, list[str]]]


_OPEN: weakref.WeakSet[Journal] = weakref.WeakSet()
"""Those that this process holds."""


@dataclass(eq=False)
class Journal:
    """The journal of one run.

    Attributes:
        path: the file.
        head: what is needed to find the gateway again: testbed, serial number, mark, …
        entries: what was announced, in order; a change with what came of it as ``now``.
        host_changes: by endpoint the scripts that undo what was changed there, each with the
            SHA-256 digests, hexadecimal, that it may have.
        troubles: states of the gateway that the testbed's commands brought about and did not end.
        closed: whether the gateway is known to be as it was.
        lost_lines: how many lines cannot be read any more; a last one that was cut off is not
            among them, as a kill does that before the call goes out.
        cut_off: whether it breaks off in the middle of a line.
    """

    path: Path
    head: dict = field(default_factory=dict)
    entries: list[dict] = field(default_factory=list)
    host_changes: HostChanges = field(default_factory=dict)
    troubles: list[str] = field(default_factory=list)
    closed: bool = False
    lost_lines: int = 0
    cut_off: bool = False
    _file: IO[str] | None = field(default=None, repr=False)
    _writing: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def damaged(self) -> bool:
        """Whether nobody can tell which gateway it is about."""
        known = all(isinstance(self.head.get(key), str) for key in _HEAD)
        return not (known and is_mark(self.head["mark"]))

    @property
    def strange(self) -> str:
        """Why it may be somebody else's, as the end of a sentence; empty where it is one's own."""
        return distrust_of_run(self.path)

    @classmethod
    def start(cls, path: Path, head: dict) -> Journal:
        """A new journal, locked by this process until it ends or `close` is called."""
        journal = cls(path, head)
        # it gets its name when its first line is on disk: one without was damaged, not killed
        unnamed = path.with_name(f".{path.name}")
        journal._file = unnamed.open("w", encoding="utf-8")
        fcntl.flock(journal._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        journal._write({"do": "start", **head})
        _OPEN.add(journal)
        if path.exists():
            raise FileExistsError(path)
        unnamed.rename(path)
        _sync(path.parent)
        return journal

    @classmethod
    def read(cls, path: Path) -> Journal:
        """The journal of an earlier run, as far as it can be read."""
        journal = cls(path)
        *whole, rest = path.read_bytes().split(b"\n")
        journal.cut_off = bool(rest)
        for line in whole:
            entry = _entry(line)
            if entry is None:
                journal.lost_lines += 1
            elif entry["do"] == "start":
                journal.head = entry
            elif entry["do"] == "close":
                journal.closed = True
            elif entry["do"] == "changed":
                journal._complete(entry)
            elif entry["do"] == "host":
                journal._know(entry)
            elif entry["do"] in ("trouble", "over"):
                journal._trouble(entry)
            else:
                journal.entries.append(entry)
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
        _OPEN.add(self)
        if not self.path.read_bytes().endswith(b"\n"):
            handle.write("\n")  # what comes next must not be lost in a line that a kill cut off
        return True

    def creates(self, path: str, mkeys: Sequence[str | int]) -> None:
        """Announce that rows of these keys will be created in a table."""
        self._add({"do": "create", "path": path, "mkeys": list(mkeys)})

    def changes(self, path: str, mkey: str | int | None, before: dict) -> None:
        """Announce that attributes of an existing object will be changed; `before` undoes it."""
        self._add({"do": "change", "path": path, "mkey": mkey, "before": before})

    def changed(self, path: str, mkey: str | int | None, now: dict) -> None:
        """What the device shows of attributes after their change, secrets as it masks them."""
        entry = {"do": "changed", "path": path, "mkey": mkey, "now": now}
        with self._writing:
            self._write(entry)
            self._complete(entry)

    def changes_host(self, endpoint: str, script: str, sha256: str) -> None:
        """Announce a change of an endpoint's own system, by the script there that undoes it."""
        entry = {"do": "host", "endpoint": endpoint, "script": script, "sha256": sha256}
        with self._writing:
            self._write(entry)
            self._know(entry)

    def begins(self, trouble: str) -> None:
        """Announce that a command of the testbed will bring a state of the gateway about."""
        self._tell_trouble({"do": "trouble", "name": trouble})

    def ended(self, trouble: str) -> None:
        """That state is over."""
        self._tell_trouble({"do": "over", "name": trouble})

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

    def _tell_trouble(self, entry: dict) -> None:
        with self._writing:
            self._write(entry)
            self._trouble(entry)

    def _trouble(self, entry: dict) -> None:
        name = entry["name"]
        others = [one for one in self.troubles if one != name]
        self.troubles = [*others, name] if entry["do"] == "trouble" else others

    def _complete(self, changed: dict) -> None:
        """Put what came of a change beside it."""
        for entry in reversed(self.entries):
            if entry["do"] == "change" and all(entry[k] == changed[k] for k in ("path", "mkey")):
                entry["now"] = changed["now"]
                return

    def _know(self, entry: dict) -> None:
        scripts = self.host_changes.setdefault(entry["endpoint"], {})
        scripts.setdefault(entry["script"], []).append(entry["sha256"])

    def _write(self, entry: dict) -> None:
        if self._file is None:
            raise RuntimeError("the journal is closed; nothing may be changed on the gateway")
        text = json.dumps(entry)
        self._file.write(f"{_sum(text.encode())} {text}\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def _entry(line: bytes) -> dict | None:
    """What a line announces; None where it is not what was written."""
    known, _, text = line.partition(b" ")
    if line.startswith(b"{"):  # of a version before check sums
        text = line
    elif known != _sum(text).encode():
        return None
    try:
        entry = json.loads(text)
        return entry if _SHAPES[entry["do"]](entry) else None
    except (ValueError, TypeError, KeyError):
        return None


def _created(entry: dict) -> bool:
    keys = entry["mkeys"]
    return isinstance(entry["path"], str) and isinstance(keys, list) and all(map(_key, keys))


def _changed(entry: dict) -> bool:
    named = entry["mkey"] is None or _key(entry["mkey"])
    values = entry["before" if entry["do"] == "change" else "now"]
    return isinstance(entry["path"], str) and named and isinstance(values, dict)


def _of_host(entry: dict) -> bool:
    script = entry["script"]
    named = isinstance(script, str) and re.fullmatch(r"[a-z-]+\.undo", script)
    digest = isinstance(entry["sha256"], str) and re.fullmatch(r"[0-9a-f]{64}", entry["sha256"])
    return bool(named and digest) and isinstance(entry["endpoint"], str)


def _troubled(entry: dict) -> bool:
    return isinstance(entry["name"], str)


def _key(value: object) -> bool:
    return isinstance(value, str | int)


_SHAPES: dict[str, Callable[[dict], bool]] = {
    "start": lambda entry: True,
    "create": _created,
    "change": _changed,
    "changed": _changed,
    "host": _of_host,
    "trouble": _troubled,
    "over": _troubled,
    "close": lambda entry: True,
}


def _sum(text: bytes) -> str:
    return f"{zlib.crc32(text):08x}"


def _sync(folder: Path) -> None:
    """A file's name is on disk only when its folder is."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def release_own() -> None:
    """Give up the locks of this process on journals, whoever still holds one of them."""
    for journal in list(_OPEN):
        journal.release()


def left_changed(folder: Path) -> bool:
    """Whether the run of this folder may have left its gateway changed."""
    path = folder / NAME
    return path.exists() and not Journal.read(path).closed


def pending(results: Path) -> list[Journal]:
    """The journals below a results folder that were never closed, newest first."""
    paths = [*results.glob(f"*/{NAME}"), *results.glob(f"{FLEET}*/*/*/{NAME}")]
    files = [path for path in paths if path.is_file()]
    found = [Journal.read(path) for path in sorted(files, key=_begun, reverse=True)]
    return [journal for journal in found if not journal.closed]


def _begun(path: Path) -> str:
    """What sorts journals by the time that their runs began: the names of folders tell it."""
    return path.as_posix().replace(f"/{FLEET}", "/")
