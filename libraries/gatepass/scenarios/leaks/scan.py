"""A scan: everything is sent from every side at once, while every side takes down what arrives.

Nothing depends on answers. What counts is the capture on the far side, and that it saw what it
should:

- between the packets go datagrams that a policy permits. Where one of them did not arrive, the
  packets around it prove nothing; they are sent again, more slowly, and are not proven if that does
  not help;
- the same packets go over the wire beside the gateway first, so that a packet that this kernel
  would not send, or that the capture would not see, is nobody's merit;
- the gateway's ports have to have counted in what was sent, so that nothing between dropped it.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from gatepass.base.errors import NotProven
from gatepass.endpoint.frames import FrameCapture, FrameSender, members, must_be_root
from gatepass.endpoint.shell import Shell
from gatepass.endpoint.taken_down import loss
from gatepass.scenarios.leaks.kinds import ADDRESSES, NEIGHBOURS
from gatepass.scenarios.leaks.packets import other_hosts
from gatepass.scenarios.leaks.parts import CONTROL_PORT, SCAN_PORT, Sweep
from gatepass.scenarios.leaks.plan import CONTROL_BITS, Block, Plan
from gatepass.scenarios.leaks.ways import Link, Side

_SLOWER = (1, 4, 16)
"""What is sent again goes so many times more slowly."""
_BESIDE_PPS = 12_000
_TO_OTHERS = (ADDRESSES, NEIGHBOURS)
"""Kinds whose packets go to addresses that nobody may have."""
_CALM_S = 0.3
"""For what is still under way when the senders have ended."""
_LIMIT_S = 600
NO_NUMBER = 0
"""What a capture calls a frame that bears our mark and has no room for its number."""


@dataclass(frozen=True)
class Arrived:
    """Frames of one sender that a capture saw.

    Attributes:
        plan: of the sender.
        at: the side where they arrived.
        numbers: first and last of each row.
        quoted: whether an ICMP error quoted them, which came in their place.
    """

    plan: Plan
    at: Side
    numbers: tuple[tuple[int, int], ...]
    quoted: bool = False


@dataclass
class Scanned:
    """What a scan has found.

    Attributes:
        plans: what was sent, one for each side.
        arrived: what a capture saw of it.
        unproven: blocks whose permitted datagrams did not all arrive at any pace.
        answers: by the name of a side, address and sort of answer, the ports that answered there.
        seconds: how long it took.
        sent: frames, the permitted datagrams left out, by the name of a side; those that were sent
            again count again.
        controls: permitted datagrams that arrived.
        pace: the slowest that was needed.
        cpu_s: processor time of senders and captures.
        missing_words: sides whose connections for helpers could not all be opened.
        trouble: why nothing of it can be relied on; empty where it can.
        captures: what arrived, as pcap files, by the name of a side.
        busy: addresses of the networks that another host has: what came to them was not seen.
    """

    plans: tuple[Plan, ...]
    arrived: list[Arrived] = field(default_factory=list)
    unproven: list[tuple[Plan, Block]] = field(default_factory=list)
    answers: dict[str, dict[str, dict[str, set[int]]]] = field(default_factory=dict)
    seconds: float = 0.0
    sent: dict[str, int] = field(default_factory=dict)
    controls: int = 0
    pace: float = 0.0
    cpu_s: float = 0.0
    missing_words: list[str] = field(default_factory=list)
    trouble: str = ""
    captures: dict[str, bytes] = field(default_factory=dict)
    busy: set[str] = field(default_factory=set)

    def take(self, side: Side, told: Mapping, plans: Mapping[str, Plan]) -> None:
        """Take in what a capture says."""
        for key, quoted in (("arrived", False), ("quoted", True)):
            for mark, rows in told[key].items():
                if mark in plans and rows and plans[mark].side is not side:
                    numbers = tuple(_with_the_short(plans[mark], rows))
                    self.arrived.append(Arrived(plans[mark], side, numbers, quoted))
        own = self.answers.setdefault(side.name, {})
        for address, words in told["answers"].items():
            for word, ports in words.items():
                own.setdefault(address, {}).setdefault(word, set()).update(ports)
        self.busy.update(told["busy"])
        self.cpu_s += told["cpu_s"]


class LeakScan:
    """A scan between some sides of the gateway.

    Args:
        shells: the endpoints by name; their users have to be root.
        plans: what is sent, one for each side.
        pps: frames a second from each side, at first.
    """

    def __init__(
        self, shells: Mapping[str, Shell], plans: Sequence[Plan], pps: float
    ) -> None:
        self._pps = pps
        self._shells = shells
        self._plans = tuple(plans)
        self._by_mark = {f"{plan.mark:08x}": plan for plan in plans}
        self._by_control = {f"{plan.control_mark:08x}": plan for plan in plans}
        self._rounds = 0
        for shell in shells.values():
            must_be_root(shell)

    # -- the path beside the gateway ---------------------------------------------------------

    def must_pass_beside(self, links: Mapping[str, Link]) -> int:
        """Send one of each sweep, and all else, over the wire beside the gateway; how many.

        Args:
            links: of the two endpoints that have such a wire, by their names, to each other.

        Raises:
            NotProven: a packet is not sent there, or the capture does not see it.
        """
        names, seen = list(links), 0
        for sender, receiver in (names, names[::-1]):
            plan = self._plan_of(sender)
            capture = self._capture(receiver, self._told(links[receiver].interface, [plan]))
            try:
                capture.ready()
                text = plan.as_json(sample=True, link=links[sender])
                self._send(plan, text, _BESIDE_PPS).wait()
                time.sleep(_CALM_S)
            finally:
                told = capture.stop()
            mark = f"{plan.mark:08x}"
            there = members(told["arrived"][mark]) | members(told["quoted"][mark])
            wanted = _sampled(plan)
            if NO_NUMBER in there:
                there |= plan.too_short
            seen += len(wanted)
            if missing := sorted(wanted - there):
                part, index = plan.part_of(missing[0])
                raise NotProven(
                    f"{len(missing)} of {len(wanted)} packets did not get from the {sender} to "
                    f"the {receiver} past the gateway either (the first: {part.told(index)}), so "
                    "it would prove nothing that they do not get through the gateway."
                )
        return seen

    # -- the scan ----------------------------------------------------------------------------

    def run(self) -> Scanned:
        """Send everything; more slowly again what proves nothing at first.

        Raises:
            NotProven: an endpoint cannot send or capture.
        """
        began = time.monotonic()
        scanned = Scanned(self._plans)
        wanted: dict[Plan, list[Block]] | None = None
        for times in _SLOWER:
            pace = scanned.pace = self._pps / times
            missing = self._round(scanned, pace, wanted)
            if not missing:
                break
            wanted = missing
        else:
            scanned.unproven = [(plan, one) for plan, blocks in missing.items() for one in blocks]
        scanned.seconds = time.monotonic() - began
        return scanned

    def _round(
        self, scanned: Scanned, pace: float, wanted: Mapping[Plan, list[Block]] | None
    ) -> dict[Plan, list[Block]]:
        """Send these blocks, all at first; those that prove nothing."""
        senders = self._plans if wanted is None else [plan for plan in wanted if wanted[plan]]
        captures = {}
        controls: dict[str, set[int]] = {mark: set() for mark in self._by_control}
        try:
            for plan in self._plans:
                captures[plan.side] = self._capture(plan.side.name, self._told_at(plan.side))
            for plan in self._plans:
                captures[plan.side].ready()
            running = [
                (
                    plan,
                    self._send(
                        plan,
                        plan.as_json(),
                        pace,
                        None if wanted is None else [block.number for block in wanted[plan]],
                    ),
                )
                for plan in senders
            ]
            for plan, program in running:
                told = program.wait()
                scanned.sent[plan.side.name] = scanned.sent.get(plan.side.name, 0) + told["sent"]
                scanned.cpu_s += told["cpu_s"]
                if told["words"] < len(plan.words):
                    scanned.missing_words.append(plan.side.name)
            time.sleep(_CALM_S)
        finally:
            stopped = {side: one.stop() for side, one in captures.items()}
        for side, told in stopped.items():
            scanned.trouble = loss(side.name, told["dropped"]) or scanned.trouble
            scanned.take(side, told, self._by_mark)
            for mark in controls:
                if self._by_control[mark].side is not side:
                    controls[mark] |= members(told["arrived"][mark])
            scanned.captures[side.name] = captures[side].pcap()
        scanned.controls += sum(map(len, controls.values()))
        return self._unproven(controls, wanted)

    def _unproven(
        self, controls: Mapping[str, set[int]], wanted: Mapping[Plan, list[Block]] | None
    ) -> dict[Plan, list[Block]]:
        missing = {}
        for mark, plan in self._by_control.items():
            blocks = plan.blocks if wanted is None else wanted.get(plan, [])
            there = controls[mark]
            lost = [block for block in blocks if not there.issuperset(block.controls)]
            if lost:
                missing[plan] = lost
        return missing

    # -- programs on the endpoints -----------------------------------------------------------

    def _plan_of(self, name: str) -> Plan:
        return next(plan for plan in self._plans if plan.side.name == name)

    def _interface(self, side: Side) -> str:
        interfaces = {link.interface for link in side.links.values()}
        if len(interfaces) > 1:
            raise NotProven(
                f"the {side.name} reaches the gateway by {' and '.join(sorted(interfaces))}, one "
                "for each IP version; a scan takes one interface."
            )
        return interfaces.pop()

    def _send(
        self, plan: Plan, text: str, pace: float, blocks: Sequence[int] | None = None
    ) -> FrameSender:
        shell = self._shells[plan.side.name]
        return FrameSender(shell, "leak-sender", text, pace, _LIMIT_S, blocks)

    def _told(self, interface: str, plans: Sequence[Plan], own: Plan | None = None) -> dict:
        """What a capture is told: the marks of these plans, and of the host's `own` answers."""
        return {
            "interface": interface,
            "marks": {f"{plan.mark:08x}": plan.frames for plan in plans}
            | {f"{plan.control_mark:08x}": len(plan.blocks) << CONTROL_BITS for plan in plans},
            "own": f"{own.mark if own else 0:08x}",
            "asked": _asked(own) if own else [],
            "taken": [],
            "serve": [],
        }

    def _told_at(self, side: Side) -> dict:
        """The same for the side of a scan; what may be delivered there is taken."""
        own = self._plan_of(side.name)
        served = [(address, own.permitted) for address in side.addresses.values()]
        told = self._told(self._interface(side), self._plans, own)
        return told | {"taken": self._taken(side), "serve": served}

    def _capture(self, name: str, told: Mapping) -> FrameCapture:
        self._rounds += 1
        stem = f"leak-capture-{self._plans[0].mark:x}-{self._rounds}"
        return FrameCapture(self._shells[name], stem, told, _LIMIT_S)

    def _taken(self, side: Side) -> list[str]:
        """The addresses of a side's network that a packet of a scan could be delivered to."""
        ways = {
            part.way
            for plan in self._plans
            for part in plan.parts
            if part.kind in _TO_OTHERS and part.way.target is side
        }
        found = {address for way in ways for address in other_hosts(way)}
        return sorted(found - set(side.gateway.values()))


def _asked(plan: Plan) -> list[int]:
    sources = {part.source_port for part in plan.parts if isinstance(part, Sweep)}
    return sorted({SCAN_PORT, CONTROL_PORT, *sources})


def _sampled(plan: Plan) -> set[int]:
    """The numbers of what is sent beside the gateway."""
    found: set[int] = set()
    number = 1
    for part in plan.parts:
        found |= {number} if isinstance(part, Sweep) else set(range(number, number + len(part)))
        number += len(part)
    return found


def _with_the_short(
    plan: Plan, rows: Sequence[Sequence[int]]
) -> Iterator[tuple[int, int]]:
    """Rows of numbers; the first frame that is too short for its number for one without."""
    for first, last in rows:
        if first == NO_NUMBER:
            yield (min(plan.too_short),) * 2
        if last > NO_NUMBER:
            yield max(first, NO_NUMBER + 1), last
