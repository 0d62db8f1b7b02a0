"""Writes the plan of a fleet: which orders are run, where, and how."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeVar

from gatepass.base.errors import InputError
from gatepass.base.result_folders import ORDERS, PLAN
from gatepass.inputs.order import Order
from gatepass.inputs.testbed import Testbed

# The name becomes that of a folder; a plan that came from elsewhere may not lead out of its own.
_NAME = re.compile(r"\w[\w.-]{0,63}")
_SHARD = re.compile(r"[1-9][0-9]*/[1-9][0-9]*")
_T = TypeVar("_T")


@dataclass(frozen=True)
class Entry:
    """One order of a fleet.

    Attributes:
        name: the order's, unique in the fleet; that of its run's folder too.
        order: path of the order's file.
        testbed: path of the testbed's file; None where it is taken from `pool`.
        tier: what was ordered.
        profile: how thoroughly.
        robot: options for Robot.
        shard: "1/2" where this machine runs only a part of the orders.
        slot: its place among all orders of all shards, counted from 0.
        slots: how many those are.
        pool: paths of the testbeds that fit.
        lab: whether the testbed is a lab that is built for the fleet and taken down after it.
    """

    name: str
    order: str
    testbed: str | None
    tier: str
    profile: str
    robot: tuple[str, ...] = ()
    shard: str | None = None
    slot: int = 0
    slots: int = 1
    pool: tuple[str, ...] = ()
    lab: bool = False

    @classmethod
    def of(cls, order: Order, profile: str, robot: Sequence[str]) -> Entry:
        """An order that has no testbed yet."""
        path = str(order.path.absolute())
        return cls(order.order, path, None, order.tier, profile, tuple(robot))

    def folder(self, fleet: Path) -> Path:
        """Of the order's run, in a fleet's folder."""
        return fleet / ORDERS / self.name

    @property
    def part(self) -> tuple[int, int] | None:
        """Which part of how many; None where the orders are not split among machines."""
        number, _, parts = (self.shard or "").partition("/")
        return (int(number), int(parts)) if parts else None

    @property
    def testbeds(self) -> tuple[str, ...]:
        """All testbeds on which it may be run."""
        return (self.testbed,) if self.testbed else self.pool


def save(entries: Iterable[Entry], fleet: Path) -> None:
    """Write the plan into a fleet's folder."""
    text = json.dumps([asdict(entry) for entry in entries], indent=2)
    (fleet / PLAN).write_text(text + "\n", encoding="utf-8")


def load(fleet: Path) -> list[Entry]:
    """The plan in a fleet's folder.

    Raises:
        InputError: there is none, or it is not one.
    """
    path = fleet / PLAN
    try:
        entries = [_entry(row) for row in json.loads(path.read_text(encoding="utf-8"))]
    except OSError as error:
        why = error.strerror
    except (ValueError, TypeError, AttributeError, RecursionError):
        why = "it is no plan of a fleet"
    else:
        each_once(entries)
        if entries:
            return entries
        why = "it names no order"
    raise InputError(
        f"{path}: the fleet's plan cannot be read: {why}. Name the folder of a fleet's run, such "
        "as results/fleet-20260101-120000."
    )


def _entry(row: dict) -> Entry:
    entry = Entry(**row | {key: tuple(row.get(key, ())) for key in ("robot", "pool")})
    texts = (entry.order, entry.tier, entry.profile, *entry.robot, *entry.pool)
    if not all(isinstance(one, str) for one in (*texts, entry.testbed or "")):
        raise TypeError
    if not _NAME.fullmatch(entry.name) or not _SHARD.fullmatch(entry.shard or "1/1"):
        raise ValueError
    if (entry.part and entry.part[0] > entry.part[1]) or not 0 <= entry.slot < entry.slots:
        raise ValueError
    return entry


