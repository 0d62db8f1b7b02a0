"""What the rig did while a trial ran: each endpoint keeps watch on itself, and is asked afterwards.

The watch is a small program of the run's own (`gatepass.endpoint.remote.rig_watch`), at work from
the first use of an endpoint until its folder is removed. Where an endpoint lies on the machine that
runs the test, as in a lab, that machine is watched as well: it sees the kernel's threads and all
programs.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from gatepass.base.environment import without_secrets
from gatepass.endpoint.probe import install
from gatepass.endpoint.shell import Detached, EndpointLost, ProgramEnded, Shell
from gatepass.results.conduct import OWN, Conduct

INTERVAL_S = 0.1
EDGE_S = INTERVAL_S
"""The line before a time's first one and the one behind its last stand for its edges."""
_LIMIT_S = 48 * 3600
"""No trial is longer than a day; the watch is begun anew where it has ended."""
_UPTIME = "read -r u x </proc/uptime; echo $u"
_BOOT = "/proc/sys/kernel/random/boot_id"


class EndpointWatch:
    """The watch on an endpoint.

    Args:
        shell: the endpoint.
    """

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._program: Detached | None = None

    def now(self) -> float:
        """Its seconds since it was started; the watch is begun where it is not at work.

        Raises:
            NotProven: the endpoint is lost.
        """
        stem = f"{self._shell.folder()}/watch"
        at_work = self._program is not None
        done = self._shell.run(f"{_UPTIME}; [ ! -f {stem}.rc ] || echo ended", again=True)
        moment, *ended = done.output.split()
        if not at_work or ended:
            self._begin(stem)
        return float(moment)

    def between(self, began: float, ended: float) -> Conduct | None:
        """What the endpoint did between two moments of its `now`."""
        if self._program is None:
            return None
        file = f"{self._shell.folder()}/watch.lines"
        chosen = f"$2 >= {began - EDGE_S:.3f} && $2 <= {ended + EDGE_S:.3f}"
        look = f"cat {file}.1 {file} 2>/dev/null | awk -F '[:,]' '{chosen}'"
        return Conduct.of(within(self._shell.run(look, again=True).output, began, ended))

    def end(self) -> None:
        """End it, where the endpoint is still there."""
        if self._program is not None:
            with contextlib.suppress(EndpointLost):
                self._program.stop()

    def _begin(self, stem: str) -> None:
        script = install(self._shell, "rig_watch.py")
        command = f"python3 {script} {INTERVAL_S:g} {stem}.lines"
        try:
            self._program = Detached.start(
                self._shell, stem, command, _LIMIT_S, f"[ -s {stem}.lines ]", ahead=True
            )
        except ProgramEnded:  # what it would have told is missing then, and nothing else
            self._program = None


class OwnWatch:
    """The watch on the machine that runs the test; it ends with this process.

    Args:
        folder: where its files may lie; they are removed.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / ".watch.lines"
        script = Path(__file__).with_name("remote") / "rig_watch.py"
        words = [sys.executable, str(script), f"{INTERVAL_S:g}", str(self._file)]
        self._program = subprocess.Popen(
            [*words, str(os.getpid())],
            env=without_secrets(),
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def now(self) -> float:
        """Seconds since the machine was started."""
        return time.clock_gettime(time.CLOCK_BOOTTIME)

    def between(self, began: float, ended: float) -> Conduct | None:
        """What the machine did between two moments of its `now`."""
        lines = "".join(path.read_text() for path in self._files() if path.exists())
        return Conduct.of(within(lines, began, ended))

    def end(self) -> None:
        """End it and remove its files."""
        self._program.terminate()
        self._program.wait()
        for path in self._files():
            path.unlink(missing_ok=True)

    def _files(self) -> tuple[Path, Path]:
        return self._file.with_name(f"{self._file.name}.1"), self._file


class RigWatch:
    """All hosts of the rig that keep watch on themselves.

    Args:
        folder: of the run, for the files of the watch on this machine.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._watches: dict[str, EndpointWatch | OwnWatch] = {}

    def mark(self, shells: Mapping[str, Shell]) -> dict[str, float]:
        """This moment on each of the hosts, by their own clocks, for `since`.

        Args:
            shells: the endpoints that matter, by name.
        """
        for name, shell in shells.items():
            if name not in self._watches:
                self._watches[name] = EndpointWatch(shell)
                if OWN not in self._watches and _is_here(shell):
                    self._watches[OWN] = OwnWatch(self._folder)
        watches = {name: self._watches[name] for name in (*shells, OWN) if name in self._watches}
        return {name: watch.now() for name, watch in watches.items()}

    def since(self, marked: Mapping[str, float]) -> dict[str, Conduct]:
        """What each of these hosts did since then, as far as it tells."""
        found = {
            name: self._watches[name].between(began, self._watches[name].now())
            for name, began in marked.items()
        }
        return {name: conduct for name, conduct in found.items() if conduct is not None}

    def end(self) -> None:
        """End all of it."""
        for watch in self._watches.values():
            watch.end()
        self._watches.clear()


def _is_here(shell: Shell) -> bool:
    """Whether an endpoint lies on this machine, in a container or a namespace of it."""
    output = shell.run(f"cat {_BOOT}", again=True).output.strip()
    return bool(output) and output == Path(_BOOT).read_text().strip()


def within(text: str, began: float, ended: float) -> list[dict]:
    """The watch's lines of a time, and a little around it; a line that is being written is none."""
    found = []
    for line in text.splitlines():
        try:
            sample = json.loads(line)
        except ValueError:
            continue
        if began - EDGE_S <= sample["at"] <= ended + EDGE_S:
            found.append(sample)
    return found
