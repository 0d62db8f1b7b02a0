"""pabot's own lock server in a process, and runs of a fleet that take turns there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from gatepass.run.lock_server import LockServer, ServerLost
from gatepass.run.turns import PLACE
from shared_turns import serve

PROJECT = Path(__file__).resolve().parents[2]
LIBRARIES = PROJECT / "libraries"
_PATIENCE_S = 120
"""After which a test is stuck; nothing is asserted about times."""


def until(holds: Callable[[], object], what: str) -> None:
    """Wait for something that has to come."""
    give_up = time.monotonic() + _PATIENCE_S
    while not holds():
        assert time.monotonic() < give_up, f"still waiting: {what}"
        time.sleep(0.01)


@dataclass
class Server:
    """A lock server at work."""

    socket: str
    process: subprocess.Popen[bytes]

    def end(self) -> None:
        """End it, as the fleet's end would."""
        self.process.terminate()
        self.process.wait(timeout=60)


@contextmanager
def lock_server(folder: Path) -> Iterator[Server]:
    """One for as long as the block lasts."""
    path = folder / "turns.sock"
    server = Server(str(path), serve(path))
    try:
        until(lambda: _answers(server.socket), "the lock server starts")
        yield server
    finally:
        server.end()


def _answers(socket: str) -> bool:
    try:
        LockServer(socket).get("anything")
    except ServerLost:
        return False
    return True


@dataclass
class Fleet:
    """Runs that share one lock server and one list of what happened.

    Args:
        socket: of the server.
        folder: for their files.
        slots: how many runs there may be.
    """

    socket: str
    folder: Path
    slots: int = 4
    processes: list[subprocess.Popen[str]] = field(default_factory=list)

    @property
    def list(self) -> Path:
        """What happened, in its order."""
        return self.folder / "happened.txt"

    def environment(self, slot: int, resources: Sequence[str]) -> dict[str, str]:
        """What tells a run of its place in the fleet."""
        name = "abcdefghij"[slot]
        place = {"socket": self.socket, "caller": f"caller-{name}-{len(self.processes)}"}
        place |= {"order": name, "resources": list(resources), "slot": slot, "slots": self.slots}
        return {
            **os.environ,
            "PYTHONPATH": str(LIBRARIES),
            PLACE: json.dumps(place),
            "GATEPASS_PROGRESS": str(self.folder / f"{name}.jsonl"),
        }

    @property
    def link(self) -> str:
        """What its runs share, which no other test's do."""
        return f"link of {self.folder.name}"

    def start(self, slot: int, *turns: str, resources: Sequence[str] = ()) -> Run:
        """Start a run that takes these turns, such as "talk 0.1", "measure 0.1" or "talk held"."""
        program = Path(__file__).with_name("turn_taker.py")
        process = subprocess.Popen(
            [sys.executable, str(program), str(self.list), *turns],
            env=self.environment(slot, resources or [self.link]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.processes.append(process)
        return Run("abcdefghij"[slot], process, self)

    def happened(self) -> list[tuple[str, ...]]:
        """Order, "takes" or "ends" or "lost", and the kind of turn; in their order."""
        text = self.list.read_text() if self.list.exists() else ""
        return [tuple(line.split()) for line in text.splitlines()]

    def end(self) -> None:
        """End what is still at work."""
        for process in self.processes:
            process.kill()
            process.communicate(timeout=60)


@dataclass
class Run:
    """One of its runs."""

    name: str
    process: subprocess.Popen[str]
    fleet: Fleet

    @property
    def caller(self) -> str:
        """Its id on the lock server."""
        return f"caller-{self.name}-{self.fleet.processes.index(self.process)}"

    def has(self, event: str, kind: str, times: int = 1) -> bool:
        """Whether this has happened so often."""
        assert self.process.poll() in (None, 0), self.process.communicate()[0]
        return self.fleet.happened().count((self.name, event, kind)) >= times

    def waits(self) -> list[dict]:
        """What it told its fleet about waiting."""
        file = self.fleet.folder / f"{self.name}.jsonl"
        told = file.read_text().splitlines() if file.exists() else []
        return [one for one in map(json.loads, told) if one["event"] in ("waits", "goes on")]

    def let_go(self) -> None:
        """End a turn that is held."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def ended(self) -> str:
        """What it said, once it has ended well."""
        output, _ = self.process.communicate(timeout=_PATIENCE_S)
        assert self.process.returncode == 0, output
        return output
