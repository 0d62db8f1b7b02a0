"""``./run.sh fleet``: the page of a fleet made again, or the parts of one joined."""

from __future__ import annotations

import argparse
from pathlib import Path

from gatepass.base.arguments import Parser, any_path
from gatepass.base.errors import InputError
from gatepass.fleet.closing import closing_box
from gatepass.fleet.outcome import read_fleet
from gatepass.fleet.page import write
from gatepass.report.results_json import NAME as RESULTS_JSON

_EPILOG = """\
an order that several folders hold counts with its newest run that has a verdict

exit codes
  0 every order approved   1 one rejected   2 none rejected, one not proven

examples
  ./run.sh fleet results/fleet-20261121-072231
  ./run.sh fleet part-1/results/fleet-* part-2/results/fleet-* --to joined
"""


def fleet(arguments: list[str]) -> int:
    """Do what the call says.

    Returns:
        The fleet's exit code.

    Raises:
        InputError: a mistake in the call, or a folder that is no fleet's.
    """
    parser = Parser(
        prog="./run.sh fleet",
        description="Makes the page of a fleet again from its plan and the results of its orders, "
        "or joins the parts that several machines ran: fleet.html, xunit.xml, and Robot's report.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("folders", nargs="+", metavar="FOLDER", type=any_path, help="of a fleet")
    parser.add_argument(
        "--to", metavar="FOLDER", type=any_path, help="where to write; needed for several folders"
    )
    args = parser.parse_args(arguments)
    target = args.to or _only(args.folders)
    if (target / RESULTS_JSON).exists():
        raise InputError(
            f"--to {target}: this is the folder of a single run, whose report and output.xml would "
            "be lost. Name a folder of its own."
        )
    outcome = read_fleet(args.folders, whole=True)
    try:
        target.mkdir(parents=True, exist_ok=True)
        write(target, outcome)
    except OSError as error:
        raise InputError(
            f"{target}: the fleet's page cannot be written there: {error.strerror}. Name a folder "
            "that can be written with --to."
        ) from None
    print(closing_box(outcome, target))
    return outcome.exit_code


def _only(folders: list[Path]) -> Path:
    if len(folders) > 1:
        raise InputError(
            "--to FOLDER is missing: the page of several folders belongs to none of them. Name "
            "where it is to lie, such as --to results/joined."
        )
    return folders[0]
