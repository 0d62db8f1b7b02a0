"""A lab that is made faulty, and runs of the suite against it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

import command_line
from gatepass.base import namespace
from gatepass.gateway.configuration import comparable
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.workspace import connect
from gatepass.inputs import load_testbed
from gatepass.results.outcome import Check, Outcome, read
from lab.base.faults import FAULTS, Value, pairs
from lab.lifecycle.control import call
from lab.lifecycle.device import DEFAULT_VERSION, GatewayDevice
from shared_turns import nobody_measures

PROJECT = Path(__file__).resolve().parents[2]
NAME, SMOKE = "faulty", "smoke"
STOLEN = "The host took processors from this machine; run it again later."
DID_NOT_RUN = "The run's plan holds this check, but it did not run."


@dataclass(frozen=True)
class Ended:
    """A run that has ended.

    Attributes:
        exit_code: of the command line.
        output: what it printed, both channels.
        folder: of the run.
        outcome: as its output.xml tells it.
    """

    exit_code: int
    output: str
    folder: Path
    outcome: Outcome

    @property
    def ran(self) -> dict[str, Check]:
        """The checks that were chosen, by name."""
        return {
            check.name: check
            for check in self.outcome.checks
            if check.message != DID_NOT_RUN
        }

    def messages(self, verdict: str) -> list[str]:
        """The messages of the checks that ended with this verdict."""
        return [check.message for check in self.ran.values() if check.verdict == verdict]


def of_endpoints(recording: Path) -> Path:
    """Where the endpoints' part of a recorded run is."""
    return recording.with_suffix(".endpoints.gz")


