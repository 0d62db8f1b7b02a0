"""`./run.sh study NAME`: one published method carried out whole, with a page of its own.

It is a run like any other: the gateway is met, its configuration saved, and put back at the end.
Nothing but the study is looked at, so that it says nothing about the order as a whole: there is no
certificate, and the exit code is that of the study's own checks.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from gatepass.base.arguments import Parser, file
from gatepass.base.boxed import boxed, one_line
from gatepass.base.chapters import title
from gatepass.base.errors import InputError
from gatepass.base.paths import HISTORY, VARIABLES
from gatepass.inputs.studies import STUDIES, must_be_study
from gatepass.proof import signing_key
from gatepass.report import study as pages
from gatepass.report.reasons import reasons
from gatepass.results.outcome import Outcome, read, read_digested
from gatepass.results.record import APPROVED, NOT_PROVEN, REJECTED
from gatepass.run import aftermath, plan
from gatepass.run.execution import OUTPUT
from gatepass.run.run import Call, run, validated

_WORDS = {
    APPROVED: "carried out; what the order has a figure for is reached",
    REJECTED: "carried out; the gateway misses what was ordered",
    NOT_PROVEN: "not proven",
}
_DEFAULT_ORDER = VARIABLES / "orders" / "lab.yaml"


def study(arguments: Sequence[str]) -> int:
    """Do what the call says; its exit code.

    Raises:
        InputError: a mistake in the call or an input file; nothing was touched.
    """
    args = _parser().parse_args(arguments)
    method = must_be_study(args.name)
    if args.output:
        return _again(args.output, method.name)
    if args.testbed is None:
        raise InputError("--testbed FILE is missing. Call ./run.sh without it to build a lab.")
    print(f"Study    {method.name}: {method.title}\n         {method.source}", flush=True)
    return run(_call(args), lambda folder: _ended(folder, method.name))


def must_be_sound(arguments: Sequence[str]) -> None:
    """Read everything that a call names; nothing is contacted.

    Raises:
        InputError: a mistake in the call or an input file.
    """
    args = _parser().parse_args(arguments)
    must_be_study(args.name)
    validated(_call(args))


def _parser() -> Parser:
    parser = Parser(
        prog="./run.sh study",
        description="Carries a published method out whole on a gateway: with its own conditions "
        "and stopping rule, and a page with its tables beside the published figures. There are "
        f"{', '.join(STUDIES)}; see docs/studies.md.",
        allow_abbrev=False,
    )
    parser.add_argument("name", metavar="NAME", help="of the study")
    parser.add_argument(
        "--order", metavar="FILE", type=file, default=_DEFAULT_ORDER, help="what was ordered"
    )
    parser.add_argument("--testbed", metavar="FILE", type=file, help="where it is tested")
    parser.add_argument(
        "--profile", metavar="NAME", help="quick (default): minutes; standard: as the source has it"
    )
    parser.add_argument("--key", metavar="FILE", type=file, help=signing_key.HELP)
    parser.add_argument(
        "--output", metavar="OUTPUT.XML", type=file, help="make the page of a run again from it"
    )
    return parser


def _call(args: argparse.Namespace) -> Call:
    signing_key.choose(args.key)
    parts = (title("preflight"), f"{title('studies')}.{args.name.title()}", title("handover"))
    robot = tuple(word for part in parts for word in ("--suite", f"{plan.NAME}.{part}"))
    return Call(args.order, args.testbed, args.profile, robot, studies=(args.name,))


def _ended(folder: Path, name: str) -> str:
    """Page, results, record, closing box; the verdict."""
    output = folder / OUTPUT
    outcome = read(output)
    written = pages.write(outcome, folder)
    aftermath.keep(outcome, sha256(output.read_bytes()).hexdigest(), output, HISTORY)
    own = alone(outcome)
    lines = [
        f"Study {name}: {_WORDS[own.verdict]}",
        *(["LAB: a stand-in, not a FortiGate; its figures are no FortiGate's."] * outcome.lab),
        *(f"- {one_line(reason.sentence)}" for reason in reasons(own)[:8]),
    ]
    page = written.get(name, "none: the study came to no table")
    signed = aftermath.seal_and_sign(folder, outcome, own)
    below = {"Page": page, "Report": folder / "report.html"}
    if signed:
        below["Signed"] = signed
    print("\n" + boxed(lines, below), flush=True)
    return own.verdict


def _again(output: Path, name: str) -> int:
    outcome, _ = read_digested(output)
    written = pages.write(outcome, output.parent)
    if name not in written:
        raise InputError(f"{output}: it holds no table of the study {name}.")
    print(written[name])
    return 0


def alone(outcome: Outcome) -> Outcome:
    """A run without the checks that were no part of the call."""
    ran = [check for check in outcome.checks if check.said.name != "did_not_run"]
    return replace(outcome, checks=ran, partial=True)
