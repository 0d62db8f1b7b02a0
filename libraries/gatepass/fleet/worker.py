"""One order of a fleet: what pabot calls in Robot's place, an order at a time.

The run itself is a process of its own, exactly as it would be without a fleet. It gets the signal
that a user would send where the fleet is stopped, and also where this worker is killed.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from robot.run import RobotFramework

from gatepass.base.paths import ROOT, run_name
from gatepass.endpoint.visits import left_on_endpoints
from gatepass.fleet.briefing import Briefing
from gatepass.fleet.entries import Entry, load
from gatepass.fleet.lifetime import times_asked_to_stop, when_parent_ends
from gatepass.fleet.pool import take
from gatepass.fleet.state import OrderProgress
from gatepass.fleet.unfinished import WORKER
from gatepass.gateway.journal import left_changed
from gatepass.results.record import NOT_APPLICABLE, PASS
from gatepass.run.at_work import hold
from gatepass.run.lock_server import LockServer, ServerLost
from gatepass.run.progress import FILE as PROGRESS
from gatepass.run.progress import NAME as PROGRESS_NAME
from gatepass.run.progress import tell
from gatepass.run.run import RUN_FOLDER
from gatepass.run.seats import Heartbeat, Seat
from gatepass.run.turns import PLACE as TURNS

ORDER, FLEET = "ORDER", "FLEET"
"""Variables that pabot hands on from an order's file of arguments."""
SAID = "console.txt"
"""What the run printed."""
_MOST_NOT_PASSED = 249  # what Robot's own exit codes can count
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_POLL_S = 0.2
_RESTORE_S = 300
_AT_ONCE = 2
"""Asked so often, a run stops at once and leaves its gateway to `restore`, as without a fleet."""


def work(arguments: Sequence[str]) -> int:
    """Run one order to its end.

    Args:
        arguments: as pabot would call Robot with.

    Returns:
        How many checks did not pass, at most 249; 250 where there are no results.
    """
    options, _ = RobotFramework().parse_arguments(list(arguments))
    variables = dict(text.partition(":")[::2] for text in options["variable"])
    fleet = Path(variables[FLEET])
    (entry,) = (one for one in load(fleet) if one.name == variables[ORDER])
    return _Worker(fleet, entry, variables["CALLER_ID"]).work()


