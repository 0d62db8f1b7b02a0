"""Runs that are killed or interrupted: the gateway is brought back, and nothing is left."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from faults.faulty_lab import PROJECT, FaultyLab
from gatepass.gateway import lock
from gatepass.gateway.configuration import comparable
from gatepass.gateway.journal import NAME as JOURNAL
from gatepass.gateway.saved import SAVED
from gatepass.results.outcome import read
from host_state import changed, host_state
from inhabitants import alive, inhabitants, namespaces_of
from lab.base.process import wait_until
from lab.lifecycle.control import call
from lab.lifecycle.device import GatewayDevice
from runs.killing import Configuration, Runs

NOTHING = (
    "Nothing to restore: no run has left anything on its gateway or on an endpoint.\n"
)
KILLS = int(os.environ.get("KILLS") or 10)
OPEN_PATH = ("--test", "*.The Path Is Open*")
MANY = ("--test", "*.1000 Policies, With NAT")
NARROW = ("--test", "*.Policy enforcement.Policies.*")
TENANTS = ("--test", "*.Provisioning of tenants.*")
HANDOVER = ("--test", "*.Handover.*")
MOMENTS = (
    # which checks, after which entry of the journal at the latest
    (MANY, 4),
    (NARROW, 7),
    (OPEN_PATH + HANDOVER, 3),
    (TENANTS, 20),  # several connections are at work at once
)


@pytest.fixture(scope="module")
def machine() -> dict[str, str]:
    """The machine before there was a lab."""
    return host_state()


@pytest.fixture(scope="module")
def runs(
    machine: dict[str, str], own_lab: FaultyLab, tmp_path_factory: pytest.TempPathFactory
) -> Runs:
    """One results folder for all runs of this module."""
    return Runs(own_lab.testbed, tmp_path_factory.mktemp("results"))


@pytest.fixture(scope="module")
def delivered(runs: Runs) -> Configuration:
    """The gateway's configuration before any run."""
    return Configuration.of(runs.testbed)


def _now(runs: Runs) -> Configuration:
    return Configuration.of(runs.testbed)


def test_killed_at_random_moments(runs: Runs, delivered: Configuration) -> None:
    seed = int(os.environ.get("KILL_SEED") or random.randrange(2**32))
    print(f"KILL_SEED={seed}")
    dice, found_changed = random.Random(seed), 0
    for number in range(KILLS):
        chosen, last = MOMENTS[number % len(MOMENTS)]
        entries, delay_s = dice.randint(1, last), dice.uniform(0, 0.5)
        run = runs.start(*chosen)
        assert run.reaches(entries)
        time.sleep(delay_s)  # the moment is the point of this test
        run.kill()
        where = f"kill {number}, {entries} entries and {delay_s:.3f} s, KILL_SEED={seed}"
        found_changed += _now(runs) != delivered
        if number % 4 == 3:
            _kill_the_restore_as_well(runs, dice)
        code, told = runs.restore()
        assert _now(runs) == delivered, f"{where}: {told}"
        assert code == 0, f"{where}: {told}"
        assert "Traceback" not in told, f"{where}: {told}"
    assert found_changed >= KILLS // 2, "the kills came when nothing was changed: choose others"
    assert runs.restore() == (0, NOTHING)


def _kill_the_restore_as_well(runs: Runs, dice: random.Random) -> None:
    restore = runs.start_restore()
    time.sleep(dice.uniform(0.4, 0.9))
    restore.kill()
    restore.communicate(timeout=60)


def test_promise_7_the_machine_is_as_it_was_after_a_kill(
    runs: Runs, machine: dict[str, str]
) -> None:
    run = runs.start(*NARROW)
    assert run.reaches(5)
    run.kill()
    assert runs.restore()[0] == 0
    assert wait_until(lambda: not changed(machine), 15), changed(machine)


def test_tunnels_of_a_killed_run_go_on_both_sides(runs: Runs, delivered: Configuration) -> None:
    look = "ps -eo comm= | grep charon; ip addr show dev lo; ip rule; nft list tables; ls /tmp"
    before = runs.on("peer", look)
    run = runs.start("--test", "*.A Tunnel Comes Back After Its SA*")
    assert wait_until(lambda: runs.on("peer", "nft list tables") != [], 60)
    run.kill()
    at_work = "\n".join(runs.on("peer", look))
    for word in ("charon", "198.19.200.20/32", "4747", "_wire", "gatepass."):
        assert word in at_work
    code, told = runs.restore()
    assert code == 0, told
    assert runs.on("peer", look) == before
    assert _now(runs) == delivered


