"""A run of a fleet with Robot, the listeners of a run, and checks that write down what happens."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from robot import run_cli

from gatepass.run import seats, turns

# As in a run, only faster.
seats.BEAT_S, seats.LOOK_S, turns.POLL_S, turns.PATIENCE_S = 0.1, 0.3, 0.01, 0.3

SUITES = {
    "01__talk.robot": """\
*** Settings ***
Library           robot_run.Happened    %{HAPPENED}
Suite Setup       Note    prepares
*** Test Cases ***
It Answers
    Note    answers
""",
    "02__measure.robot": """\
*** Settings ***
Library           robot_run.Happened    %{HAPPENED}
Test Tags         throughput
*** Test Cases ***
It Is Fast
    Note    measures
    Hold
It Is Fast Again
    Note    again
It Answers Still
    [Tags]    -throughput
    Note    still
""",
    "04__left_out.robot": """\
*** Settings ***
Suite Setup       Skip    Not applicable: the order does not include it.
Test Tags         throughput    left-out
*** Test Cases ***
It Is Left Out
    Fail
""",
    "03__wait.robot": """\
*** Settings ***
Library           robot_run.Happened    %{HAPPENED}
*** Test Cases ***
It Waits
    [Tags]    keylife
    Note    waits
""",
}


class Happened:
    """Keywords of those checks."""

    def __init__(self, file: str) -> None:
        self._file = Path(file)

    def note(self, what: str) -> None:
        """Write down what happens."""
        with self._file.open("a") as stream:
            stream.write(f"{what}\n")

    def hold(self) -> None:
        """Go on when there is a file named "on"."""
        while not self._file.with_name("on").exists():
            time.sleep(0.01)


def main(folder: Path, robot: list[str]) -> int:
    """Run them with these options for Robot; Robot's own exit code."""
    suites = folder / "checks"
    suites.mkdir()
    for name, text in SUITES.items():
        (suites / name).write_text(text)
    (suites / "__init__.robot").write_text(
        "*** Settings ***\nLibrary    robot_run.Happened    %{HAPPENED}\n"
        "Suite Teardown    Note    ends\n"
    )
    listeners = (
        word
        for name in ("Verdicts", "Progress", "Turns")
        for word in ("--listener", f"listeners.{name}")
    )
    with turns.joined():
        return run_cli(["--outputdir", str(folder), *listeners, *robot, str(suites)], exit=False)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
