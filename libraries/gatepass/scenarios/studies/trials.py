"""Trials of a study: frames are sent and counted, and what the rig itself brought about is told.

A trial that loses frames as the rig was its limit says nothing of the gateway: it is repeated. One
that loses nothing shows what the gateway carries, whatever the rig did meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gatepass.endpoint.datagrams import DatagramTrial
from gatepass.endpoint.rig_watch import RigWatch
from gatepass.endpoint.shell import Shell
from gatepass.results.datagrams import ETHERNET, Carried, Stream
from gatepass.verdict.disturbance import Watched

ATTEMPTS = 3
"""At a rate, before the rig is taken for its limit."""
LATE_SHARE = 0.02
"""Of the frames a sender may be too late for: what is told are the rates at which they came."""
_HOPELESS_SHARE = 0.05
"""Of the frames: a sender that is too late for more is no faster the next time."""


@dataclass(frozen=True)
class Seen:
    """What came of a trial.

    Attributes:
        carried: by the streams' names.
        disturbed: what the hosts did meanwhile that could have cost frames; empty for nothing.
        limit: what of the rig could do no more, so that another trial would be no better; empty
            for nothing.
    """

    carried: Mapping[str, Carried]
    disturbed: str = ""
    limit: str = ""

    @property
    def one(self) -> Carried:
        """What became of the only stream."""
        (one,) = self.carried.values()
        return one


Send = Callable[[Sequence[Stream]], Seen]
"""Sends streams and tells what came of them: the endpoints, or a device that is simulated."""


def between(
    client: Shell, server: Shell, rig: RigWatch, note: Callable[[dict], None]
) -> Send:
    """What sends for real.

    Args:
        client, server: the endpoints.
        rig: that watches them.
        note: keeps what is told of a trial.
    """

    def send(streams: Sequence[Stream]) -> Seen:
        begun = rig.mark({shell.name: shell for shell in (client, server)})
        carried = DatagramTrial(client, server, streams, "study").wait()
        seen = Seen(carried, Watched(0, rig.since(begun)).disturbed)
        note(facts(seen))
        return seen

    return send


def packet_bytes(carried: Carried) -> int:
    """Bytes of the IP packets that arrived, and of a mix that was cut off no more than they had."""
    packets = [size - ETHERNET for size in carried.stream.frames]
    mixes, rest = divmod(carried.received, len(packets))
    return mixes * sum(packets) + rest * min(packets)


@dataclass
class Ledger:
    """What arrived in all trials, as the receiver saw it.

    Attributes:
        counts: what is written down of a stream, bytes.
        counted_before: what the gateway's policies had counted before, bytes; None before that is
            known.
    """

    counts: Callable[[Carried], int] = packet_bytes
    counted_before: int | None = None
    _bytes: dict[str, int] = field(default_factory=dict)
    _sources: dict[str, set[str]] = field(default_factory=dict)

    def begin(self, counted: int) -> None:
        """Nothing that arrived so far is a part of it."""
        self.counted_before = counted
        self._bytes.clear()
        self._sources.clear()

    def kept(self, send: Send) -> Send:
        """The same, with what arrives written down."""

        def kept(streams: Sequence[Stream]) -> Seen:
            seen = send(streams)
            for one in seen.carried.values():
                address = one.stream.address
                self._bytes[address] = self._bytes.get(address, 0) + self.counts(one)
                self._sources.setdefault(address, set()).update(one.sources)
            return seen

        return kept

    def arrived(self, addresses: Iterable[str]) -> int:
        """Bytes that arrived at these addresses."""
        return sum(self._bytes.get(address, 0) for address in addresses)

    def sources(self, addresses: Iterable[str]) -> set[str]:
        """Addresses that they came from."""
        return set().union(*(self._sources.get(address, ()) for address in addresses))


def facts(seen: Seen) -> dict:
    """A trial for the record."""
    return {
        "disturbed": seen.disturbed,
        "by_rig": by_rig(seen),
        "streams": {
            name: {
                "to": one.stream.address,
                "frames": sorted(set(one.stream.frames)),
                "per_s": round(one.stream.per_s, 1),
                "seconds": one.stream.seconds,
                "sent": one.sent,
                "unsent": one.unsent,
                "lost": one.lost,
                "socket_lost": one.socket_lost,
                "delay_us": one.delay.summary(),
            }
            for name, one in seen.carried.items()
        },
    }


def by_rig(seen: Seen) -> str:
    """What the rig did that could itself have cost frames of a trial; empty where it did nothing.

    Args:
        seen: a trial. One without loss that the sender kept its pace in is nobody's fault.
    """
    for one in seen.carried.values():
        if one.unsent > one.stream.count * LATE_SHARE:
            return f"the sender was too late for {one.unsent:,} of {one.stream.count:,} frames"
    if not any(one.lost for one in seen.carried.values()):
        return ""
    for one in seen.carried.values():
        if one.socket_lost:
            return f"the receiver's program was too late for {one.socket_lost:,} frames"
    return seen.limit or seen.disturbed


def tried(send: Send, *streams: Stream) -> tuple[Seen, str]:
    """A trial, repeated while the rig is its limit and might not be the next time.

    Returns:
        The last one, and why the rig was its limit each time; empty where it was not.
    """
    for _ in range(ATTEMPTS):
        seen = send(streams)
        if not (why := by_rig(seen)) or _hopeless(seen):
            break
    return seen, why


def _hopeless(seen: Seen) -> bool:
    return bool(seen.limit) or any(
        one.unsent > one.stream.count * _HOPELESS_SHARE for one in seen.carried.values()
    )
