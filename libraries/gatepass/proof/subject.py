"""Who was tested, where: by the saved configuration, kept answers, and the testbed's file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from gatepass.base.errors import InputError
from gatepass.base.files import contents
from gatepass.gateway.journal import NAME as JOURNAL
from gatepass.gateway.saved import SAVED
from gatepass.inputs.yaml_file import read_yaml
from gatepass.proof import kept_inputs
from gatepass.proof.folder import INPUTS
from gatepass.proof.robot_output import RobotOutput
from gatepass.report.robot_text import quoted
from gatepass.results.facts import group
from gatepass.results.outcome import Outcome

_HOSTNAME = re.compile(
    r'^config system global$(?:(?!^end$).)*?^ +set hostname "?([^"\n]*)"?$',
    re.MULTILINE | re.DOTALL,
)
_LAB = "LAB"
"""What the serial numbers of the lab's stand-ins begin with."""
_LABS = re.compile(r"lab-run-[0-9a-f]+")
"""How the testbeds of labs are called that `./run.sh` builds."""


def contradictions(outcome: Outcome, output: RobotOutput, folder: Path) -> Iterator[str]:
    """What the record says of the gateway and the testbed otherwise than the kept files.

    Args:
        outcome: what the run's ``output.xml`` tells.
        output: what Robot wrote into it.
        folder: of the run.
    """
    gateway = group(outcome.run, "gateway")
    yield from _hostname(gateway, folder)
    yield from _answers(gateway, folder)
    yield from _journal(gateway, folder)
    yield from _testbed(outcome.run, folder)
    told = output.metadata.get("Gateway", "")
    made = quoted(
        f"{gateway.get('model')} {gateway.get('serial')}, FortiOS {gateway.get('version')} "
        f"build {gateway.get('build')}"
    )
    if gateway and told != made:
        yield f"the record's gateway is {made}; Robot's report was made with “{told}”."


def _hostname(gateway: Mapping[str, Any], folder: Path) -> Iterator[str]:
    try:
        saved = contents(folder / SAVED).decode("utf-8", errors="replace")
    except OSError:
        return  # the list of files has told that, or nothing was changed
    found = _HOSTNAME.search(saved)
    if found and gateway and found[1] != gateway.get("hostname"):
        yield (
            f"the record's gateway is called {gateway.get('hostname')}; in {SAVED}, which was "
            f"saved before the first change, it is {found[1]}."
        )


def _answers(gateway: Mapping[str, Any], folder: Path) -> Iterator[str]:
    """The gateway's own answers beside what failed."""
    for path in sorted(folder.glob("failures/**/gateway/status.json")):
        try:
            answer = json.loads(contents(path))
        except (OSError, ValueError):
            continue
        for key in ("serial", "version", "build"):
            if isinstance(answer, dict) and key in answer and answer[key] != gateway.get(key):
                yield (
                    f"the record's gateway has the {key} {gateway.get(key)}; by its own answer in "
                    f"{path.relative_to(folder).as_posix()} it is {answer[key]}."
                )


def _journal(gateway: Mapping[str, Any], folder: Path) -> Iterator[str]:
    """What was written down before the first change, where that file is still there."""
    try:
        first = contents(folder / JOURNAL).decode("utf-8").partition("\n")[0]
        start = json.loads(first.partition(" ")[2])
    except (OSError, ValueError):
        return
    if isinstance(start, dict) and start.get("serial") not in (None, gateway.get("serial")):
        yield (
            f"the record's gateway has the serial {gateway.get('serial')}; by {JOURNAL}, which was "
            f"begun before the first change, it is {start['serial']}."
        )


def _testbed(run: Mapping[str, Any], folder: Path) -> Iterator[str]:
    try:
        kept = read_yaml(folder / INPUTS / kept_inputs.TESTBED).data
    except InputError:
        return  # the list of files has told that
    testbed, gateway = group(run, "testbed"), group(run, "gateway")
    in_file = group(kept, "gateway")
    ports = {key: in_file.get(key) for key in ("client_port", "server_port")}
    made = {"name": kept.get("testbed")} | ports
    for key, of_file in made.items():
        if of_file is not None and testbed.get(key) != of_file:
            yield (
                f"the record says of the testbed: {key} is {testbed.get(key)}. By the file that "
                f"decided the run it is {of_file}."
            )
    host = urlsplit(str(in_file.get("url", ""))).hostname
    if gateway and host and gateway.get("host") != host:
        yield (
            f"the record's gateway was reached at {gateway.get('host')}; by the testbed's file it "
            f"is at {host}."
        )
    serial = str(gateway.get("serial", ""))
    if serial and bool(_LABS.fullmatch(str(made["name"]))) and not serial.startswith(_LAB):
        yield (
            f"the testbed {made['name']} is a lab's, and the gateway's serial {serial} is not that "
            "of a lab's stand-in."
        )
