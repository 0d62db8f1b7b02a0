"""The lab's command line: `python -m lab`."""

import argparse
import os
import secrets
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from lab.base.errors import Interrupted, LabError, LabMistake
from lab.base.faults import FAULTS, fault, pairs, parse
from lab.base.process import Process
from lab.faults.injection import Injection
from lab.lifecycle.device import DEFAULT_VERSION, DELIVERED, Delivery
from lab.lifecycle.state import Lab, check_name, lab, names
from lab.lifecycle.takedown import down, remove_left_behind
from lab.lifecycle.tiers import check_tier
from lab.nodes.node import Node, environment
from lab.nodes.topology import CONTROL, NODES
from lab.report import fault_list, status
from lab.run import interruptible, undisturbed
from lab.several import run_in_labs, several

DEFAULT_NAME = "default"
_WITH_COMMAND = ("run", "exec")

_DESCRIPTION = """\
The embedded lab: a client, a server, another office (the peer) and a gateway between them, made
of network namespaces on this machine. Nothing of it touches the machine's own network. It needs
root."""
_EPILOG = """\
examples:
  python -m lab up                      build a lab that stays, and say how to reach it
  python -m lab shell client            look around in its client
  python -m lab fault packet-loss percent=5
  python -m lab down                    take it down
  python -m lab run -- ./check {testbed}
                                        build a lab, run a command against it, take it down

exit codes: 0 done; 64 a mistake in the call; 70 the lab itself failed; with `run` and `exec`
the command's own."""


class _Parser(argparse.ArgumentParser):
    """Ends with one sentence and 64 at a mistake in the call."""

    def error(self, message: str) -> NoReturn:
        raise LabMistake(f"{message[0].upper()}{message[1:]}; see: {self.prog} --help")


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out one command.

    Args:
        arguments: words of the command line; those of this process when None.

    Returns:
        The exit code.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        options = _options(words)
        if os.geteuid() != 0 and not getattr(options, "list", False):
            raise LabError("The lab makes network namespaces and needs root; run this with sudo.")
        return options.action(options)
    except LabError as error:
        print(f"lab: {error}", file=sys.stderr)
        return error.exit_code
    except (Interrupted, KeyboardInterrupt) as stop:
        print("lab: stopped.", file=sys.stderr)
        return getattr(stop, "exit_code", 130)
    except OSError as error:
        print(f"lab: {error.filename or 'the system'}: {error.strerror}.", file=sys.stderr)
        return LabError.exit_code
    except Exception as error:  # 1, as Python would end by itself, is a verdict of what runs in it
        print(f"lab: it failed itself ({type(error).__name__}: {error}).", file=sys.stderr)
        return LabError.exit_code


def _options(words: list[str]) -> argparse.Namespace:
    """What the words ask for; a command after `--` is none of the parser's business."""
    command: list[str] = []
    parser = _parser()
    if words and words[0] in _WITH_COMMAND and "--" in words:
        at = words.index("--")
        words, command = words[:at], words[at + 1 :]
    options = parser.parse_args(words)
    options.command = command
    if options.verb in _WITH_COMMAND and not command:
        raise LabMistake(f"{options.verb} needs a command after --; see: {parser.prog} --help")
    return options


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m lab",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    verbs = parser.add_subparsers(dest="verb", metavar="COMMAND", required=True)

    def verb(name: str, action: Callable[[argparse.Namespace], int], text: str, **more: str):
        one = verbs.add_parser(
            name, help=text, description=f"{text[0].upper()}{text[1:]}.", allow_abbrev=False, **more
        )
        one.set_defaults(action=action)
        return one

    one = verb("up", _up, "build a lab that stays until it is taken down")
    _add_name(one)
    _add_delivery(one)
    one = verb("status", _status, "say what a lab consists of and whether it runs")
    _add_name(one)
    one = verb("shell", _shell, "open a shell in a node of a lab")
    one.add_argument("node", metavar="NODE", choices=NODES, help=", ".join(NODES))
    _add_name(one)
    one = verb(
        "exec",
        _exec,
        "run a command in a node of a lab",
        usage="python -m lab exec NODE [--lab NAME] -- COMMAND…",
        epilog=f"{CONTROL} is this machine in the lab's management network, with its files and in "
        "the current folder; the other nodes have a /tmp and a home of their own.",
    )
    one.add_argument("node", metavar="NODE", choices=NODES, help=", ".join(NODES))
    _add_lab(one)
    one = verb("down", _down, "take a lab down, and what killed runs left")
    _add_name(one)
    one.add_argument("--all", action="store_true", help="every lab, also those of running tests")
    one = verb("fault", _fault, "make a lab faulty on purpose, or whole again")
    one.add_argument("name", metavar="NAME", nargs="?", help="which fault; see --list")
    one.add_argument("parameters", metavar="KEY=VALUE", nargs="*", help="figures of the fault")
    one.add_argument("--list", action="store_true", help="say what faults there are")
    one.add_argument("--clear", action="store_true", help="take the fault back; all without NAME")
    _add_lab(one)
    one = verb(
        "run",
        _run,
        "build a lab, run a command against it, take the lab down",
        usage="python -m lab run [--name NAME] [--gateways N] [--tier NAME]… "
        "[--fault NAME[,KEY=VALUE…]]… -- COMMAND…",
        epilog="{testbed} in the command stands for the path of the lab's testbed file; a word "
        "that holds it is repeated for each lab. The exit code is the command's.",
    )
    one.add_argument("--name", help="the lab's name; a new one unless given")
    one.add_argument(
        "--gateways", metavar="N", type=int, help="build N labs, one a tier unless given"
    )
    one.add_argument(
        "--fault",
        dest="faults",
        metavar="NAME[,KEY=VALUE…]",
        action="append",
        default=[],
        help="put this fault in force before the command; may be given several times",
    )
    _add_delivery(one)
    return parser