def test_a_trouble_that_a_killed_run_brought_about_is_ended(
    runs: Runs, delivered: Configuration
) -> None:
    control = GatewayDevice(runs.testbed.parent).control_socket

    def there() -> bool:
        return "memory-short" in call(control, "GET", "/faults")["active"]

    run = runs.start("--test", "*.Nothing Uninspected Passes While Memory Is Short")
    assert wait_until(there, 60)
    run.kill()
    assert there()
    code, told = runs.restore()
    assert code == 0, told
    assert not there()
    assert _now(runs) == delivered


def test_another_account_waits_until_a_killed_run_is_restored(
    runs: Runs, delivered: Configuration
) -> None:
    """Two results folders know nothing of each other: the gateway itself tells who has it."""
    other = Runs(runs.testbed, runs.results.with_name("elsewhere"))
    other.results.mkdir()
    killed = other.start(*NARROW)
    assert killed.reaches(4)
    killed.kill()
    left = _now(runs)
    code, output = runs.start(*NARROW).ended()
    told = " ".join(output.replace("│", " ").split())
    assert code == 2 and f"the run {killed.folder.name}, called by" in told.lower(), output
    assert "has had this gateway since" in told
    assert _now(runs) == left
    assert other.restore()[0] == 0
    assert _now(runs) == delivered
    with runs.gateway() as gateway:
        assert lock.look(gateway) is None


def test_the_next_run_restores_first(runs: Runs, delivered: Configuration) -> None:
    killed = runs.start(*NARROW)
    assert killed.reaches(5)
    killed.kill()
    assert _now(runs) != delivered
    after = runs.start(*NARROW, *HANDOVER)
    code, output = after.ended()
    assert code == 2, output  # the checks that were left out are not proven
    assert "fail" not in output
    ran = [line for line in output.splitlines() if re.match(r"  [✓✗?–] ", line)]
    assert len(ran) == 8 and all("pass" in line for line in ran), output
    assert (killed.folder / JOURNAL).read_text().endswith('{"do": "close"}\n')
    # what the next run saved as the configuration from before is the delivered one
    saved = [comparable((run.folder / SAVED).read_text(), b"") for run in (after, killed)]
    assert saved[0] == saved[1]
    assert _now(runs) == delivered
    assert "Nothing to restore" in runs.restore()[1]


def test_whatever_the_next_run_is_about_it_restores_first(
    runs: Runs, delivered: Configuration
) -> None:
    killed = runs.start(*NARROW)
    assert killed.reaches(5)
    killed.kill()
    assert _now(runs) != delivered
    runs.start("--test", "*.The Firmware Fits The Order").ended()
    assert _now(runs) == delivered
    assert "Nothing to restore" in runs.restore()[1]


def test_what_the_customer_changed_after_a_kill_is_theirs_and_is_told(
    runs: Runs, delivered: Configuration
) -> None:
    killed = runs.start(*NARROW)
    assert killed.reaches(5)
    killed.kill()
    with runs.gateway() as gateway:
        gateway.change("firewall/policy", 1, {"comments": "by the customer"})
        code, told = runs.restore()
        assert code == 2
        assert "nothing of the run is left" in told
        assert "now: set comments ***" in told
        assert gateway.row("firewall/policy", 1)["comments"] == "by the customer"
        gateway.change("firewall/policy", 1, {"comments": ""})
    assert _now(runs) == delivered
    assert runs.restore() == (0, NOTHING)


def test_restore_clears_the_endpoints_as_well(runs: Runs, delivered: Configuration) -> None:
    run = runs.start(*MANY)
    assert run.reaches(4)
    look = "ls -d /tmp/gatepas[s].* 2>/dev/null; ps -eo args= | grep '[/]tmp/gatepass[.]'; true"
    mark = run.announced()[0]["mark"]
    wait_until(lambda: any(mark in line for line in runs.on("client", look)), 30)
    run.kill()
    assert any(mark in line for line in runs.on("client", look))
    assert runs.restore()[0] == 0
    for node in ("client", "server"):
        # a look of the killed run at its program may still be under way, and ends by itself
        assert wait_until(lambda node=node: runs.on(node, look) == [], 10), runs.on(node, look)
    assert _now(runs) == delivered


def test_a_run_waits_for_no_living_one_and_disturbs_none(
    runs: Runs, delivered: Configuration
) -> None:
    living = runs.start(*NARROW, *HANDOVER)
    assert living.reaches(3)
    living.process.send_signal(signal.SIGSTOP)  # or it may have ended before they look
    second = runs.start(*OPEN_PATH)
    code, told = runs.restore()
    second_code, second_told = second.ended()
    living.process.send_signal(signal.SIGCONT)
    assert (code, "still going on" in told) == (2, True), told
    assert second_code == 2
    assert "is still running on the same gateway" in " ".join(second_told.split())
    code, output = living.ended()
    assert "not proven     A Policy" not in output and "✗" not in output, output
    assert _now(runs) == delivered


