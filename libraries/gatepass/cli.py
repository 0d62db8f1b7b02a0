"""The command line: dispatches the commands of ``./run.sh`` and turns mistakes into sentences."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence

from gatepass.base.arguments import Parser as _Parser
from gatepass.base.arguments import file as _file
from gatepass.base.arguments import split
from gatepass.base.environment import forget_foreign
from gatepass.base.errors import InputError
from gatepass.base.printable import shown
from gatepass.proof import signing_key

DONE, MISTAKE, FAULT = 0, 64, 70
NOT_RESTORED = 2
NOT_UNCHANGED = 1
_INTERNAL = ("worker", "labs-for")  # what run.sh and pabot call, not a user
_ACTING = ("run", "worker", "restore", "study")
"""What they did counts, whoever reads what they say of it."""
DEFAULT_ORDER = "variables/orders/lab.yaml"

_EPILOG = """\
without --testbed the embedded lab is built, used and taken down again (needs root; see `lab`)

several gateways at once; see docs/fleet.md
  --order FILE --order FILE … --testbed FILE --testbed FILE …
                          each order on the testbed of the same position, side by side
  --orders FOLDER --testbeds FOLDER
                          each order on a testbed of a pool that fits and is free
  --lab-gateways N        N labs on this machine, each with an order of another tier
  --processes N           at most so many at once
  --shard I/N --turns SOCKET
                          part I of N machines, which share a lock server
  --resume RUN            go on with the orders of a fleet's run that have no verdict yet

other commands
  validate                read the order, the testbed and the options of a run, and touch nothing
  doctor --testbed FILE [--order FILE]
                          tell within seconds what keeps checks from being proven, and change
                          nothing; with --print-setup how to make the gateway's API user
  study NAME              carry a published method out whole, with a page of its own; see
                          docs/studies.md
  replay FILE             run the checks that only talk to the API on what --record-api recorded
  draft-flows             draft an order's flows from a gateway's policies, for you to confirm
  restore [RUN …]         bring a gateway back that a killed run left changed
  certificate OUTPUT.XML  make the certificate of a run again from its output.xml
  results OUTPUT.XML      make the files for programs of a run again from its output.xml
  history                 what was measured run by run: one gateway, or a fleet; see docs/history.md
  serve                   all runs in a browser on this machine: one under way, two compared
  dashboard               one HTML page over the checks of all runs
  turns-server SOCKET     the lock server of a fleet on several machines; see docs/fleet.md
  fleet FOLDER …          one page of a fleet's orders again, or the parts of a fleet joined
  verify RUN              tell who vouches for a run, and whether it is unchanged and follows from
                          its trials (0 all in order, 1 something is wrong, 3 nobody vouches); also
                          of a certificate, and of the folder of all runs; see docs/verify.md
  sign RUN --key FILE     sign a run with a key of OpenSSH; with --pdf-key FILE its certificate.pdf
                          too, as readers of PDF show it
  export FOLDER --to FOLDER
                          what of a run, or of all runs of a folder, is for the customer and for a
                          pipeline's artifacts; see docs/pipelines.md
  lab up|status|shell|fault|down
                          open the embedded lab for exploring; `./run.sh lab --help`
  test                    run the project's own tests

exit codes
  0 approved   1 rejected   2 not proven   64 a mistake in the call or an input file   70 a fault
  of Gatepass itself

examples
  ./run.sh
  ./run.sh --order variables/orders/sgw-500-site.yaml --testbed variables/testbeds/site.yaml
  ./run.sh --profile standard -- --suite "Stateful firewall"
  ./run.sh --lab-gateways 4
