"""The command line: ``run``, ``validate``, ``restore``, ``certificate``."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from gatepass.errors import InputError

DONE, MISTAKE, FAULT = 0, 64, 70
NOT_RESTORED = 2
DEFAULT_ORDER = "variables/orders/lab.yaml"

_EPILOG = """\
without --testbed the embedded lab is built, used and taken down again (needs root; see `lab`)

other commands
  validate                read the order, the testbed and the options of a run, and touch nothing
  restore [RUN …]         bring a gateway back that a killed run left changed
  certificate OUTPUT.XML  make the certificate of a run again from its output.xml
  lab up|status|shell|fault|down
                          open the embedded lab for exploring; `./run.sh lab --help`
  test                    run the project's own tests

exit codes
  0 approved   1 rejected   2 not proven   64 a mistake in the call or an input file   70 a fault
  of Gatepass itself

examples
  ./run.sh
  ./run.sh --order variables/orders/sgw-500-site.yaml --testbed variables/testbeds/site.yaml
  ./run.sh --profile standard -- --suite "Stateful Firewall"
"""


class _Parser(argparse.ArgumentParser):
    """Mistakes in the call are one sentence and exit code 64."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message[0].upper()}{message[1:]}. See {self.prog} --help.")


def _file(name: str) -> Path:
    """A path; an empty name would be this very folder."""
    if not name:
        raise argparse.ArgumentTypeError("the name of the file is empty")
    return Path(name)


def main(arguments: Sequence[str]) -> int:
    """Do what the call says; its exit code. No traceback reaches the user."""
    try:
        return _dispatch(list(arguments))
    except InputError as mistake:
        print(f"Mistake: {mistake}", file=sys.stderr)
        return MISTAKE
    except KeyboardInterrupt:
        mend = "`./run.sh restore` mends a gateway that is left changed."
        print(f"Interrupted. {mend}", file=sys.stderr)
        return NOT_RESTORED
    except Exception as error:
        print(
            f"Gatepass itself failed ({type(error).__name__}: {error}). Please report it; with "
            "GATEPASS_DEBUG=1 the details are shown.",
            file=sys.stderr,
        )
        if os.environ.get("GATEPASS_DEBUG"):
            traceback.print_exc()
        return FAULT


def _dispatch(arguments: list[str]) -> int:
    command = arguments[0] if arguments and not arguments[0].startswith("-") else "run"
    commands = {
        "run": _run,
        "validate": _validate,
        "restore": _restore,
        "certificate": _certificate,
    }
    if command not in commands:
        raise InputError(
            f"there is no command '{command[:60]}'. There are run, validate, restore, certificate, "
            "lab and test; see ./run.sh --help."
        )
    return commands[command](arguments[1:] if arguments[:1] == [command] else arguments)


def _run(arguments: list[str]) -> int:
    told, robot = _call(arguments, "./run.sh")
    if told.testbed is None:
        raise InputError("--testbed FILE is missing. Call ./run.sh without it to build a lab.")
    from gatepass.run import Call, run  # Robot is loaded only when it is to run

    return run(Call(told.order, told.testbed, told.profile, tuple(robot)))


def _validate(arguments: list[str]) -> int:
    told, robot = _call(arguments, "./run.sh validate")
    from gatepass.run import Call, validated

    print(validated(Call(told.order, told.testbed, told.profile, tuple(robot))))
    return DONE


def _call(arguments: list[str], prog: str) -> tuple[argparse.Namespace, list[str]]:
    """The options of a run, and those for Robot.

    Raises:
        InputError: one of ours is wrong.
    """
    own, robot = _split(arguments)
    parser = _Parser(
        prog=prog,
        description="Shows whether a security gateway does what the customer ordered: configures "
        "it, drives traffic through it, restores it, and writes a report and a certificate.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--order", metavar="FILE", type=_file, default=DEFAULT_ORDER, help="what was ordered"
    )
    parser.add_argument("--testbed", metavar="FILE", type=_file, help="where it is tested")
    parser.add_argument(
        "--profile",
        metavar="NAME",
        help="how thoroughly: quick (default), standard, y1564-15min, y1564-2h, y1564-24h, thesis",
    )
    parser.add_argument(
        "--yes", action="store_true", help="install missing system packages without asking"
    )
    parser.add_argument("robot", nargs="?", metavar="-- ROBOT OPTIONS", help=argparse.SUPPRESS)
    told = parser.parse_args(own)
    if told.robot is not None:
        raise InputError(f"'{told.robot[:60]}' is no option. See ./run.sh --help.")
    return told, robot


def _restore(arguments: list[str]) -> int:
    parser = _Parser(
        prog="./run.sh restore",
        description="Brings every gateway back that a killed run left changed.",
        allow_abbrev=False,
    )
    parser.add_argument("runs", nargs="*", metavar="RUN", help="folder names below results/")
    told = parser.parse_args(arguments)
    from gatepass.paths import RESULTS
    from gatepass.restore import restore_all
    from ssh_shell import clean_endpoints

    restored = restore_all(RESULTS, clean_endpoints, told.runs or None)
    for one in restored:
        print(f"{one.run}: {one.sentence}")
        for line in one.details:
            print(f"  {line}")
    if not restored:
        print("Nothing to restore: no run has left a gateway changed.")
    return DONE if all(one.done for one in restored) else NOT_RESTORED


def _certificate(arguments: list[str]) -> int:
    parser = _Parser(
        prog="./run.sh certificate",
        description="Makes the certificate of a run again from its output.xml alone.",
        allow_abbrev=False,
    )
    parser.add_argument("output", metavar="OUTPUT.XML", type=_file, help="of a run, or merged")
    parser.add_argument(
        "--to", metavar="FILE", type=_file, help="default: certificate.html beside it"
    )
    told = parser.parse_args(arguments)
    from robot.errors import DataError

    from gatepass import certificate

    target = told.to or told.output.with_name("certificate.html")
    try:
        outcome = certificate.write(told.output, target)
    except (DataError, OSError) as error:
        raise InputError(
            f"{told.output}: no certificate can be made of it: {str(error).splitlines()[0]}. "
            "Name an output.xml of Robot Framework, and a place that can be written."
        ) from None
    print(f"{outcome.verdict.upper()}: {target}")
    return DONE


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Our own words, and Robot's after the first ``--``."""
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1 :]
