"""What a call for several orders asks for: read, checked, and put into a plan."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gatepass.base.arguments import Parser, any_path, file, split
from gatepass.base.errors import InputError
from gatepass.base.paths import FLEET, RESULTS, VARIABLES
from gatepass.fleet import entries as plan
from gatepass.fleet.entries import Entry
from gatepass.fleet.outcome import read_fleet
from gatepass.inputs import load_catalogue, load_order, load_profile, load_testbed
from gatepass.inputs.schema import did_you_mean
from gatepass.inputs.testbed import Testbed
from gatepass.proof import signing_key
from gatepass.run.at_work import at_work
from gatepass.run.run import Call, validated
from gatepass.run.turns import shared

CATALOGUE = VARIABLES / "service_catalogue.yaml"
LAB_ORDERS = VARIABLES / "orders" / "lab-fleet"
_ALWAYS = (
    *("--orders", "--testbeds", "--lab-gateways", "--lab", "--resume"),
    *("--shard", "--turns", "--processes"),
)
_TWICE = ("--order", "--testbed")


@dataclass(frozen=True)
class FleetCall:
    """What was asked for.

    Attributes:
        entries: the orders that this machine is to run.
        testbeds: those that any order of any machine may be run on; none for labs yet to be built.
        folder: of an earlier fleet's run that is to go on; None for a new one.
        turns: socket of a lock server that several machines share; None for one of our own.
        processes: how many orders may be run at once; None for as many as there is room for.
    """

    entries: list[Entry]
    testbeds: list[Testbed]
    folder: Path | None
    turns: str | None
    processes: int | None

    @property
    def at_once(self) -> int:
        """How many orders are at work at the same time."""
        pool = {path for entry in self.entries for path in entry.testbeds}
        room = min(len(self.entries), len(pool) or len(self.entries))
        return min(room, self.processes or room)


def is_fleet(arguments: Sequence[str]) -> bool:
    """Whether a call is about more than one order."""
    own, _ = split(arguments)
    keys = [word.partition("=")[0] for word in own]
    return any(key in _ALWAYS for key in keys) or any(keys.count(key) > 1 for key in _TWICE)


def read(arguments: Sequence[str]) -> FleetCall:
    """Read a call and everything that it names; nothing is contacted.

    Raises:
        InputError: a mistake in the call or an input file.
    """
    own, robot = split(arguments)
    args = _parser().parse_args(own)
    signing_key.choose(args.key)  # the runs find it in their environment
    if args.record_api:
        raise InputError(
            "--record-api records one run, and this call is for several orders. Record a call for "
            "a single order and testbed."
        )
    testbeds = _testbeds(args)
    if args.resume:
        folder, whole = _resumed(args)
        if any(entry.lab for entry in whole):  # the labs of then are gone
            whole = [replace(entry, testbed=None) for entry in whole]
            chosen = _placed(args, whole, testbeds)
        else:
            testbeds = [load_testbed(path) for path in _named_in(plan.load(folder))]
            chosen = whole
    else:
        folder = None
        whole = _orders(args, robot)
        plan.each_once(whole)
        whole = plan.numbered(whole)
        if not args.lab:  # labs are built for the orders of this machine alone
            whole = _placed(args, whole, testbeds)
        chosen = plan.sharded(whole, *args.shard) if args.shard else whole
        if args.lab:
            chosen = _placed(args, chosen, testbeds)
    if args.shard and not args.turns and not args.lab:
        _know_of_each_other(args, testbeds)
    _validate(chosen)
    for path in _named_in(chosen):
        load_testbed(path).gateway.must_have_secrets()
    return FleetCall(chosen, testbeds, folder, args.turns, args.processes)


def tiers_of_labs(call: FleetCall) -> list[str]:
    """The tier of each lab that is yet to be built for a call; none where there are testbeds."""
    return [entry.tier for entry in call.entries if entry.lab]


def sentence(call: FleetCall) -> str:
    """What was read, for `validate`."""
    orders = ", ".join(f"{entry.name} ({entry.tier})" for entry in call.entries)
    where = f"{len(call.testbeds)} testbeds" if call.testbeds else "a lab each"
    return f"Valid: {len(call.entries)} orders on {where}, {call.at_once} at once: {orders}."


def _parser() -> Parser:
    parser = Parser(prog="./run.sh", allow_abbrev=False, add_help=False)
    parser.add_argument("--order", type=file, action="append", default=[])
    parser.add_argument("--orders", type=any_path)
    parser.add_argument("--testbed", type=file, action="append", default=[])
    parser.add_argument("--testbeds", type=any_path)
    parser.add_argument("--lab-gateways", type=_number)
    parser.add_argument("--lab", action="store_true")  # run.sh has built the testbeds
    parser.add_argument("--profile")
    parser.add_argument("--processes", type=_number)
    parser.add_argument("--resume", type=any_path)
    parser.add_argument("--shard", type=_shard)
    parser.add_argument("--turns", type=_socket)
    parser.add_argument("--record-api")
    parser.add_argument("--key", type=file)
    parser.add_argument("--yes", action="store_true")
    return parser


def _number(text: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,3}", text):
        raise argparse.ArgumentTypeError(f"'{text[:40]}' is no whole number from 1 on")
    return int(text)


def _shard(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([1-9][0-9]{0,3})/([1-9][0-9]{0,3})", text)
    if not found or int(found[1]) > int(found[2]):
        raise argparse.ArgumentTypeError(
            f"'{text[:40]}' is no part of a whole; write 1/2 for the first of two machines"
        )
    return int(found[1]), int(found[2])


def _socket(text: str) -> str:
    path = Path(text).absolute()
    if not path.is_socket():
        raise argparse.ArgumentTypeError(
            f"'{text[:200]}' is no socket of a lock server; see docs/fleet.md"
        )
    return str(path)


def _orders(args: argparse.Namespace, robot: list[str]) -> list[Entry]:
    catalogue = load_catalogue(CATALOGUE)
    profile = load_profile(VARIABLES / "profiles.yaml", args.profile)
    if args.order and args.orders:
        raise InputError("--order and --orders are both given. Name the files or their folder.")
    paths = args.order or _files(args.orders or LAB_ORDERS, "--orders", "order")
    if args.lab_gateways and (args.order or args.orders):
        if len(paths) != args.lab_gateways:
            raise InputError(
                f"--lab-gateways {args.lab_gateways}: there are {len(paths)} orders, and each is "
                "for a gateway. Ask for as many."
            )
    elif args.lab_gateways:
        paths = _first(paths, args.lab_gateways)
    elif not (args.order or args.orders):
        raise InputError("several testbeds, but no orders: name them with --order or --orders.")
    return [Entry.of(load_order(path, catalogue), profile.name, robot) for path in paths]


def _first(paths: list[Path], number: int) -> list[Path]:
    if number > len(paths):
        raise InputError(
            f"--lab-gateways {number}: there are {len(paths)} orders in {LAB_ORDERS}, and each "
            f"gateway has its own. Ask for 1 to {len(paths)}, or name more orders with --orders."
        )
    return paths[:number]


def _files(folder: Path, option: str, kind: str) -> list[Path]:
    """The YAML files of a folder; a lab keeps its testbed one deeper."""
    if not folder.is_dir():
        raise InputError(f"{option} {folder}: there is no such folder. Name one with {kind}s.")
    found = sorted([*folder.glob("*.yaml"), *folder.glob("*.yml")])
    if kind == "testbed":
        found += sorted(folder.glob("*/testbed.yaml"))
    if not found:
        raise InputError(
            f"{option} {folder}: this folder holds no {kind} (*.yaml). Name one that does."
        )
    return found


def _testbeds(args: argparse.Namespace) -> list[Testbed]:
    if args.testbed and args.testbeds:
        raise InputError("--testbed and --testbeds are both given. Name the files or their folder.")
    if args.lab_gateways and (args.testbed or args.testbeds) and not args.lab:
        raise InputError("--lab-gateways builds the testbeds. Leave --testbed and --testbeds out.")
    pool = _files(args.testbeds, "--testbeds", "testbed") if args.testbeds else []
    testbeds = [load_testbed(path) for path in args.testbed or pool]
    for one in testbeds:
        _know_tiers(one)
    return testbeds


def _know_of_each_other(args: argparse.Namespace, testbeds: list[Testbed]) -> None:
    """Machines that use the same things need one lock server.

    Raises:
        InputError: they would disturb each other.
    """
    common = sorted({name for one in shared([bed.resources for bed in testbeds]) for name in one})
    if args.testbeds or common:
        what = "a pool of testbeds" if args.testbeds else f"testbeds that share {common[0]}"
        raise InputError(
            f"--turns SOCKET is missing: the machines of a --shard use {what}, so they need "
            "one lock server. See docs/fleet.md."
        )


def _know_tiers(testbed: Testbed) -> None:
    """A tier that there is not would keep a testbed out of the pool, and nobody would know why.

    Raises:
        InputError: the testbed is for such a tier.
    """
    known = load_catalogue(CATALOGUE).tiers
    for tier in testbed.tiers:
        if tier not in known:
            remedy = did_you_mean(tier, known) or "Choose among these."
            raise InputError(
                f"{testbed.path}, key 'tiers': found '{tier[:60]}'; allowed is a list of "
                f"{', '.join(known)}. {remedy}"
            )


def _placed(args: argparse.Namespace, entries: list[Entry], testbeds: list[Testbed]) -> list[Entry]:
    """The orders with their testbeds; those of labs that are yet to be built have none."""
    entries = [replace(entry, lab=args.lab or not testbeds) for entry in entries]
    if not testbeds:
        return entries
    place: Callable = plan.pooled if args.testbeds else plan.paired
    return place(entries, testbeds)


def _resumed(args: argparse.Namespace) -> tuple[Path, list[Entry]]:
    """An earlier fleet's folder, and its orders that have no verdict yet."""
    for option in ("order", "orders", "testbeds", "lab_gateways", "profile", "shard"):
        if getattr(args, option):
            name = option.replace("_", "-")
            raise InputError(f"--resume goes on as the run was called. Leave --{name} out.")
    folder = args.resume if args.resume.is_dir() else RESULTS / args.resume
    if not folder.is_dir() or not folder.resolve().name.startswith(FLEET):
        raise InputError(
            f"--resume {args.resume}: there is no fleet's run of this name. Look at the names with "
            f"`ls {RESULTS}`."
        )
    if at_work(folder) or any(at_work(entry.folder(folder)) for entry in plan.load(folder)):
        raise InputError(f"--resume {args.resume}: this run is still at work; wait for its end.")
    ended = {row.name for row in read_fleet(folder).rows if row.ended}
    open_ones = [entry for entry in plan.load(folder) if entry.name not in ended]
    if not open_ones:
        raise InputError(
            f"--resume {args.resume}: each of its orders has a verdict. Look at "
            f"{folder / 'fleet.html'}; a new call runs them again."
        )
    if args.testbed and not args.lab:
        raise InputError("--resume goes on as the run was called. Leave --testbed out.")
    return folder.absolute(), open_ones


def _named_in(entries: list[Entry]) -> list[str]:
    return list(dict.fromkeys(path for entry in entries for path in entry.testbeds))


def _validate(entries: list[Entry]) -> None:
    """What a single run would find wrong before it begins."""
    catalogue = load_catalogue(CATALOGUE)
    for number, entry in enumerate(entries):
        if number == 0:  # profile and options for Robot are the same for all
            validated(Call(Path(entry.order), None, entry.profile, entry.robot))
        else:
            load_order(entry.order, catalogue)
