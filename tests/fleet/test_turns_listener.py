"""Robot takes turns: which checks wait, and what becomes of those that get none."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest
from robot import running
from robot.api import ExecutionResult

from fleet.lock_servers import LIBRARIES, PROJECT, Fleet, Server, lock_server, until
from listeners import Turns


@dataclass
class Checks:
    """A run with Robot."""

    folder: Path
    process: subprocess.Popen[str]

    def did(self, what: str) -> bool:
        """Whether that has happened."""
        assert self.process.poll() in (None, *range(10)), self.process.communicate()[0]
        happened = self.folder / "did.txt"
        return happened.exists() and what in happened.read_text().split()

    def told(self, event: str) -> list[dict]:
        """These events of its progress."""
        file = self.folder / "a.jsonl"
        told = map(json.loads, file.read_text().splitlines() if file.exists() else [])
        return [one for one in told if one["event"] == event]

    def go_on(self) -> None:
        """End what the first check that measures does."""
        (self.folder / "on").touch()

    def verdicts(self) -> dict[str, tuple[str, str]]:
        """Verdict and message of each check, once it has ended."""
        output, _ = self.process.communicate(timeout=60)
        assert (self.folder / "output.xml").exists(), output
        result = ExecutionResult(self.folder / "output.xml")
        return {
            test.name: (test.metadata["Verdict"], test.message) for test in result.suite.all_tests
        }


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with lock_server(tmp_path) as started:
        yield started


@pytest.fixture
def fleet(server: Server, tmp_path: Path) -> Iterator[Fleet]:
    made = Fleet(server.socket, tmp_path)
    yield made
    made.end()


def _started(fleet: Fleet, *robot: str) -> Checks:
    environment = fleet.environment(0, [fleet.link])
    environment["PYTHONPATH"] = os.pathsep.join(map(str, (LIBRARIES, PROJECT / "tests" / "fleet")))
    environment["HAPPENED"] = str(fleet.folder / "did.txt")
    program = Path(__file__).with_name("robot_run.py")
    process = subprocess.Popen(
        [sys.executable, str(program), str(fleet.folder), *(robot or ("--exclude", "left-out"))],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    fleet.processes.append(process)
    return Checks(fleet.folder, process)


def test_what_measures_waits_for_those_who_talk_and_they_for_it(fleet: Fleet) -> None:
    talker = fleet.start(1, "talk held", "talk 0")
    until(lambda: talker.has("takes", "talk"), "the other one talks")
    checks = _started(fleet)
    until(lambda: checks.told("waits"), "what measures waits")
    assert checks.did("answers") and not checks.did("measures")
    assert checks.told("waits")[0]["held_by"] == "b"
    released = datetime.now()
    talker.let_go()
    until(lambda: checks.did("measures"), "it measures")
    until(talker.waits, "the other one waits")
    assert not talker.has("takes", "talk", 2)
    checks.go_on()
    assert {verdict for verdict, _ in checks.verdicts().values()} == {"pass"}
    talker.ended()
    assert [one["name"] for one in checks.told("chapter")] == ["Talk", "Measure", "Wait"]
    assert checks.told("check")[0]["chapter"] == "Talk"
    assert [one["verdict"] for one in checks.told("check")] == ["pass"] * 5
    assert checks.told("goes on")
    suite = ExecutionResult(fleet.folder / "output.xml").suite
    (began,) = (test.start_time for test in suite.all_tests if test.name == "It Is Fast")
    assert began > released


def test_what_only_waits_needs_no_turn(fleet: Fleet) -> None:
    measurer = fleet.start(1, "measure held")
    until(lambda: measurer.has("takes", "measure"), "the other one measures")
    checks = _started(fleet, "--test", "It Waits")
    until(lambda: checks.told("check"), "it is done all the same")
    assert not checks.told("waits")
    measurer.let_go()
    assert checks.verdicts()["It Waits"][0] == "pass"


def test_what_its_chapter_has_decided_needs_no_turn(fleet: Fleet) -> None:
    talker = fleet.start(1, "talk held")
    until(lambda: talker.has("takes", "talk"), "the other one talks")
    checks = _started(fleet, "--test", "It Is Left Out")
    assert checks.verdicts()["It Is Left Out"][0] == "not applicable"
    assert not checks.told("waits")
    talker.let_go()


def test_a_chapter_is_not_prepared_while_another_measures(fleet: Fleet) -> None:
    measurer = fleet.start(1, "measure held")
    until(lambda: measurer.has("takes", "measure"), "the other one measures")
    checks = _started(fleet)
    until(lambda: checks.told("waits"), "it waits")
    assert not checks.did("prepares")
    measurer.let_go()
    checks.go_on()
    assert {verdict for verdict, _ in checks.verdicts().values()} == {"pass"}


def test_without_a_lock_server_nothing_is_measured(fleet: Fleet, server: Server) -> None:
    checks = _started(fleet)
    until(lambda: checks.did("measures"), "it measures")
    server.end()
    checks.go_on()
    verdicts = checks.verdicts()
    for check in ("It Is Fast", "It Is Fast Again"):
        verdict, message = verdicts[check]
        assert verdict == "not proven"
        assert f"Not proven: the lock server at {server.socket} does not answer" in message
        assert "so traffic of other gateways cannot be ruled out." in message
    assert not checks.did("again")
    assert verdicts["It Answers Still"][0] == "pass"
    assert checks.did("ends")


def test_a_run_that_stood_still_has_measured_nothing(fleet: Fleet) -> None:
    checks = _started(fleet)
    until(lambda: checks.did("measures"), "it measures")
    os.kill(checks.process.pid, signal.SIGSTOP)
    fleet.start(1, "measure 0").ended()
    os.kill(checks.process.pid, signal.SIGCONT)
    checks.go_on()
    verdicts = checks.verdicts()
    verdict, message = verdicts["It Is Fast"]
    assert verdict == "not proven"
    assert message.startswith("Not proven: this run stood still for so long that its turn went to")
    assert verdicts["It Is Fast Again"][0] == "pass"


def test_a_signal_ends_the_waiting(fleet: Fleet) -> None:
    talker = fleet.start(1, "talk held")
    until(lambda: talker.has("takes", "talk"), "the other one talks")
    checks = _started(fleet)
    until(lambda: checks.told("waits"), "what measures waits")
    checks.process.send_signal(signal.SIGINT)
    verdicts = checks.verdicts()
    assert verdicts["It Answers"][0] == "pass"
    for check in ("It Is Fast", "It Is Fast Again", "It Answers Still"):
        assert verdicts[check] == (
            "not proven",
            "Not proven: the run was stopped before this check had its verdict.",
        )
    assert checks.did("ends")
    talker.let_go()
    talker.ended()


def test_every_check_with_trials_or_downloads_measures() -> None:
    suite = running.TestSuite.from_file_system(PROJECT / "suites")
    alone = {test.name for test in suite.all_tests if Turns.MEASURING & set(test.tags)}
    assert {tag for test in suite.all_tests for tag in test.tags} >= Turns.MEASURING
    assert {
        "The Rig Carries The Tier Without The Gateway",
        "1000 Policies, With NAT",
        "Hardly Any Packet Is Lost",
        "An Overload Of Datagrams",
        "FTP Downloads",
        "A Mix Of Applications",
        "The Promised Users Are Served At Once",
        "The Promised Tunnels Are Up At Once",
        "Uploads Of One User",
        "The Promised Users Are Connected At Once",
        "The Rig Has Not Drifted",
    } <= alone
    assert not {"A Virus Over HTTP", "A User Gets In", "The Order Of Policies Holds"} & alone