def _add_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name", metavar="NAME", nargs="?", help=f"which lab (default: {DEFAULT_NAME})"
    )


def _add_lab(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--lab", metavar="NAME", default=DEFAULT_NAME, help="which lab (default: %(default)s)"
    )


def _add_delivery(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--version",
        default=DEFAULT_VERSION,
        help="FortiOS version whose behaviour the gateway shows (default: %(default)s)",
    )
    parser.add_argument(
        "--delivered",
        metavar="FILE",
        type=Path,
        default=DELIVERED,
        help="FortiOS script with what the provider configured (default: lab/delivered.conf)",
    )
    parser.add_argument(
        "--tier",
        dest="tiers",
        metavar="NAME",
        type=check_tier,
        action="append",
        default=[],
        help="deliver the gateway as this service tier; with `run` several times, a lab each",
    )
    parser.add_argument(
        "--factory",
        dest="delivered",
        action="store_const",
        const=None,
        help="leave the gateway as from the factory, without what a provider configured",
    )


def _built(name: str, options: argparse.Namespace, tier: str | None) -> Lab:
    """Build a lab that is this process's own."""
    # Here, as its libraries take half a second to import and no other command needs them.
    from lab.lifecycle.build import up

    owner = Process.of(os.getpid())
    assert owner is not None
    return up(name, owner, Delivery(options.version, options.delivered, tier))


def _clean() -> None:
    for name in remove_left_behind():
        print(f"Lab {name} was left behind and is taken down.", file=sys.stderr)


def _up(options: argparse.Namespace) -> int:
    name = check_name(options.name or DEFAULT_NAME)
    begin = time.monotonic()
    with interruptible():
        _clean()
        built = _built(name, options, options.tiers[-1] if options.tiers else None)
        built.owner = None
        built.save()
    print(f"Lab {name} is up ({time.monotonic() - begin:.1f} s).")
    print(f"Testbed:   {built.testbed}")
    print(f"Look in:   python -m lab shell client{_said(name)}")
    print(f"Take down: python -m lab down{_said(name)}")
    return 0


def _said(name: str) -> str:
    return "" if name == DEFAULT_NAME else f" {name}"


def _status(options: argparse.Namespace) -> int:
    name = check_name(options.name or DEFAULT_NAME)
    found = Lab.load(name)
    if found is None:
        print(f"There is no lab {name}.")
    else:
        print(status(found))
    others = [other for other in names() if other != name]
    if others:
        print(f"Other labs: {', '.join(others)}")
    return 0 if found is not None and found.complete and found.running() else 1


def _shell(options: argparse.Namespace) -> int:
    name = options.name or DEFAULT_NAME
    node = lab(name).node(options.node)
    settings = {**environment(), "PS1": f"[lab {name}] {options.node} \\w # "}
    _become(node, ["/bin/bash", "--norc", "-i"], settings)


def _exec(options: argparse.Namespace) -> int:
    _become(lab(options.lab).node(options.node), options.command, environment())


def _become(node: Node, command: Sequence[str], settings: dict[str, str]) -> NoReturn:
    """Go on as that command in the node; its exit code is then ours."""
    folder = os.getcwd() if node.name == CONTROL else settings["HOME"]
    words = node.entering(command, folder)
    os.execvpe(words[0], words, settings)


def _down(options: argparse.Namespace) -> int:
    if options.all and options.name:
        raise LabMistake("Down takes a NAME or --all, not both.")
    wanted = names() if options.all else [check_name(options.name or DEFAULT_NAME)]
    with undisturbed():
        for name in wanted:
            existed = down(name)
            print(f"Lab {name} is taken down." if existed else f"There is no lab {name}.")
        _clean()
    return 0


def _fault(options: argparse.Namespace) -> int:
    if options.list:
        print(fault_list(FAULTS.values()))
        return 0
    if options.name is None and not options.clear:
        raise LabMistake("Fault needs a NAME, --list or --clear; see: python -m lab fault --help")
    if options.name is None:
        Injection(lab(options.lab)).clear_all()
        print(f"Lab {options.lab} has no fault any more.")
        return 0
    chosen = fault(options.name)
    values = chosen.values(pairs(options.parameters))
    injection = Injection(lab(options.lab))
    if options.clear:
        injection.clear(chosen)
        print(f"Lab {options.lab} is without {chosen.name}.")
    else:
        injection.inject(chosen, values)
        print(f"Lab {options.lab} has {chosen.name}: {chosen.notice}")
    return 0


def _run(options: argparse.Namespace) -> int:
    name = options.name or f"run-{secrets.token_hex(3)}"
    faults = [parse(text) for text in options.faults]
    wanted = several(name, options.gateways, options.tiers)
    with interruptible():
        _clean()
        return run_in_labs(
            wanted, lambda one, tier: _built(one, options, tier), faults, options.command
        )
