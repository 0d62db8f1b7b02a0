"""`./run.sh replay`: the checks that need nothing but the gateway's API, on a recording of it.

Whoever has a device sends what it answered, and a difference becomes a test. A replay reaches
nobody and accepts nothing: it has no certificate, and stands apart from the runs that have one.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml

from gatepass.base.arguments import Parser
from gatepass.base.arguments import file as a_file
from gatepass.base.boxed import boxed
from gatepass.base.errors import InputError
from gatepass.base.new_folder import new_folder
from gatepass.base.paths import SUITES, VARIABLES
from gatepass.gateway import transport
from gatepass.gateway.player import Player
from gatepass.gateway.recording import Recording
from gatepass.inputs import load_catalogue, load_order, load_profile, load_testbed
from gatepass.run import plan
from gatepass.run.execution import API, Inputs, execute
from gatepass.run.recorded import OF_A_GATEWAY, OF_A_HOST

AS_RECORDED, OTHERWISE, NOT_COMPARED = 0, 1, 2
"""Exit codes."""
REPLAYS = "replays"
"""The folder below the results; a replay lies one deeper than a run, so that nobody finds it who
looks for runs, nor it their journals."""
_ROBOT = (
    *("--include", API, "--name", "Replay", "--reportbackground", "#eceff1:#eceff1:#eceff1"),
    *("--xunit", "xunit.xml"),
    *("--reporttitle", "Replay of a recording: no acceptance", "--logtitle", "Log of a replay"),
)
Input = TypeVar("Input")


def replay(arguments: Sequence[str]) -> int:
    """Run what needs nothing but the API on a recording.

    Returns:
        The exit code: 0 where each check ended as it was recorded, 1 where one did not, 2 where
        the recording lacks a verdict or an answer to tell by.

    Raises:
        InputError: a mistake in the call, the recording, or an input file.
    """
    args = _parser().parse_args(arguments)
    recording = Recording.read(args.recording)
    name = args.recording.name.removesuffix(".gz").removesuffix(".jsonl")
    folder = new_folder(f"{REPLAYS}/") / name
    folder.mkdir()
    try:
        inputs = _inputs(args, recording, folder)
    except InputError:
        shutil.rmtree(folder.parent)
        raise
    print(_plan(args.recording, recording), flush=True)
    player = Player(recording)
    with transport.by(player):
        execute(inputs, folder, _ROBOT)
    return _close(recording, player, folder)


def _parser() -> Parser:
    parser = Parser(
        prog="./run.sh replay",
        description="Runs the checks that need nothing but the gateway's REST API on what "
        "--record-api has recorded of one, and tells which of them end otherwise than they did. "
        "Nobody is reached.",
        allow_abbrev=False,
    )
    parser.add_argument("recording", metavar="FILE", type=a_file, help="of --record-api")
    for what in ("order", "testbed"):
        parser.add_argument(
            f"--{what}", metavar="FILE", type=a_file, help="default: the recorded one"
        )
    parser.add_argument("--profile", metavar="NAME", help="default: the recorded one")
    return parser


def _inputs(args: argparse.Namespace, recording: Recording, folder: Path) -> Inputs:
    """What the suites are given; what is recorded of it is written into the replay's folder.

    Raises:
        InputError: it cannot be used.
    """
    catalogue, head = load_catalogue(VARIABLES / "service_catalogue.yaml"), recording.head

    def usable(what: str, told: Mapping[str, object], load: Callable[[Path], Input]) -> Path:
        if given := getattr(args, what):
            load(given)
            return given
        path = folder / f"{what}.yaml"
        try:
            path.write_text(yaml.safe_dump(dict(told), sort_keys=False), encoding="utf-8")
            load(path)
        except RecursionError:
            raise InputError(f"{args.recording}, line 1: it is nested too deeply.") from None
        except InputError as mistake:
            raise InputError(
                f"{args.recording}, line 1: the {what} in this recording cannot be used "
                f"({str(mistake).removeprefix(f'{path}, ')}) Name one with --{what}."
            ) from None
        return path

    order = usable("order", head.order, lambda path: load_order(path, catalogue))
    testbed = usable("testbed", _whole(head.testbed), lambda path: load_testbed(path, used=False))
    profile = load_profile(VARIABLES / "profiles.yaml", args.profile or head.profile)
    return Inputs(order, testbed, profile.name)


def _whole(testbed: Mapping[str, Any]) -> dict[str, Any]:
    """A recorded testbed with all that a testbed has to have; what is added leads nowhere.

    A stranger may have written anything into it, commands among it: no more is taken over than
    what a recording tells.
    """
    ssh = {"user": "nobody", "key_file": "none", "known_hosts_file": "none"}
    return {
        "testbed": testbed.get("testbed"),
        "gateway": {
            **_some(testbed.get("gateway"), OF_A_GATEWAY),
            **{"ca_file": "none", "token": {"env": "NONE"}},
        },
        "endpoints": {
            name: {**_some(host, OF_A_HOST), "ssh": {"host": f"{name}.invalid", **ssh}}
            for name, host in _some(testbed.get("endpoints"), ("client", "server", "peer")).items()
        },
    }


def _some(group: object, keys: Sequence[str]) -> dict[str, Any]:
    return {key: group[key] for key in keys if key in group} if isinstance(group, dict) else {}


def _plan(path: Path, recording: Recording) -> str:
    """What is going to be done, before the first check."""
    _, chosen = plan.selected(SUITES, ["--include", API])
    head, left_out = recording.head, chosen.whole - chosen.checks
    bounded = ";\n           it stops at its bound, before its run's end" * recording.bounded
    return (
        f"Recording  {path}: {len(recording.exchanges):,} exchanges from {head.began} on, by "
        f"Gatepass {head.gatepass}{bounded}\n"
        f"Plan       {chosen.checks} of {chosen.whole} checks need nothing but the gateway's API; "
        f"the other {left_out} send traffic\n"
        "           or meet the gateway in other ways, and are left out"
    )


def _close(recording: Recording, player: Player, folder: Path) -> int:
    """The closing box, and the exit code."""
    alike, other, unknown = 0, [], []
    for check, now in player.verdicts.items():
        before = recording.verdicts.get(check)
        if before is None:
            unknown.append(f"{check}: is {now}; its run did not come to it")
        elif before == now:
            alike += 1
        elif check in player.unanswered:
            unknown.append(f"{check}: was {before}; the recording lacks an answer to tell by")
        else:
            other.append(f"{check}: was {before}, is {now}")
    lines = [
        f"Replay: {alike} of {len(player.verdicts)} checks ended as they were recorded",
        "No gateway was asked, and nothing is accepted.",
        *(f"- {one}" for one in other + unknown),
    ]
    below = {"Report": folder / "report.html", "Log": folder / "log.html"}
    print("\n" + boxed(lines, below), flush=True)
    return OTHERWISE if other else NOT_COMPARED if unknown or not alike else AS_RECORDED
