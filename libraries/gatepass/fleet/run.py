"""Runs a fleet: pabot calls a worker for each order; this process watches and closes the result."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from gatepass.base.environment import without_secrets
from gatepass.base.errors import InputError
from gatepass.base.new_folder import new_folder
from gatepass.base.paths import FLEET as PREFIX
from gatepass.base.paths import HISTORY, ROOT, SUITES
from gatepass.fleet import entries as plan
from gatepass.fleet import page, pool
from gatepass.fleet.briefing import Briefing
from gatepass.fleet.call import CATALOGUE, FleetCall
from gatepass.fleet.closing import closing_box
from gatepass.fleet.entries import Entry
from gatepass.fleet.lifetime import STOP, ask_to_stop, times_asked_to_stop, when_parent_ends
from gatepass.fleet.outcome import read_fleet
from gatepass.fleet.screen import Screen, screen
from gatepass.fleet.state import OrderProgress
from gatepass.fleet.worker import FLEET, ORDER
from gatepass.gateway.journal import left_changed
from gatepass.inputs import load_catalogue
from gatepass.proof import signing_key
from gatepass.run.at_work import AT_WORK, caller_of, hold
from gatepass.run.lock_server import LockServer, ServerLost
from gatepass.run.seats import give_back

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_LOOK_S = 0.5
_START_S = 20
_DONE = 253
"""pabot's exit code where it has called all workers and was told to merge nothing."""
EARLIER = "earlier"
"""The folder in a fleet's folder that keeps what a run left that was run again."""
_OWN = "pabot"
"""The folder in a fleet's folder for what only pabot reads and writes."""


def run(call: FleetCall) -> int:
    """Run the orders of a call and write the fleet's result.

    Returns:
        The exit code: 1 where an order is rejected, else 2 where one is not proven, else 0.

    Raises:
        InputError: the lock server that was named does not answer, or no folder can be made.
    """
    if call.turns:
        _answers(call.turns)
    if key_made := signing_key.prepare():
        print(key_made, flush=True)
    fleet = _resumed(call) if call.folder else new_folder(before=PREFIX)
    if not call.folder:
        plan.save(call.entries, fleet)
    orders = [OrderProgress(entry, entry.folder(fleet)) for entry in call.entries]
    with hold(fleet, ""), _signals_stop(fleet), _lock_server(call.turns, fleet) as socket:
        briefing = Briefing.of(socket, call.testbeds, Briefing.known(fleet))
        briefing.save(fleet)
        _fill_pool(call.entries, briefing)
        with screen() as shown:
            shown.say(f"Orders: {len(orders)}, {call.at_once} at once. Results: {fleet}")
            code = _watch(_pabot(call, fleet), orders, LockServer(socket), shown, fleet)
    _tidy(fleet, code, orders)
    outcome = read_fleet(fleet)
    page.write(fleet, outcome)
    print(closing_box(outcome, fleet), flush=True)
    return outcome.exit_code


def _resumed(call: FleetCall) -> Path:
    """The folder of an earlier run, with room for the orders that are run again."""
    again = {entry.name: entry for entry in call.entries}
    for entry in again.values():
        _put_aside(entry, call.folder)
    plan.save([again.get(entry.name, entry) for entry in plan.load(call.folder)], call.folder)
    (call.folder / STOP).unlink(missing_ok=True)
    return call.folder


def _put_aside(entry: Entry, fleet: Path) -> None:
    """Keep what an earlier run left: `restore` may need it."""
    folder = entry.folder(fleet)
    if not folder.exists():
        return
    (fleet / EARLIER).mkdir(exist_ok=True)
    number = sum(1 for _ in (fleet / EARLIER).glob(f"{entry.name}-*")) + 1
    folder.rename(fleet / EARLIER / f"{entry.name}-{number}")


