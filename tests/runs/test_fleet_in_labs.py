"""A fleet of lab gateways: one with a fault, one whose run is killed, one as it should be."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from faults.faulty_lab import PROJECT
from gatepass.base.paths import VARIABLES
from gatepass.fleet.outcome import read_fleet
from gatepass.gateway.journal import NAME as JOURNAL
from gatepass.gateway.journal import pending
from lab.base.process import wait_until
from runs.killing import Configuration

ORDERS = VARIABLES / "orders" / "lab-fleet"
TIERS = {"010": "SGW-10", "030": "SGW-30", "200": "SGW-200"}
FAULTY, KILLED, WHOLE = "lab-sgw-10", "lab-sgw-30", "lab-sgw-200"
CHOSEN = ("--test", "*.The Path Is Open*", "--test", "*.Policy enforcement.Policies.*")


class Fleet:
    """Labs of these tiers and the command lines that use them."""

    def __init__(self, folder: Path) -> None:
        self.results = folder / "results"
        self.labs = folder / "labs"
        self.environment = {
            **os.environ,
            "LAB_FOLDER": str(self.labs),
            "GATEPASS_RESULTS": str(self.results),
            "PYTHONPATH": os.pathsep.join((str(PROJECT / "libraries"), str(PROJECT))),
        }

    def call(self, *words: str) -> tuple[int, str]:
        """Exit code and words of a command."""
        process = self.start(*words)
        output, _ = process.communicate(timeout=300)
        return process.returncode, output

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start a command."""
        return subprocess.Popen(
            [sys.executable, "-m", *words],
            cwd=PROJECT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *robot: str) -> subprocess.Popen[str]:
        """Start a fleet of all orders, each on the lab of its tier."""
        words = [f"--order={ORDERS}/sgw-{number}.yaml" for number in TIERS]
        words += [f"--testbed={self.bed(number)}" for number in TIERS]
        return self.start("gatepass", "run", *words, "--profile", "smoke", "--", *robot)

    def bed(self, number: str) -> Path:
        """The testbed of a lab."""
        return self.labs / f"tier-{number}" / "testbed.yaml"

    def journal(self, order: str) -> str:
        """What the journal of an order's run holds."""
        (path,) = [*self.results.glob(f"fleet-*/orders/{order}/{JOURNAL}")] or [Path("/dev/null")]
        return path.read_text()


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    made = Fleet(tmp_path_factory.mktemp("fleet"))
    try:
        for number, tier in TIERS.items():
            code, told = made.call("lab", "up", f"tier-{number}", "--tier", tier)
            assert code == 0, told
        yield made
    finally:
        for number in TIERS:
            made.call("lab", "down", f"tier-{number}")