@pytest.mark.parametrize(
    ("number", "chosen", "entries"),
    [
        (signal.SIGINT, MANY, 4),
        (signal.SIGTERM, NARROW, 5),
        (signal.SIGHUP, MANY, 3),
        (signal.SIGINT, TENANTS, 15),
    ],
    ids=["int", "term", "hup", "int-tenants"],
)
def test_an_interrupted_run_restores_by_itself(
    runs: Runs,
    delivered: Configuration,
    number: signal.Signals,
    chosen: tuple[str, ...],
    entries: int,
) -> None:
    """Also where the signal comes in the middle of a call to an endpoint."""
    run = runs.start(*chosen, *HANDOVER)
    assert run.reaches(entries)
    time.sleep(random.uniform(0, 0.2))
    run.process.send_signal(number)
    code, output = run.ended()
    assert _now(runs) == delivered, output
    assert code == 2, output
    assert "Traceback" not in output and "a tool stopped with an error" not in output
    assert (run.folder / "certificate.html").is_file()
    assert "Nothing to restore" in runs.restore()[1]
    outcome = read(run.folder / "output.xml")
    assert outcome.restoration and outcome.restoration.identical
    assert {check.verdict for check in outcome.checks} <= {"pass", "not proven"}
    handover = [check for check in outcome.checks if check.chapter == "Handover"]
    assert {check.verdict for check in handover} == {"not proven"}


def test_a_second_signal_leaves_it_to_restore(runs: Runs, delivered: Configuration) -> None:
    run = runs.start(*MANY, *HANDOVER)
    assert run.reaches(4)
    run.process.send_signal(signal.SIGINT)
    time.sleep(0.05)
    run.process.send_signal(signal.SIGINT)
    code, output = run.ended()
    assert code == 2, output
    assert "Traceback" not in output and "itself failed" not in output, output
    told = runs.restore()[1]
    # the restoration may have been quicker than the second signal
    may_be_changed = f"Call ./run.sh restore {run.folder.name}." in output
    assert may_be_changed == ("compares equal" in told), (output, told)
    assert may_be_changed or "nothing of the run is left" in output or "NOT PROVEN" in output
    assert _now(runs) == delivered


def test_what_a_killed_run_leaves_on_the_endpoints_is_bounded(runs: Runs) -> None:
    """Whatever is at work there for a killed run ends by itself: a time-out stands above it."""
    for node in ("client", "server"):
        for line in runs.on(node, "ps -eo ppid=,pid=,args= | grep '[/]tmp/gatepass[.]'; true"):
            args = line.split(maxsplit=2)[2]
            if args.startswith("sh -c "):
                assert re.match(r"sh -c timeout --foreground -k 5 \d{1,3} ", args), line


def test_nothing_is_left_after_the_lab_is_down(own_lab: FaultyLab, runs: Runs) -> None:
    """Killed once more, so that there is something at work."""
    run = runs.start(*MANY)
    assert run.reaches(4)
    run.kill()
    inside = inhabitants(namespaces_of(json.loads(own_lab.state.read_text())))
    assert len(inside) > 4
    own_lab.down()
    assert wait_until(lambda: alive(inside) == [], 5)  # what ends with a run takes a moment
    assert not own_lab.testbed.parent.exists()
    code, told = runs.restore()
    assert code == 0
    assert "its lab is gone" in told
    assert "Nothing to restore" in runs.restore()[1]
    own_lab.up()  # for whoever takes it down


def test_a_killed_lab_run_is_removed_by_the_next(tmp_path: Path) -> None:
    """The wrapper is killed; the run in it ends with it, and the next call removes the lab."""
    runs = Runs(tmp_path / "labs" / "none" / "testbed.yaml", tmp_path / "results")
    runs.results.mkdir()
    command = [sys.executable, "-m", "lab", "run", "--", sys.executable, "-m", "gatepass", "run"]
    command += ["--testbed", "{testbed}", "--profile", "smoke", "--", *MANY]
    first = subprocess.Popen(
        command,
        cwd=PROJECT,
        env=runs.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    give_up = time.monotonic() + 60
    while not list(runs.results.glob(f"*/{JOURNAL}")):
        assert time.monotonic() < give_up
        time.sleep(0.02)
    first.kill()
    first.wait(timeout=60)
    removed = subprocess.run(
        [sys.executable, "-m", "lab", "run", "--", "true"],
        cwd=PROJECT,
        env=runs.environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert removed.returncode == 0, removed.stderr
    assert "was left behind and is taken down" in removed.stderr
    assert not (tmp_path / "labs").exists() or not list((tmp_path / "labs").iterdir())
    code, told = runs.restore()
    assert code == 0
    assert "its lab is gone" in told
    assert "Nothing to restore" in runs.restore()[1]