def each_once(entries: Sequence[Entry]) -> None:
    """Two orders of one name would have one folder.

    Raises:
        InputError: there are two.
    """
    for entry, earlier in _twice(entries, lambda one: one.name):
        raise InputError(
            f"{entry.order}, key 'order': '{entry.name}' also stands in {earlier.order}. Give each "
            "order of a fleet a name of its own."
        )


def paired(entries: Sequence[Entry], testbeds: Sequence[Testbed]) -> list[Entry]:
    """Each order with the testbed of the same position.

    Raises:
        InputError: the numbers differ, or two testbeds are one gateway.
    """
    if len(entries) != len(testbeds):
        raise InputError(
            f"there are {len(entries)} orders and {len(testbeds)} testbeds. Name a --testbed for "
            "each order, in the same sequence, or a folder of --testbeds from which the orders "
            "take one that is free."
        )
    each_gateway_once(testbeds)
    return [
        replace(entry, testbed=str(testbed.path.absolute()))
        for entry, testbed in zip(entries, testbeds, strict=True)
    ]


def pooled(entries: Sequence[Entry], testbeds: Sequence[Testbed]) -> list[Entry]:
    """Each order with the testbeds that fit; it takes one of them when it is free.

    Raises:
        InputError: an order has none, or two testbeds are one gateway.
    """
    each_gateway_once(testbeds)
    _each_name_once(testbeds)
    placed = []
    for entry in entries:
        fitting = [one for one in testbeds if not one.tiers or entry.tier in one.tiers]
        if not fitting:
            raise InputError(
                f"{entry.order}, key 'tier': no testbed of the pool is for {entry.tier}. Add one, "
                "or add the tier to the list 'tiers' of a testbed there."
            )
        paths = tuple(str(one.path.absolute()) for one in fitting)
        placed.append(replace(entry, pool=paths))
    return placed


def each_gateway_once(testbeds: Sequence[Testbed]) -> None:
    """Two testbeds of one gateway would be in each other's way.

    Raises:
        InputError: there are two.
    """
    for one, earlier in _twice(
        testbeds, lambda bed: (bed.gateway.url, bed.network_namespace, bed.gateway.vdom)
    ):
        raise InputError(
            f"{one.path}, key 'gateway.url': {one.gateway.url} is also the gateway of "
            f"{earlier.path}, and a gateway takes one order at a time. Name it once; with a "
            "folder of --testbeds the orders wait for one that is free."
        )


def _each_name_once(testbeds: Sequence[Testbed]) -> None:
    """A pool lends testbeds by their names."""
    for one, earlier in _twice(testbeds, lambda bed: bed.testbed):
        raise InputError(
            f"{one.path}, key 'testbed': '{one.testbed}' also stands in {earlier.path}. Give each "
            "testbed of a pool a name of its own."
        )


def _twice(items: Iterable[_T], key: Callable[[_T], Hashable]) -> Iterator[tuple[_T, _T]]:
    """Each item whose key another before it has, with that one."""
    seen: dict[Hashable, _T] = {}
    for item in items:
        earlier = seen.setdefault(key(item), item)
        if earlier is not item:
            yield item, earlier


def sharded(entries: Sequence[Entry], index: int, count: int) -> list[Entry]:
    """The orders of one of several machines, split as pabot splits suites.

    Args:
        entries: all orders of all machines, in the same sequence on each.
        index: which machine, counted from 1.
        count: how many there are.

    Raises:
        InputError: there is nothing for it to do.
    """
    if count > len(entries):
        raise InputError(
            f"--shard {index}/{count}: there are {len(entries)} orders, so at most as many "
            "shards. Ask for fewer."
        )
    share, rest = divmod(len(entries), count)
    begin = (index - 1) * share + min(index - 1, rest)
    end = index * share + min(index, rest)
    return [replace(entry, shard=f"{index}/{count}") for entry in entries[begin:end]]


def numbered(entries: Sequence[Entry]) -> list[Entry]:
    """All orders of all machines, each with its own place for taking turns."""
    return [replace(entry, slot=at, slots=len(entries)) for at, entry in enumerate(entries)]
