"""What a scan has found, held against the rule set: what was permitted, and what was not."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from gatepass.base.csv_table import csv_table
from gatepass.base.errors import NotProven
from gatepass.gateway.policy_table import PolicyTable
from gatepass.scenarios.leaks.kinds import HELPERS, ICMP_TYPES
from gatepass.scenarios.leaks.parts import Part, Sweep
from gatepass.scenarios.leaks.plan import Plan
from gatepass.scenarios.leaks.scan import Scanned
from gatepass.scenarios.leaks.ways import Side

_MOST_TOLD = 6
MOST_OF_A_PART = 1000
"""Leaks of one part that are held against the rule set: one more changes nothing."""
COLUMNS = ("kind", "packet", "way", "arrived_at", "source", "target", "protocol", "forbidden_by")
_LIMIT_S = 30
"""How long packets are held against the rule set; a customer may have thousands of policies."""


@dataclass(frozen=True)
class Leak:
    """A packet that arrived although no policy permits it.

    Attributes:
        plan: of its sender.
        number: its own.
        at: the side where it arrived.
        policyid: which policy forbids it; 0 for the implicit deny.
    """

    plan: Plan
    number: int
    at: Side
    policyid: int

    @property
    def part(self) -> Part:
        """What it was a packet of."""
        return self.plan.part_of(self.number)[0]

    @property
    def index(self) -> int:
        """Its place in that."""
        return self.plan.part_of(self.number)[1]

    def __str__(self) -> str:
        part = self.part
        aside = "" if part.way.target is self.at else f", arrived at the {self.at.name}"
        return f"{part.told(self.index)}, {part.way}{aside}"


@dataclass
class Found:
    """What became of the packets of one kind.

    Attributes:
        leaks: what arrived and was not permitted.
        permitted: by policyid, how many packets that arrived it permits.
        unclear: what arrived and may be permitted, by a policy that cannot be read whole.
    """

    leaks: list[Leak] = field(default_factory=list)
    permitted: dict[int, int] = field(default_factory=dict)
    unclear: dict[int, int] = field(default_factory=dict)

    @property
    def listed(self) -> str:
        """The first of its leaks, for a sentence."""
        return listed(self.leaks)

    def as_csv(self, kind: str) -> str:
        """Its leaks as a table, a row each, as packets of this kind."""
        return csv_table(COLUMNS, self._rows(kind), "\r\n")

    def _rows(self, kind: str) -> Iterator[tuple[object, ...]]:
        for leak in self.leaks:
            met = leak.plan.as_met(leak.number, leak.at.port)
            forbids = f"policy {leak.policyid}" if leak.policyid else "no policy permits it"
            packet = (kind, leak.part.told(leak.index), leak.part.way, leak.at.name)
            yield (*packet, met.source, met.target, met.protocol, forbids)


class Findings:
    """A scan with the rule set that was in force.

    Args:
        scanned: what arrived.
        table: the rule set as it was read while the scan's own policies stood in it.
        beside: packets that passed beside the gateway first.
    """

    def __init__(self, scanned: Scanned, table: PolicyTable, beside: int) -> None:
        self.scanned = scanned
        self.table = table
        self.beside = beside
        self._found: dict[str, Found] = {}

    def of(self, kind: str) -> Found:
        """What became of the packets of a kind.

        Raises:
            NotProven: too many arrived for all of them to be held against the rule set.
        """
        if kind not in self._found:
            self._found[kind] = self._judged(kind)
        return self._found[kind]

    def _judged(self, kind: str) -> Found:
        found, give_up = Found(), time.monotonic() + _LIMIT_S
        for plan, at, numbers in self._arrived(kind):
            leaks = 0
            for number in numbers:
                if time.monotonic() > give_up and not found.leaks:
                    raise NotProven(
                        "so many packets arrived that they could not all be compared with the "
                        f"gateway's {len(self.table.policies):,} policies within {_LIMIT_S} s."
                    )
                decision = self.table.decide(plan.as_met(number, at.port))
                if decision.accept:
                    _count(found.permitted, decision.policyid)
                elif decision.unclear:
                    _count(found.unclear, decision.unclear[0])
                else:
                    found.leaks.append(Leak(plan, number, at, decision.policyid))
                    leaks += 1
                if leaks >= MOST_OF_A_PART or (found.leaks and time.monotonic() > give_up):
                    break
        return found

    def _arrived(self, kind: str) -> Iterator[tuple[Plan, Side, range]]:
        """The packets of a kind that arrived: rows of numbers of one part, each with where."""
        for arrived in self.scanned.arrived:
            # an error that quotes a packet is the gateway's answer, not that packet; but errors
            # are sent as well, and those quote
            if arrived.quoted and kind != ICMP_TYPES:
                continue
            for part, numbers in arrived.plan.numbered:
                if part.kind != kind:
                    continue
                for first, last in arrived.numbers:
                    both = range(max(first, numbers.start), min(last + 1, numbers.stop))
                    if both:
                        yield arrived.plan, arrived.at, both

    def sent(self, kind: str) -> int:
        """How many packets of a kind were sent, each counted once."""
        return sum(len(part) for part in self._parts(kind))

    def sorts(self, kind: str) -> str:
        """Of how many sorts they were, and to how many ports each went."""
        parts = self._parts(kind)
        of_one = [part for part in parts if part.way is parts[0].way]
        if isinstance(of_one[0], Sweep):
            ports = f"{len(of_one[0]):,} ports"
            one = of_one[0].words
            return f"{one} to {ports}" if len(of_one) == 1 else f"{len(of_one)} sorts to {ports}"
        return f"{len(of_one[0]):,} sorts on {of_one[0].way}"

    def ways(self, kind: str) -> int:
        """On how many ways."""
        return len({part.way for part in self._parts(kind)})

    def _parts(self, kind: str) -> list[Part]:
        return [part for plan in self.scanned.plans for part in plan.parts if part.kind == kind]

    def must_be_proven(self, kind: str) -> None:
        """What was sent of a kind and did not arrive was blocked, and not lost elsewhere.

        Raises:
            NotProven: it may have been.
        """
        if self.scanned.trouble:
            raise NotProven(self.scanned.trouble)
        lost = [
            block
            for _, block in self.scanned.unproven
            if block.part.kind == kind
        ]
        if lost:
            frames = sum(block.frames for block in lost)
            raise NotProven(
                f"around {frames:,} of {self.sent(kind):,} packets, the permitted ones did not "
                f"all arrive, even at {self.scanned.pace:,.0f} packets a second "
                f"({lost[0].part.way}), so it proves nothing that these did not arrive either. "
                "Find out what drops packets there besides the policies."
            )
        if kind == HELPERS and self.scanned.missing_words:
            names = " and ".join(sorted(set(self.scanned.missing_words)))
            raise NotProven(
                f"not every permitted connection of the {names} could be opened, so nothing was "
                "sent that a helper could have reacted to."
            )

    @cached_property
    def protocols(self) -> str:
        """The IP versions that were looked at."""
        versions = {way.version for plan in self.scanned.plans for way in plan.ways}
        return " and ".join(f"IPv{version}" for version in sorted(versions))


def listed(leaks: Sequence[Leak]) -> str:
    """The first of some leaks, for a sentence; ports of one sweep together."""
    groups: dict[tuple[Part, str], list[Leak]] = {}
    for leak in leaks:
        groups.setdefault((id(leak.part), leak.at.name), []).append(leak)
    told = []
    for group in list(groups.values())[:_MOST_TOLD]:
        first = group[0]
        if isinstance(first.part, Sweep) and len(group) > 1:
            ports = [first.part.port(leak.index) for leak in group]
            told.append(f"{first.part.words} to {_ports(ports)}, {first.part.way}")
        else:
            others = len(group) - 1
            told.append(f"{first}" + (f" ({others:,} more like it)" if others else ""))
    more = len(groups) - len(told)
    return "; ".join(told) + (f"; and {more} more" if more > 0 else "")


def _count(counts: dict[int, int], policyid: int) -> None:
    counts[policyid] = counts.get(policyid, 0) + 1


def _ports(ports: Sequence[int]) -> str:
    if len(ports) > 4:
        more = " and more" * (len(ports) >= MOST_OF_A_PART)
        return f"{len(ports):,} ports from {min(ports)} to {max(ports)}{more}"
    return f"ports {', '.join(map(str, ports))}"