"""


def acts(arguments: Sequence[str]) -> bool:
    """Whether a call does something to a gateway, so that its exit code has to be that of a run."""
    return not arguments or arguments[0] in _ACTING or arguments[0].startswith("-")


def main(arguments: Sequence[str]) -> int:
    """Do what the call says; its exit code. No traceback reaches the user."""
    forget_foreign()
    try:
        return _dispatch(list(arguments))
    except InputError as mistake:
        print(f"Mistake: {' '.join(shown(str(mistake)).splitlines())}", file=sys.stderr)
        return MISTAKE
    except KeyboardInterrupt:
        mend = "`./run.sh restore` mends a gateway that is left changed."
        print(f"Interrupted. {mend}", file=sys.stderr)
        return NOT_RESTORED
    except Exception as error:
        what = f"{type(error).__name__}: {shown(str(error))}"
        print(
            f"Gatepass itself failed ({what}). Please report it; with GATEPASS_DEBUG=1 the details "
            "are shown.",
            file=sys.stderr,
        )
        if os.environ.get("GATEPASS_DEBUG"):
            traceback.print_exc()
        return FAULT


def _dispatch(arguments: list[str]) -> int:
    command = arguments[0] if arguments and not arguments[0].startswith("-") else "run"
    commands = {
        "run": _run,
        "worker": _worker,
        "labs-for": _labs_for,
        "validate": _validate,
        "doctor": _doctor,
        "study": _study,
        "replay": _replay,
        "draft-flows": _draft_flows,
        "restore": _restore,
        "certificate": _certificate,
        "verify": _verify,
        "sign": _sign,
        "export": _export,
        "results": _results,
        "history": _history,
        "dashboard": _dashboard,
        "serve": _serve,
        "fleet": _fleet,
        "turns-server": _turns_server,
    }
    if command not in commands:
        shown = [name for name in commands if name not in _INTERNAL]
        raise InputError(
            f"there is no command '{command[:60]}'. There are {', '.join(shown)}, lab and test; "
            "see ./run.sh --help."
        )
    return commands[command](arguments[1:] if arguments[:1] == [command] else arguments)


def _run(arguments: list[str]) -> int:
    from gatepass.fleet import call

    if call.is_fleet(arguments):
        from gatepass.fleet.run import run as run_fleet

        return run_fleet(call.read(arguments))
    args, robot = _call(arguments, "./run.sh")
    if args.testbed is None:
        raise InputError("--testbed FILE is missing. Call ./run.sh without it to build a lab.")
    from gatepass.run.run import Call, run  # Robot is loaded only when it is to run

    return run(Call(args.order, args.testbed, args.profile, tuple(robot), args.record_api))


def _worker(arguments: list[str]) -> int:
    from gatepass.fleet.worker import work

    return work(arguments)


def _labs_for(arguments: list[str]) -> int:
    """For run.sh: the tiers of the labs that several orders need; nothing for a single one."""
    from gatepass.fleet import call

    if arguments[:1] == ["study"]:
        from gatepass.run.study import must_be_sound

        must_be_sound(arguments[1:])
    elif call.is_fleet(arguments):
        print(*call.tiers_of_labs(call.read(arguments)))
    else:
        _validated(arguments)
    return DONE


def _validate(arguments: list[str]) -> int:
    from gatepass.fleet import call

    if call.is_fleet(arguments):
        print(call.sentence(call.read(arguments)))
    else:
        print(_validated(arguments))
    return DONE


def _validated(arguments: list[str]) -> str:
    args, robot = _call(arguments, "./run.sh validate")
    from gatepass.run.run import Call, validated

    return validated(Call(args.order, args.testbed, args.profile, tuple(robot), args.record_api))


def _call(arguments: list[str], prog: str) -> tuple[argparse.Namespace, list[str]]:
    """The options of a run, and those for Robot.

    Raises:
        InputError: one of ours is wrong.
    """
    own, robot = split(arguments)
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
        "--record-api",
        metavar="FILE",
        type=_file,
        help="keep what the gateway is asked and answers, without secrets; .gz: compressed",
    )
    parser.add_argument("--key", metavar="FILE", type=_file, help=signing_key.HELP)
    parser.add_argument(
        "--yes", action="store_true", help="install missing system packages without asking"
    )
    parser.add_argument("robot", nargs="?", metavar="-- ROBOT OPTIONS", help=argparse.SUPPRESS)
    args = parser.parse_args(own)
    if args.robot is not None:
        raise InputError(f"'{args.robot[:60]}' is no option. See ./run.sh --help.")
    signing_key.choose(args.key)
    return args, robot


def _doctor(arguments: list[str]) -> int:
    from gatepass.doctor.command import doctor

    return doctor(arguments)


def _study(arguments: list[str]) -> int:
    from gatepass.run.study import study

    return study(arguments)


def _replay(arguments: list[str]) -> int:
    from gatepass.run.replay import replay

    return replay(arguments)


def _draft_flows(arguments: list[str]) -> int:
    from gatepass.run.draft_flows import draft_flows

    return draft_flows(arguments)


def _restore(arguments: list[str]) -> int:
    parser = _Parser(
        prog="./run.sh restore",
        description="Brings every gateway and endpoint back that a run left changed.",
        allow_abbrev=False,
    )
    parser.add_argument("runs", nargs="*", metavar="RUN", help="folder names below results/")
    parser.add_argument(
        "--by-mark",
        action="store_true",
        help="also remove what bears a run's mark and stands in no readable line of its journal",
    )
    args = parser.parse_args(arguments)
    from gatepass.base.paths import RESULTS
    from gatepass.endpoint.ssh import clean_endpoints
    from gatepass.gateway.restore import restore_all

    restored = restore_all(RESULTS, clean_endpoints, args.runs or None, args.by_mark)
    for one in restored:
        print(f"{one.run}: {shown(one.sentence)}")
        for line in one.details:
            print(f"  {shown(line)}")
    if not restored:
        whose = f"{', '.join(args.runs)} has" if args.runs else "no run has"
        left = "left nothing" if args.runs else "left anything"
        print(f"Nothing to restore: {whose} {left} on its gateway or on an endpoint.")
    return DONE if all(one.done for one in restored) else NOT_RESTORED


def _certificate(arguments: list[str]) -> int:
    parser = _Parser(
        prog="./run.sh certificate",
        description="Makes the certificate of a run again from its output.xml alone.",
        allow_abbrev=False,
    )
    parser.add_argument("output", metavar="OUTPUT.XML", type=_file, help="of a run")
    parser.add_argument(
        "--to", metavar="FILE", type=_file, help="default: certificate.html beside it"
    )
    args = parser.parse_args(arguments)
    from gatepass.report import certificate
    from gatepass.results.outcome import read_digested

    target = args.to or args.output.with_name("certificate.html")
    if target.suffix.lower() != ".html":
        raise InputError(f"--to {target}: name an .html file; the PDF is made beside it.")
    read_digested(args.output)  # says what is wrong with it
    try:
        outcome = certificate.write(args.output, target)
    except OSError as error:
        raise InputError(
            f"{target}: the certificate cannot be written: {error.strerror}. Name a place that "
            "can be written with --to."
        ) from None
    print(f"{outcome.verdict.upper()}: {target}")
    print(f"PDF: {certificate.write_pdf(outcome, target)}")
    return DONE


def _verify(arguments: list[str]) -> int:
    from gatepass.history.against_outputs import look
    from gatepass.proof.command import verify

    return verify(arguments, look)


def _sign(arguments: list[str]) -> int:
    from gatepass.proof.command import sign

    return sign(arguments)


def _export(arguments: list[str]) -> int:
    from gatepass.proof.export_command import export_runs

    return export_runs(arguments)


def _results(arguments: list[str]) -> int:
    from gatepass.report.results_command import results

    return results(arguments)


def _history(arguments: list[str]) -> int:
    from gatepass.history.command import history

    try:
        code = history(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # who reads it has read enough; it only shows, so nothing is lost
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE


def _dashboard(arguments: list[str]) -> int:
    from gatepass.report.dashboard import dashboard

    return dashboard(arguments)


def _serve(arguments: list[str]) -> int:
    from gatepass.serve.command import serve

    return serve(arguments)


def _turns_server(arguments: list[str]) -> int:
    from gatepass.fleet.turns_server import serve

    parser = _Parser(prog="./run.sh turns-server", description="A fleet's lock server.")
    parser.add_argument("socket", type=_file, help="where it is reached; made, and removed after")
    serve(parser.parse_args(arguments).socket.absolute())
    return DONE


def _fleet(arguments: list[str]) -> int:
    from gatepass.fleet.command import fleet

    return fleet(arguments)
