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
from gatepass.report.robot_report import COLOURS
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
            *("--loglevel", "DEBUG:INFO", "--name", plan.NAME),
            *("--reportbackground", "{}:{}:{}".format(*COLOURS.values())),
            *("--reporttitle", "Acceptance report", "--logtitle", "Acceptance log"),
            *(word for name, text in _TAGS.items() for word in ("--tagdoc", f"{name}:{text}")),
            *(word for key, value in variables.items() for word in ("-v", f"{key}:{value}")),
            *(word for name in left_out(inputs.studies) for word in ("--exclude", name)),
            *own,
            *inputs.robot,
            str(SUITES),
        ],
        exit=False,
    )


_TAGS = {
    API: "Checks that need nothing but the gateway's REST API; a recording of it will do.",
    "preflight": "Is it the right gateway, safely managed, and is the rig ready?",
    "customer_rules": "The customer's own policies, as they are written.",
    "baseline": "What the rig carries without the gateway.",
    "stateful": "The tier's throughput through the firewall.",
    "loss": "Packets lost on the way.",
    "enforcement": "What no policy permits is blocked.",
    "ceiling": "The tier's rate and no more.",
    "security_services": "What inspection stops, and what it costs.",
    "large_file": "Checks that download one large file, with services off and on.",
    "downloads": "Checks that time downloads.",
    "proxy": "The explicit web proxy and its users.",
    "site_to_site": "Tunnels to other offices: ciphers, number, and how they come back.",
    "vpn": "The promised VPN users, and who is refused.",
    "provisioning": "Tenants beside the customer, step by step.",
    "study": "Parts of a published method that is carried out whole.",
    "edge": "Where the customer's network meets others: addresses, floods, who is who.",
    "objectives": "Classes of service: rate, loss, delay and its variation (ITU-T Y.1564).",
    "latency": "How much later packets come because of the gateway.",
    "handover": "The gateway is as it was before.",
    "throughput": "Checks that send a set of trials.",
    "load": "Checks of many users, tunnels or tenants, which other traffic would disturb.",
}


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
