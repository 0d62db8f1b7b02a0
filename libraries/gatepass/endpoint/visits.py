"""What a run may have left on the endpoints: on disk before it is there, until it is known gone.

An endpoint may be out of reach when its run ends, and the gateway be as it was all the same: so
this has a file of its own beside the gateway's journal. It is locked while its run lives.
"""

from __future__ import annotations

import fcntl
import json
import os
import weakref
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from gatepass.base import namespace
from gatepass.base.formats import is_mark
from gatepass.base.ownership import distrust_of_run
from gatepass.base.paths import FLEET, run_name

NAME = "endpoints.jsonl"
_HEAD = ("mark", "testbed")
"""What the way back to the endpoints needs."""
_OPEN: weakref.WeakSet[Visits] = weakref.WeakSet()
"""Those that this process holds."""


@dataclass(eq=False)
class Visits:
    """The endpoints of one run.

    Attributes:
        path: the file.
        head: what is needed to find them again: mark, testbed, namespace.
        left: by endpoint where it was reached, as `host:port`, while it is not known to be clean.
    """

    path: Path
    head: dict = field(default_factory=dict)
    left: dict[str, str] = field(default_factory=dict)
    _file: IO[str] | None = field(default=None, repr=False)

    @classmethod
    def start(cls, path: Path, mark: str, testbed: Path, network_namespace: str | None) -> Visits:
        """A new file, locked by this process until it ends or `release` is called."""
        head = {
            "mark": mark,
            "testbed": str(testbed.resolve()),
            "namespace": network_namespace or "",
            "namespace_inode": namespace.inode(network_namespace),
        }
        visits = cls(path, head)
        visits._take(path.open("x", encoding="utf-8"))
        visits._write({"do": "start", **head})
        return visits

    @classmethod
    def read(cls, path: Path) -> Visits:
        """Those of an earlier run; lines that cannot be read are left out."""
        visits = cls(path)
        for line in path.read_bytes().split(b"\n"):
            try:
                entry = json.loads(line)
                do, endpoint = entry["do"], entry.get("endpoint", "")
            except (ValueError, TypeError, KeyError, AttributeError):
                continue
            if do == "start":
                visits.head = entry
            elif do == "visit" and isinstance(endpoint, str):
                visits.left[endpoint] = str(entry.get("where", ""))
            elif do == "clean":
                visits.left.pop(endpoint, None)
        return visits

    @classmethod
    def of(cls, folder: Path) -> Visits | None:
        """Those of the run of this folder; None where it noted none."""
        path = folder / NAME
        return cls.read(path) if path.is_file() else None

    @property
    def damaged(self) -> bool:
        """Whether nobody can tell which testbed they are of."""
        known = all(isinstance(self.head.get(key), str) for key in _HEAD)
        return not (known and is_mark(self.head["mark"]))

    @property
    def strange(self) -> str:
        """Why it may be somebody else's, as the end of a sentence; empty where it is one's own."""
        return distrust_of_run(self.path)

    @property
    def gone(self) -> bool:
        """Whether they lived behind a network namespace that has ended, as a lab's do."""
        path = self.head.get("namespace")
        if not path or not isinstance(path, str):
            return False
        return namespace.inode(path) != self.head.get("namespace_inode")

    @property
    def held(self) -> bool:
        """Whether this process has them locked."""
        return self._file is not None

    @property
    def sentence(self) -> str:
        """What is left where, and the call to make; empty where nothing is."""
        if not self.left:
            return ""
        where = " and ".join(f"{name} ({at})" for name, at in self.left.items())
        return (
            f"Something of the run may be left on the {where}. Call ./run.sh restore "
            f"{run_name(self.path.parent)} when that can be reached."
        )

    def adopt(self) -> bool:
        """Take over those of an earlier run; False while that run still lives."""
        handle = self.path.open("a", encoding="utf-8")
        try:
            self._take(handle)
        except BlockingIOError:
            handle.close()
            return False
        if not self.path.read_bytes().endswith(b"\n"):
            handle.write("\n")  # a kill cut the last line off
        return True

    def begin(self, endpoint: str, where: str) -> None:
        """Note that something is about to be put on an endpoint."""
        if endpoint not in self.left:
            self._write({"do": "visit", "endpoint": endpoint, "where": where})
            self.left[endpoint] = where

    def end(self, endpoint: str) -> None:
        """Note that nothing of the run is left there."""
        if endpoint in self.left:
            self._write({"do": "clean", "endpoint": endpoint})
            del self.left[endpoint]

    def release(self) -> None:
        """Give up the lock; a later `restore` does the rest."""
        if self._file:
            self._file.close()
            self._file = None

    def _take(self, handle: IO[str]) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._file = handle
        _OPEN.add(self)

    def _write(self, entry: dict) -> None:
        if self._file is None:
            raise RuntimeError("the record of endpoints is closed; nothing may be put on them")
        self._file.write(json.dumps(entry) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def release_own() -> None:
    """Give up the locks of this process."""
    for visits in list(_OPEN):
        visits.release()


def left_there(results: Path) -> list[Visits]:
    """Of the runs below a results folder those that may have left something, newest first."""
    paths = [*results.glob(f"*/{NAME}"), *results.glob(f"{FLEET}*/*/*/{NAME}")]
    begun = sorted(paths, key=lambda path: path.as_posix().replace(f"/{FLEET}", "/"), reverse=True)
    found = [Visits.read(path) for path in begun if path.is_file()]
    return [visits for visits in found if visits.left or visits.damaged]


def left_on_endpoints(folder: Path) -> str:
    """What the run of this folder may have left on endpoints, and what to do; empty for nothing."""
    visits = Visits.of(folder)
    return visits.sentence if visits else ""