def _run_of(fleet: Fleet, order: str) -> int:
    """The pid of an order's run."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_text().split("\0")
            environment = (folder / "environ").read_text()
        except OSError:
            continue
        own = re.search(rf"GATEPASS_RUN_FOLDER={fleet.results}/\S+/{order}\0", environment)
        if own and words[1:4] == ["-m", "gatepass", "run"]:
            return int(folder.name)
    raise AssertionError(f"no run of {order} is at work")


def test_rejected_killed_and_whole_are_told_apart(fleet: Fleet) -> None:
    delivered = Configuration.of(fleet.bed("030"))
    fleet.call("lab", "fault", "deny-above", "--lab", "tier-010")
    try:
        running = fleet.run(*CHOSEN)
        assert wait_until(lambda: fleet.journal(KILLED).count("\n") >= 4, 120), running.poll()
        os.kill(_run_of(fleet, KILLED), signal.SIGKILL)
        told, _ = running.communicate(timeout=300)
    finally:
        fleet.call("lab", "fault", "--clear", "--lab", "tier-010")
    assert running.returncode == 1, told
    (folder,) = fleet.results.glob("fleet-*")
    rows = {row.name: row for row in read_fleet(folder).rows}
    assert rows[FAULTY].verdict == "rejected"
    gravest = rows[FAULTY].reasons[0]
    assert any("The Path Is Open" in check.name for check in gravest.checks)
    assert rows[KILLED].verdict == "not proven" and rows[KILLED].outcome is None
    assert "signal 9" in rows[KILLED].problem
    assert "Nothing of it is left on its gateway" in rows[KILLED].problem
    ran = [check for check in rows[WHOLE].outcome.checks if "did not run" not in check.message]
    assert {check.verdict for check in ran} == {"pass"} and len(ran) > 5
    # what the killed one changed is undone by its worker, what the other two changed by themselves
    assert "compares equal" in (rows[KILLED].folder / "console.txt").read_text()
    assert pending(fleet.results) == []
    assert Configuration.of(fleet.bed("030")) == delivered


def test_what_nobody_could_put_back_is_put_back_by_the_next_call(fleet: Fleet) -> None:
    """Run and worker die at once, as when a machine runs out of memory."""
    delivered = Configuration.of(fleet.bed("030"))
    before = set(fleet.results.glob("fleet-*"))
    running = fleet.run(*CHOSEN)

    def begun() -> list[Path]:
        return [*(set(fleet.results.glob("fleet-*")) - before)]

    def changed() -> bool:
        path = begun()[0] / "orders" / KILLED / JOURNAL if begun() else Path("/dev/null")
        return path.exists() and path.read_text().count("\n") >= 4

    assert wait_until(changed, 120), running.poll()
    run = _run_of(fleet, KILLED)
    worker = int(re.search(r"PPid:\s+(\d+)", Path(f"/proc/{run}/status").read_text())[1])
    for pid in (worker, run):  # the worker first: it would put the gateway back
        os.kill(pid, signal.SIGKILL)
    told, _ = running.communicate(timeout=300)
    assert running.returncode == 2, told
    (folder,) = begun()
    rows = {row.name: row for row in read_fleet(folder).rows}
    assert rows[KILLED].verdict == "not proven" and "./run.sh restore" in rows[KILLED].problem
    assert [one.path.parent.name for one in pending(fleet.results)] == [KILLED]
    assert Configuration.of(fleet.bed("030")) != delivered
    code, told = fleet.call("gatepass", "restore", f"{folder.name}/{KILLED}")
    assert code == 0 and f"{folder.name}/{KILLED}: " in told and "compares equal" in told
    assert Configuration.of(fleet.bed("030")) == delivered
    assert fleet.call("gatepass", "restore")[1].startswith("Nothing to restore")


def test_a_run_that_breaks_its_restoration_off_is_put_back_by_its_worker(fleet: Fleet) -> None:
    """As where everybody gets the same signal at once, and the run gets its worker's as well."""
    delivered = Configuration.of(fleet.bed("030"))
    before = set(fleet.results.glob("fleet-*"))
    running = fleet.run(*CHOSEN)

    def changed() -> bool:
        new = set(fleet.results.glob("fleet-*")) - before
        journals = [path for one in new for path in one.glob(f"orders/{KILLED}/{JOURNAL}")]
        return any(path.read_text().count("\n") >= 4 for path in journals)

    assert wait_until(changed, 120), running.poll()
    run = _run_of(fleet, KILLED)
    for _ in range(2):
        os.kill(run, signal.SIGTERM)
        time.sleep(0.05)
    told, _ = running.communicate(timeout=300)
    assert running.returncode == 2, told
    assert pending(fleet.results) == []
    assert Configuration.of(fleet.bed("030")) == delivered


def test_ctrl_c_restores_every_gateway(fleet: Fleet) -> None:
    delivered = {number: Configuration.of(fleet.bed(number)) for number in TIERS}
    before = set(fleet.results.glob("fleet-*"))
    running = fleet.run(*CHOSEN)

    def changed() -> bool:
        journals = [*fleet.results.glob(f"fleet-*/orders/*/{JOURNAL}")]
        new = [path for path in journals if path.parents[2] not in before]
        return len(new) == 3 and all(path.read_text().count("\n") >= 3 for path in new)

    assert wait_until(changed, 120), running.poll()
    running.send_signal(signal.SIGINT)
    told, _ = running.communicate(timeout=300)
    assert running.returncode in (1, 2), told
    assert {number: Configuration.of(fleet.bed(number)) for number in TIERS} == delivered
    assert pending(fleet.results) == []
    (folder,) = set(fleet.results.glob("fleet-*")) - before
    assert (folder / "fleet.html").is_file() and "Stopping" in told
    for row in read_fleet(folder).rows:
        assert row.outcome is not None and not row.ended, row.name


def test_ctrl_c_takes_the_labs_of_the_fleet_down_after_their_runs(tmp_path: Path) -> None:
    """As `./run.sh --lab-gateways 2` does it."""
    own = Fleet(tmp_path)
    tiers = ("--tier", "SGW-10", "--tier", "SGW-20")
    words = ("gatepass", "run", "--lab", "--testbed={testbed}", "--lab-gateways", "2")
    call = (*words, "--profile", "smoke", "--", *CHOSEN)
    running = own.start("lab", "run", *tiers, "--", sys.executable, "-m", *call)

    def changed() -> bool:
        journals = [*own.results.glob(f"fleet-*/orders/*/{JOURNAL}")]
        return len(journals) == 2 and all(one.read_text().count("\n") >= 3 for one in journals)

    assert wait_until(changed, 120), running.poll()
    running.send_signal(signal.SIGINT)
    told, _ = running.communicate(timeout=300)
    assert running.returncode == 2, told
    assert not own.labs.exists() or not list(own.labs.iterdir())
    (folder,) = own.results.glob("fleet-*")
    assert [row.name for row in read_fleet(folder).rows] == ["lab-sgw-10", "lab-sgw-20"]
    assert (folder / "fleet.html").is_file() and pending(own.results) == []
    assert "not proven" in told.lower() and "Traceback" not in told
