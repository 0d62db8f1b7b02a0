"""Classes of service that were sent both ways: what became of them, and what the rig did meanwhile.

What the rig did, and not the gateway, is set aside and sent again.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from gatepass.base.errors import NotProven
from gatepass.results.agreement import NOTHING_KNOWN, Agreement
from gatepass.results.conduct import Conduct
from gatepass.results.datagrams import Carried, joined
from gatepass.verdict.disturbance import disturbed_by

UNSENT_SHARE, LOST_SHARE = 0.01, 1e-4
"""What a sender may leave out of its stream, and what a receiver's program may lose of it."""
_FEWEST = 5


@dataclass(frozen=True)
class Sent:
    """What was sent at one time.

    Attributes:
        ways: by the way, and by the streams' names.
        conduct: of the rig's hosts meanwhile, by their names.
        clocks: how far the server's clock is ahead of the client's.
    """

    ways: Mapping[str, Mapping[str, Carried]]
    conduct: Mapping[str, Conduct]
    clocks: Agreement = NOTHING_KNOWN

    @property
    def aside(self) -> Mapping[str, str]:
        """Why streams count for nobody, either way, by their names: what the rig did meanwhile that
        could have caused what became of them."""
        if why := disturbed_by(self.conduct):
            return {name: why for all_of in self.ways.values() for name in all_of}
        found: dict[str, str] = {}
        for way, all_of in self.ways.items():
            for name, one in all_of.items():
                if why := _limit(way, one):
                    found.setdefault(name, why)
        return found

    @property
    def disturbed(self) -> str:
        """The first of these reasons; empty where there is none."""
        return next(iter(self.aside.values()), "")

    def without(self, names: Container[str]) -> Sent:
        """What was sent of all other streams."""
        ways = {
            way: {name: one for name, one in all_of.items() if name not in names}
            for way, all_of in self.ways.items()
        }
        return replace(self, ways=ways)

    def clocks_of(self, way: str) -> Agreement:
        """How far the receiver's clock of a way is ahead of the sender's."""
        return self.clocks if way == "to_server" else self.clocks.reversed()

    def record(self) -> dict:
        """All of it, as JSON takes it."""
        return {
            "ways": {
                way: {name: one.record() for name, one in all_of.items()}
                for way, all_of in self.ways.items()
            },
            "clocks": {"offset_us": self.clocks.offset_us, "error_us": self.clocks.error_us}
            if self.clocks.exchanges
            else None,
            "disturbed": self.disturbed,
        }


def _limit(way: str, seen: Carried) -> str:
    sender, receiver = ("client", "server") if way == "to_server" else ("server", "client")
    if seen.unsent > max(_FEWEST, UNSENT_SHARE * seen.stream.count):
        return (
            f"the {sender} could not send {seen.unsent:,} of {seen.stream.count:,} frames in time"
        )
    if seen.socket_lost > max(_FEWEST, LOST_SHARE * seen.sent):
        return f"the {receiver}'s program was late for {seen.socket_lost:,} frames"
    return ""


def undisturbed(send: Callable[[], Sent], tries: int) -> Sent:
    """Send until the rig leaves it alone.

    Args:
        send: once.
        tries: how often at most.

    Raises:
        NotProven: the rig was disturbed each time.
    """
    reasons = []
    for _ in range(tries):
        seen = send()
        if not seen.disturbed:
            return seen
        reasons.append(seen.disturbed)
    raise _not_left_alone(reasons)


def each_undisturbed(
    send: Callable[[Sequence[str]], Sent], names: Sequence[str], tries: int, alone: int
) -> Sent:
    """Send streams one after the other, and those again that the rig did not leave alone.

    Args:
        send: those of these names, once.
        names: of all.
        tries: how often as many as there are, together.
        alone: how often a single one at most.

    Raises:
        NotProven: the rig disturbed one of them each time.
    """
    missing, left, reasons = list(names), tries * len(names), []
    ways: dict[str, dict[str, Carried]] = {}
    while len(missing) <= left and len(reasons) < alone:
        seen = send(missing)
        left -= len(missing)
        for way, counted in seen.without(seen.aside).ways.items():
            ways.setdefault(way, {}).update(counted)
        missing = [name for name in missing if name in seen.aside]
        if not missing:
            return replace(seen, ways=ways)
        reasons.append(seen.disturbed)
    raise _not_left_alone(reasons)


def _not_left_alone(reasons: Sequence[str]) -> NotProven:
    once = len(reasons) == 1
    times, which = ("once", "that trial") if once else (f"{len(reasons)} times", "each trial")
    return NotProven(
        f"the classes of service were sent {times}, and the test machines disturbed {which}: "
        f"{reasons[-1]}. Run again when nothing else is running on the endpoints."
    )


def together(parts: Sequence[Sent]) -> Sent:
    """What was sent in parts, one after the other, as one.

    Args:
        parts: at least one, of the same streams.
    """
    ways = {
        way: {name: joined([part.ways[way][name] for part in parts]) for name in names}
        for way, names in parts[0].ways.items()
    }
    clocks = reduce(Agreement.and_then, (part.clocks for part in parts))
    return Sent(ways, parts[-1].conduct, clocks)
