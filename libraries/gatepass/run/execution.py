"""Robot runs the suites, in this process, so that whatever ends it ends them too."""

from __future__ import annotations

import shlex
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from robot import run_cli

from gatepass.base.paths import ROOT, SUITES
from gatepass.inputs.studies import left_out
from gatepass.report.robot_report import OPTIONS
from gatepass.run import plan, turns

OUTPUT = "output.xml"
API = "api"
"""Tag of the checks that need nothing but the gateway's REST API."""


@dataclass(frozen=True)
class Inputs:
    """What the suites are given.

    Attributes:
        order, testbed: paths of the files.
        profile: its name.
        robot: options for Robot, as typed after ``--``.
        studies: that are part of the run.
    """

    order: Path
    testbed: Path
    profile: str
    robot: Sequence[str] = ()
    studies: Sequence[str] = ()


def execute(inputs: Inputs, folder: Path, own: Sequence[str] = ()) -> int:
    """Run the suites.

    Args:
        inputs: what they are given.
        folder: of the run.
        own: options for Robot that stand above those of any run.

    Returns:
        Robot's own exit code.
    """
    _hear(folder / OUTPUT)
    variables = {
        "ORDER": inputs.order.resolve(),
        "TESTBED": inputs.testbed.resolve(),
        "PROFILE": inputs.profile,
        "RUN FOLDER": folder,
        "ROBOT ARGUMENTS": shlex.join(inputs.robot),
    }
    libraries = str(ROOT / "libraries")
    if libraries not in sys.path:
        sys.path.insert(0, libraries)
    return run_cli(
        [
            *("--outputdir", str(folder), "--console", "none"),
            *("--listener", "listeners.Verdicts", "--listener", "listeners.Progress"),
            *(("--listener", "listeners.Turns") if turns.current else ()),
            *("--name", plan.NAME, *OPTIONS),
            *(word for key, value in variables.items() for word in ("-v", f"{key}:{value}")),
            *(word for name in left_out(inputs.studies) for word in ("--exclude", name)),
            *own,
            *inputs.robot,
            str(SUITES),
        ],
        exit=False,
    )


def _hear(output: Path) -> None:
    """Signals before and after Robot's own time with them.

    Args:
        output: that Robot begins with its run; a signal after its end comes too late to stop it.
    """

    def heard(number: int, frame: FrameType | None) -> None:
        if not output.exists():
            raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, heard)
    signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))