class FaultyLab:
    """One lab, used through the command lines as a person would.

    Args:
        folder: empty; for the lab and the runs' results.
        version: of FortiOS that its gateway stands in for.
        how: further words for the lab's command line: what its gateway is delivered with.
    """

    def __init__(self, folder: Path, version: str = DEFAULT_VERSION, *how: str) -> None:
        self._folder, self._version, self._how = folder, version, how
        self._environment = {
            "LAB_FOLDER": str(folder / "labs"),
            "PYTHONPATH": os.pathsep.join(
                map(str, (PROJECT / "libraries", PROJECT, PROJECT / "tests"))
            ),
        }
        self.testbed = folder / "labs" / NAME / "testbed.yaml"
        self.state = self.testbed.with_name("state.json")

    def up(self) -> None:
        """Build it, and keep the configuration that it is delivered with."""
        self.must("lab", "up", NAME, "--version", self._version, *self._how)
        self._delivered = self.configuration()

    def down(self) -> None:
        """Take it down."""
        self.must("lab", "down", NAME)

    @contextmanager
    def faults(self, *faults: tuple[str, ...]) -> Iterator[None]:
        """Have these faults, each a name and its parameters, for as long as the block lasts."""
        of_endpoints = [words for words in faults if FAULTS[words[0]].side != "gateway"]
        try:
            for name, *words in faults:
                if (name, *words) in of_endpoints:
                    self.must("lab", "fault", name, *words, "--lab", NAME)
                else:  # from here, which takes no process
                    self._tell("PUT", f"/faults/{name}", FAULTS[name].values(pairs(words)))
            yield
        finally:
            if of_endpoints:
                self.must("lab", "fault", "--clear", "--lab", NAME)
            else:
                self._tell("DELETE", "/faults")

    @contextmanager
    def faulty(self, name: str, **values: str) -> Iterator[None]:
        """Have one fault of the gateway for as long as the block lasts, and leave others in force.

        Args:
            name: of the fault.
            values: its parameters.
        """
        self._tell("PUT", f"/faults/{name}", FAULTS[name].values(values))
        try:
            yield
        finally:
            self._tell("DELETE", f"/faults/{name}")

    def _tell(
        self, method: str, resource: str, values: Mapping[str, Value] | None = None
    ) -> None:
        call(GatewayDevice(self.state.parent).control_socket, method, resource, values)

    def run(
        self,
        *tests: str,
        order: Path | None = None,
        testbed: Path | None = None,
        recording: Path | None = None,
        profile: str = SMOKE,
        results: Path | None = None,
    ) -> Ended:
        """Run the checks whose long names match these patterns; all without one.

        Args:
            tests: the patterns.
            order: path of the order's file; the lab's own unless given.
            testbed: path of the testbed's file; the lab's own unless given.
            recording: where what the gateway is asked and answers is recorded, if anywhere;
                what the endpoints do stands beside it (see `of_endpoints`).
            profile: with which they run.
            results: where its folder is made; exists, and is empty.
        """
        results = results or Path(tempfile.mkdtemp(prefix="results-", dir=self._folder))
        begins = ["gatepass"]
        if recording:
            begins = ["hostile.endpoint_recorder", str(of_endpoints(recording))]
        words = [*begins, "run", "--testbed", str(testbed or self.testbed)]
        words += ["--profile", profile]
        words += ["--order", str(order)] if order else []
        words += ["--record-api", str(recording)] if recording else []
        chosen = [word for test in tests for word in ("--test", test)]
        pdf = {"GATEPASS_PDF": "no"} if chosen else {}
        done = self._call(*words, *(["--", *chosen] if chosen else []), results=results, more=pdf)
        (folder,) = (path for path in results.iterdir() if path.is_dir())
        output = done.stdout + done.stderr
        return Ended(done.returncode, output, folder, read(folder / "output.xml"))

    def doctor(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Have the lab looked at."""
        return self._call("gatepass", "doctor", "--testbed", str(self.testbed), *words)

    def print_setup(self, order: Path) -> str:
        """The commands that make the API user for an order."""
        words = ("doctor", "--testbed", str(self.testbed), "--order", str(order), "--print-setup")
        return self.must("gatepass", *words).stdout

    def draft_flows(self, to: Path) -> None:
        """Draft flows from the gateway's policies into a new file."""
        self.must("gatepass", "draft-flows", "--testbed", str(self.testbed), "--to", str(to))

    def restore(self, ended: Ended) -> subprocess.CompletedProcess[str]:
        """Call restore after that run."""
        return self._call("gatepass", "restore", results=ended.folder.parent)

    def configuration(self) -> str:
        """The gateway's configuration, comparable."""
        with gateway_of(self.testbed) as gateway:
            return comparable(gateway.backup())

    def is_as_delivered(self) -> bool:
        """Whether the gateway's configuration is what it was before all runs."""
        return self.configuration() == self._delivered

    def must(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Call a command line that has to work."""
        done = self._call(*words)
        assert done.returncode == 0, done.stderr
        return done

    @contextmanager
    def at_work(self, node: str, *words: str) -> Iterator[None]:
        """Have a program at work on one of the lab's hosts, which ends when its input does."""
        call = [sys.executable, "-m", "lab", "exec", node, "--lab", NAME, "--", *words]
        environment = {**os.environ, **self._environment}
        with subprocess.Popen(
            call, stdin=subprocess.PIPE, cwd=PROJECT, env=environment
        ) as program:
            yield
            program.stdin.close()
            assert program.wait(30) == 0

    def _call(
        self, *words: str, results: Path | None = None, more: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, **self._environment, **(more or {})}
        if results:
            environment["GATEPASS_RESULTS"] = str(results)
        return command_line.call(
            *words, folder=PROJECT, environment=environment, patience_s=1800
        )


@contextmanager
def gateway_of(path: Path) -> Iterator[FortiGate]:
    """A client of a testbed's gateway, in the testbed's network namespace."""
    testbed = load_testbed(path)
    with namespace.inside(testbed.network_namespace, testbed.path):
        gateway = connect(testbed)
        try:
            yield gateway
        finally:
            gateway.close()


@contextmanager
def lab_in(
    folder: Path, version: str = DEFAULT_VERSION, *how: str
) -> Iterator[FaultyLab]:
    """A lab without a fault, taken down at the end of the block."""
    lab = FaultyLab(folder, version, *how)
    with nobody_measures():
        lab.up()
    try:
        yield lab
    finally:
        lab.down()


def hold(wrong: Iterable[tuple[Check, str]]) -> None:
    """Fail for what is wrong with how checks ended; skip where the host alone brought it about.

    A check that could not be measured may leave others of its run without what they need, so what
    is not proven beside it is excused as well; a pass or a fail never is.

    Args:
        wrong: each check that did not end as it should, and what is wrong with it.
    """
    wrong = list(wrong)
    stolen = any(_spoilt(check) for check, _ in wrong)
    excused = stolen and all(check.verdict == "not proven" for check, _ in wrong)
    assert not wrong or excused, "\n".join(told for _, told in wrong)
    if wrong:
        pytest.skip(STOLEN)


def must_be_measured(outcome: Outcome) -> None:
    """Skip where the host alone kept a check of a run from being measured."""
    if any(map(_spoilt, outcome.checks)):
        pytest.skip(STOLEN)


def _spoilt(check: Check) -> bool:
    """Whether the host took processors while it measured, and it ended without a verdict."""
    aside = [str(one.facts.get("set_aside_because")) for one in check.measurements]
    return check.verdict == "not proven" and any(
        "the hypervisor took" in told for told in (check.message, *aside)
    )


def is_a_sentence(message: str) -> bool:
    """Whether a message is what a reader can be given: whole sentences, nothing of a program."""
    of_a_program = (
        r"Traceback|File \"|a tool stopped with|\bNone\b|object at 0x|Error\b.*Error\b|\.\.$"
    )
    return bool(re.match(r"[A-Za-z]", message)) and message.rstrip().endswith((".", ")")) and (
        not re.search(of_a_program, message)
    )