class _Worker:
    def __init__(self, fleet: Path, entry: Entry, caller: str) -> None:
        self._fleet, self._entry = fleet, entry
        self._folder = entry.folder(fleet)
        self._briefing = Briefing.load(fleet)
        self._seat = Seat(caller, entry.name, entry.slot, entry.slots)
        self._signals = 0
        self._orphaned = False

    def work(self) -> int:
        for number in _SIGNALS:
            signal.signal(number, self._note)
        # told once for each thread that pabot had, so it cannot be one of those that are counted
        signal.signal(signal.SIGUSR1, self._lose_pabot)
        when_parent_ends(signal.SIGUSR1)()
        self._folder.mkdir(parents=True, exist_ok=True)
        os.environ[PROGRESS] = str(self._folder / PROGRESS_NAME)
        with hold(self._folder, self._seat.caller) as lock:
            try:
                testbed = self._testbed()
                if self._asked():
                    return self._ended("The fleet was stopped before this order began.")
                return self._run(testbed, lock.fileno())
            except ServerLost as lost:
                return self._ended(f"It could not take its turn: {lost}.")

    def _note(self, number: int, _: object) -> None:
        self._signals += 1

    def _lose_pabot(self, number: int, _: object) -> None:
        self._orphaned = True

    def _asked(self) -> int:
        # whoever stops everything at once means one stop, and a second one breaks restorations off
        itself = self._signals > 0 or self._orphaned
        return max(int(itself), times_asked_to_stop(self._fleet))

    def _testbed(self) -> str:
        """Path of the testbed: its own, or one of the pool as soon as one is free."""
        if self._entry.testbed:
            return self._entry.testbed
        tell("waits", resource="a testbed", held_by="")
        paths = {self._briefing.places[path].name: path for path in self._entry.pool}
        tier, socket = self._entry.tier, self._briefing.socket
        name = take(socket, self._seat, tier, paths, given_up=lambda: self._asked() > 0)
        if not name:
            return ""
        tell("goes on", testbed=name)
        return paths[name]

    def _run(self, testbed: str, lock: int) -> int:
        entry = self._entry
        words = [sys.executable, "-m", "gatepass", "run", "--profile", entry.profile]
        words += ["--order", entry.order, "--testbed", testbed, "--", *entry.robot]
        with (self._folder / SAID).open("w", encoding="utf-8") as said:
            child = subprocess.Popen(
                words,
                cwd=ROOT,
                env=os.environ | self._environment(testbed),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                pass_fds=[lock],  # it is at work for as long as either of us lives
                preexec_fn=when_parent_ends(signal.SIGINT),
            )
            code = self._wait(child)
            left = left_changed(self._folder) or left_on_endpoints(self._folder)
            if left and times_asked_to_stop(self._fleet) < _AT_ONCE:
                self._restore(said)
        with suppress(ServerLost):
            self._seat.leave(LockServer(self._briefing.socket))
        if code in (0, 1, 2) and (self._folder / "output.xml").is_file():
            return self._not_passed()
        return self._ended(self._why(code))

    def _restore(self, said: IO[str]) -> None:
        """End what a killed run left at work and put its gateway back, as long as its turn is held.

        Where that fails, the journal stays open, and the next call does it.
        """
        words = [sys.executable, "-m", "gatepass", "restore", run_name(self._folder)]
        heart = Heartbeat(self._seat, self._briefing.socket)  # that of the run has stopped
        heart.start()
        try:
            subprocess.run(
                words,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                timeout=_RESTORE_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            said.write(f"The gateway was not restored within {_RESTORE_S} s.\n")
        finally:
            heart.stop()

    def _environment(self, testbed: str) -> dict[str, str]:
        place = self._briefing.places[testbed]
        # what was taken from the pool is held by whoever's heart beats, so the run has turns on it
        taken = () if self._entry.testbed else (f"testbed {place.name}",)
        turns = {
            "socket": self._briefing.socket,
            "caller": self._seat.caller,
            "order": self._seat.order,
            "resources": [*place.resources, *taken],
            "slot": self._seat.slot,
            "slots": self._seat.slots,
        }
        return {RUN_FOLDER: str(self._folder), TURNS: json.dumps(turns)}

    def _wait(self, child: subprocess.Popen) -> int:
        """Until the run has ended; whoever asks for a stop asks the run, twice at most."""
        handed_on = 0
        while True:
            with suppress(subprocess.TimeoutExpired):
                return child.wait(_POLL_S)
            if handed_on < min(self._asked(), _AT_ONCE):
                child.send_signal(signal.SIGINT)
                handed_on += 1

    def _why(self, code: int) -> str:
        """Why the run has left no results."""
        if code < 0:
            return f"Its run was ended by signal {-code} ({signal.strsignal(-code)})."
        lines = (self._folder / SAID).read_text(encoding="utf-8", errors="replace").split("\n")
        last = next((line for line in reversed(lines) if line.strip()), "no output")
        return f"Its run ended with exit code {code}: {last.strip()}"

    def _ended(self, sentence: str) -> int:
        (self._folder / WORKER).write_text(sentence + "\n", encoding="utf-8")
        return _MOST_NOT_PASSED + 1

    def _not_passed(self) -> int:
        so_far = OrderProgress(self._entry, self._folder)
        so_far.look()
        fine = so_far.verdicts[PASS] + so_far.verdicts[NOT_APPLICABLE]
        return min(so_far.done - fine, _MOST_NOT_PASSED)