@contextmanager
def _signals_stop(fleet: Path) -> Iterator[None]:
    """Whoever asks this process to end asks the workers, which end their runs and restore."""
    before = {number: signal.signal(number, lambda *_: ask_to_stop(fleet)) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _answers(named: str) -> None:
    try:
        LockServer(named).get("gatepass")
    except ServerLost as lost:
        raise InputError(
            f"--turns {named}: {lost}. Start it, or open the tunnel to it; see docs/fleet.md."
        ) from None


@contextmanager
def _lock_server(named: str | None, fleet: Path) -> Iterator[str]:
    """Socket of the lock server that is named, or of one for this fleet alone."""
    if named:
        yield named
        return
    socket, said = fleet / _OWN / "turns.sock", fleet / _OWN / "lock-server.txt"
    said.parent.mkdir(exist_ok=True)
    with said.open("w", encoding="utf-8") as stream:
        server = subprocess.Popen(
            [sys.executable, "-m", "gatepass", "turns-server", str(socket)],
            cwd=ROOT,
            env=without_secrets(),
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # Ctrl-C is not for it: runs that end still take turns
            preexec_fn=when_parent_ends(signal.SIGKILL),
        )
    try:
        _await_server(socket, server, said)
        yield str(socket)
    finally:
        server.terminate()
        server.wait()


def _await_server(socket: Path, server: subprocess.Popen, said: Path) -> None:
    give_up = time.monotonic() + _START_S
    while time.monotonic() < give_up and server.poll() is None:
        with suppress(ServerLost):
            LockServer(socket).get("gatepass")
            return
        time.sleep(0.05)
    raise RuntimeError(f"pabot's lock server did not start; see {said}")


def _fill_pool(entries: Sequence[Entry], briefing: Briefing) -> None:
    paths = dict.fromkeys(path for entry in entries if not entry.testbed for path in entry.pool)
    if paths:
        tiers = load_catalogue(CATALOGUE).tiers
        pool.fill(LockServer(briefing.socket), [briefing.places[path] for path in paths], tiers)


def _pabot(call: FleetCall, fleet: Path) -> subprocess.Popen:
    """Start pabot, which calls our worker where it would call Robot."""
    own = fleet / _OWN
    own.mkdir(exist_ok=True)
    (own / "ordering.txt").write_text("--suite Suites\n", encoding="utf-8")
    files = []
    for number, entry in enumerate(call.entries, start=1):
        file = own / f"{number}.args"
        file.write_text(f"--variable {ORDER}:{entry.name}\n--variable {FLEET}:{fleet}\n")
        files += [f"--argumentfile{number}", str(file)]
    words = [sys.executable, "-m", "pabot.pabot"]
    # split at blanks by pabot, so the interpreter has no path
    words += ["--command", "python", "-m", "gatepass", "worker", "--end-command"]
    words += ["--no-pabotlib", "--no-rebot", "--processes", str(call.at_once)]
    words += ["--ordering", str(own / "ordering.txt"), "--outputdir", str(own), *files, str(SUITES)]
    with (own / "pabot.txt").open("w", encoding="utf-8") as said:
        return subprocess.Popen(
            words,
            cwd=own,  # it leaves a file of names there
            env=os.environ | _environment(fleet),
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # at Ctrl-C it would kill runs that restore their gateways
            preexec_fn=when_parent_ends(signal.SIGKILL),
        )


def _environment(fleet: Path) -> dict[str, str]:
    return {
        "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", ""))),
        "PYTHONPATH": os.pathsep.join((str(ROOT / "libraries"), str(ROOT))),
        "GATEPASS_RESULTS": str(fleet.absolute().parent),  # of one that goes on, where it lies
        "GATEPASS_HISTORY": str(HISTORY.absolute()),
    }


def _watch(
    pabot: subprocess.Popen,
    orders: Sequence[OrderProgress],
    server: LockServer,
    shown: Screen,
    fleet: Path,
) -> int:
    """Show how far all are until pabot has ended; what is over holds nothing from then on.

    Returns:
        pabot's exit code.
    """
    told_of_stop = 0
    while True:
        ended = pabot.poll() is not None
        for one in orders:
            was_over = one.over
            one.look()
            # a killed run's traffic may still flow: its turn is for others once its heart is cold
            if one.over and not was_over and not left_changed(one.folder):
                with suppress(ServerLost):
                    give_back(server, caller_of(one.folder))
        shown.show(orders)
        if (asked := times_asked_to_stop(fleet)) > told_of_stop:
            told_of_stop = asked
            shown.say("Stopping: each gateway is put back as it was …")
        if ended and not any(one.begun and not one.over for one in orders):
            return pabot.returncode
        time.sleep(_LOOK_S)


def _tidy(fleet: Path, code: int, orders: Sequence[OrderProgress]) -> None:
    """Remove what served the fleet while it ran, unless pabot or a worker complained there."""
    own = fleet / _OWN
    if code != _DONE or any(path.stat().st_size for path in own.glob("**/*_stderr.out")):
        print(f"A worker or pabot itself (exit code {code}) failed; what they said is in {own}.")
    else:
        shutil.rmtree(own, ignore_errors=True)
    for left in (fleet / STOP, fleet / AT_WORK, *(one.folder / AT_WORK for one in orders)):
        left.unlink(missing_ok=True)
