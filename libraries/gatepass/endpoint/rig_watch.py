"""What the rig did while a trial ran: each endpoint keeps watch on itself, and is asked afterwards.

The watch is a small program of the run's own (`gatepass.endpoint.remote.rig_watch`), at work from
the first use of an endpoint until its folder is removed. Where an endpoint lies on the machine that
runs the test, as in a lab, that machine is watched as well: it sees the kernel's threads and all
programs.
"""

from __future__ import annotations

import contextlib
import math
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, TypeAdapter, ValidationError

from gatepass.base.environment import without_secrets
from gatepass.base.figures import Count, Figures, Finite, NotNegative
from gatepass.base.finding import Finding
from gatepass.base.printable import shown
from gatepass.endpoint.probe import install, run_script
from gatepass.endpoint.script import script
from gatepass.endpoint.shell import Detached, EndpointLost, ProgramEnded, Shell
from gatepass.results.conduct import OWN, Conduct

INTERVAL_S = 0.1
EDGE_S = INTERVAL_S
"""The line before a time's first one and the one behind its last stand for its edges."""
_LIMIT_S = 48 * 3600
"""No trial is longer than a day; the watch is begun anew where it has ended."""
_BOOT = "/proc/sys/kernel/random/boot_id"


_PROGRAM, _LOOK_S, _LONGEST = "rig_watch.py", 15, 200
_MOMENT: TypeAdapter[float] = TypeAdapter(NotNegative)


class _Line(Figures):
    """Running totals at a moment, see `remote/rig_watch.py`."""

    at: NotNegative
    late: NotNegative
    longest: NotNegative
    stepped: Finite
    idle: NotNegative
    steal: NotNegative = 0.0
    soft: NotNegative = 0.0
    all: NotNegative
    pressure: NotNegative = 0.0
    nic_lost: Count
    socket_lost: Count
    packets_waited: NotNegative = 0.0
    links: Mapping[str, tuple[Count, Count, Count]] = Field(default_factory=dict)
    programs: Mapping[str, NotNegative] = Field(default_factory=dict)


class EndpointWatch:
    """The watch on an endpoint.

    Args:
        shell: the endpoint.
    """

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._program: Detached | None = None

    def now(self) -> float | None:
        """Its seconds since it was started; the watch is begun where it is not at work.

        Returns:
            By the clock that the watch itself goes by; None where it does not tell.

        Raises:
            NotProven: the endpoint is lost.
        """
        stem, program = f"{self._shell.folder()}/watch", install(self._shell, _PROGRAM)
        at_work = self._program is not None
        look = script(
            "python3 {program} now; [ ! -f {status} ] || echo ended",
            program=program,
            status=f"{stem}.rc",
        )
        moment, *ended = self._shell.run(look, again=True).output.splitlines() or [""]
        if not at_work or ended:
            self._begin(stem, program)
        return _moment(moment)

    def between(self, began: float | None, ended: float | None) -> Conduct | None:
        """What the endpoint did between two moments of its `now`; None where it does not tell."""
        if self._program is None or began is None or ended is None:
            return None
        look = script(
            "python3 {program} between {file} {began} {ended}",
            program=install(self._shell, _PROGRAM),
            file=f"{self._shell.folder()}/watch.lines",
            began=began - EDGE_S,
            ended=ended + EDGE_S,
        )
        return Conduct.of(within(self._shell.run(look, again=True).output, began, ended))

    def end(self) -> None:
        """End it, where the endpoint is still there."""
        if self._program is not None:
            with contextlib.suppress(EndpointLost):
                self._program.stop()

    def _begin(self, stem: str, program: str) -> None:
        lines = f"{stem}.lines"
        command = script(
            "python3 {program} {interval_s:g} {lines}",
            program=program,
            interval_s=INTERVAL_S,
            lines=lines,
        )
        try:
            self._program = Detached.start(
                self._shell,
                stem,
                command,
                _LIMIT_S,
                script("[ -s {lines} ]", lines=lines),
                ahead=True,
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
        program = Path(__file__).with_name("remote") / _PROGRAM
        words = [sys.executable, str(program), f"{INTERVAL_S:g}", str(self._file)]
        self._program = subprocess.Popen(
            [*words, str(os.getpid())],
            env=without_secrets(),
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def now(self) -> float:
        """Seconds since the machine was started."""
        return time.clock_gettime(time.CLOCK_BOOTTIME)

    def between(self, began: float | None, ended: float | None) -> Conduct | None:
        """What the machine did between two moments of its `now`."""
        if began is None or ended is None:
            return None
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

    Attributes:
        unwatched: of endpoints that did not tell what they did, how often not.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.unwatched: Counter[str] = Counter()
        self._watches: dict[str, EndpointWatch | OwnWatch] = {}

    def mark(self, shells: Mapping[str, Shell]) -> dict[str, float | None]:
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

    def since(self, marked: Mapping[str, float | None]) -> dict[str, Conduct]:
        """What each of these hosts did since then; those that do not tell are left out."""
        found = {
            name: self._watches[name].between(began, self._watches[name].now())
            for name, began in marked.items()
        }
        self.unwatched.update(
            name for name, conduct in found.items() if conduct is None and name != OWN
        )
        return {name: conduct for name, conduct in found.items() if conduct is not None}

    def end(self) -> None:
        """End all of it."""
        for watch in self._watches.values():
            watch.end()
        self._watches.clear()


def _is_here(shell: Shell) -> bool:
    """Whether an endpoint lies on this machine, in a container or a namespace of it."""
    output = shell.run(script("cat {boot}", boot=_BOOT), again=True).output.strip()
    return bool(output) and output == Path(_BOOT).read_text().strip()


def look(shell: Shell, keeps: tuple[str, ...]) -> list[Finding]:
    """Whether an endpoint can tell what it does while trials run; nothing is left there.

    Args:
        shell: the endpoint.
        keeps: the chapters whose figures are held against what it did.

    Raises:
        EndpointLost: it cannot be reached.
    """
    done = run_script(shell, _PROGRAM, ["once", f"{INTERVAL_S:g}"], _LOOK_S)
    if Conduct.of(within(done.output, -math.inf, math.inf)) is not None:
        return []
    words = (done.errors.strip() or "it does not tell all that is needed").splitlines()[-1]
    what = (
        f"the {shell.name} cannot be watched while trials run, so that what else it does would "
        f"not be seen: {shown(words, _LONGEST)}"
    )
    remedy = (
        "It needs Python 3.9 or later, and its kernel's figures in /proc/stat, /proc/net/dev, "
        "/proc/net/softnet_stat, /proc/net/snmp and /proc/net/netstat."
    )
    return [Finding(shell.name, what, remedy, keeps)]


def _moment(text: str) -> float | None:
    try:
        return _MOMENT.validate_python(text)
    except ValidationError:
        return None


def within(text: str, began: float, ended: float) -> list[dict[str, Any]]:
    """The watch's lines of a time, and a little around it.

    A line that is being written is none, and neither is one with a figure that cannot be.
    """
    found = []
    for line in text.splitlines():
        try:
            sample = _Line.model_validate_json(line).model_dump(exclude_unset=True)
        except ValidationError:
            continue
        if began - EDGE_S <= sample["at"] <= ended + EDGE_S:
            found.append(sample)
    return found
