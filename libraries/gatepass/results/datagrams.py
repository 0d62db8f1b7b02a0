"""Streams of numbered datagrams: what was asked for, and what came of it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, asdict, dataclass, fields, replace
from ipaddress import ip_address
from itertools import accumulate, starmap
from operator import mul, sub
from statistics import fmean
from typing import Any

MEGA, TICK_S = 1e6, 0.1
ETHERNET = 18
"""Bytes of a frame's header and check sequence; frame sizes hold both (RFC 2544, 9)."""
IPV4, IPV6, UDP = 20, 40, 8
LEAST_PAYLOAD = 16
"""What a datagram has to hold to be told from others (see `remote/datagram_wire.py`)."""
MOST_SEGMENTS = 64
_LARGEST_DATAGRAM = 65507
_SUMS = (
    *("sent", "unsent", "sending_s", "received", "doubled", "overtaken", "socket_lost", "foreign"),
    *("receiving_s", "sender_cpu_s", "receiver_cpu_s"),
)
_SETS, _SPREADS = ("sources", "dscps"), ("delay", "round_trip", "variation")
_ROWS = ("gaps", "ticks", "arrivals", "tick_delays")
_TOLD_OTHERWISE = ("stream", *_SETS, *_SPREADS)


def headers(address: str) -> int:
    """Bytes of an Ethernet frame to an address that are no UDP payload."""
    return ETHERNET + (IPV6 if ip_address(address).version == 6 else IPV4) + UDP


@dataclass(frozen=True)
class Stream:
    """Datagrams at an even pace, one way.

    Attributes:
        name: by which it is known among those of one trial.
        address: where they arrive.
        port: where; no other stream of the trial has it.
        frames: sizes of the Ethernet frames with their check sequence, bytes, in turn.
        per_s: frames a second.
        seconds: for how long.
        sent_to: address and port that they are sent to, where something on the way translates that
            into where they arrive.
        source: address that they come from; empty leaves that to the sender's routes.
        source_port: that they come from; 0 leaves it to the sender's kernel.
        after_s: how long after the others of its trial it begins.
        knocks: whether the receiver begins the session, with datagrams to where the stream's come
            from: so a stream gets through a gateway that lets in what its own side has asked for.
        reflected: whether the receiver sends each back, so that round trips are seen, by the
            sender's clock alone. They hold the time that the receiver's program takes as well.
        dscp: of their IP headers.
        segmented: whether the sender's kernel cuts many out of one (UDP_SEGMENT). So a program
            reaches Gbit/s, and what forwards on the sender's own machine sees fewer packets than
            arrive: rates in bits are shown then, and not what a device takes of packets.
        divisible: whether its packets may be cut up where the path carries smaller ones only, as
            those of a load in a tunnel; others leave whole, and are lost where they do not fit.

    Raises:
        ValueError: a frame cannot hold what tells it from others, or segments differ in size.
    """

    name: str
    address: str
    port: int
    frames: tuple[int, ...]
    per_s: float
    seconds: float
    sent_to: tuple[str, int] | None = None
    source: str = ""
    source_port: int = 0
    dscp: int = 0
    segmented: bool = False
    after_s: float = 0.0
    knocks: bool = False
    reflected: bool = False
    divisible: bool = False

    def __post_init__(self) -> None:
        if min(self.payloads) < LEAST_PAYLOAD:
            least = headers(self.address) + LEAST_PAYLOAD
            raise ValueError(f"a frame to {self.address} has at least {least} bytes")
        if self.segmented and len(set(self.frames)) > 1:
            raise ValueError("segments are of one size")
        if self.reflected and len(set(self.frames)) > 1:
            raise ValueError("frames that are reflected are of one size")
        if self.knocks and not (self.source and self.source_port):
            raise ValueError("who knocks has to know where the stream comes from")

    @classmethod
    def at_rate(cls, mbps: float, **stream: object) -> Stream:
        """A stream by its rate at the line's layer 2, Mbit/s of frames with check sequence."""
        frames: tuple[int, ...] = stream["frames"]  # type: ignore[assignment]
        return cls(per_s=mbps * MEGA / 8 / fmean(frames), **stream)  # type: ignore[arg-type]

    @property
    def count(self) -> int:
        """How many datagrams that are."""
        return round(self.per_s * self.seconds)

    @property
    def payloads(self) -> tuple[int, ...]:
        """UDP payloads of the frames, bytes."""
        return tuple(frame - headers(self.address) for frame in self.frames)

    def plan(self) -> dict:
        """What the sender is told (see `remote/datagram_send.py`)."""
        most = min(MOST_SEGMENTS, _LARGEST_DATAGRAM // self.payloads[0])
        address, port = self.sent_to or (self.address, self.port)
        return {
            "source": self.source,
            "source_port": self.source_port,
            "reflected": self.reflected,
            "after_s": self.after_s,
            "address": address,
            "port": port,
            "payloads": list(self.payloads),
            "per_s": self.per_s,
            "count": self.count,
            "tos": self.dscp << 2,
            "segments": most if self.segmented else 1,
            "whole": not self.divisible,
        }

    def place(self) -> dict:
        """What the receiver is told (see `remote/datagram_take.py`)."""
        knock = [self.source, self.source_port] if self.knocks else None
        return {
            "address": self.address,
            "port": self.port,
            "knock": knock,
            "reflect": self.reflected,
            "tos": self.dscp << 2,
        }


class Spread:
    """Times that were seen, and how often each: microseconds.

    Args:
        counts: pairs of a time and how often it was seen.
    """

    def __init__(self, counts: Iterable[Sequence[int]]) -> None:
        ordered = sorted((int(one), int(often)) for one, often in counts)
        self._times = [one for one, _ in ordered]
        self._up_to = list(accumulate(often for _, often in ordered))

    @classmethod
    def of(cls, parts: Iterable[Spread]) -> Spread:
        """All of several together."""
        counts: Counter[int] = Counter()
        for part in parts:
            counts.update(dict(part.counts()))
        return cls(counts.items())

    @property
    def count(self) -> int:
        """How many there are."""
        return self._up_to[-1] if self._up_to else 0

    @property
    def mean(self) -> float:
        """In the mean; of none it is not a number."""
        total = sum(starmap(mul, self.counts()))
        return total / self.count if self.count else float("nan")

    @property
    def least(self) -> float:
        """The shortest; of none it is not a number."""
        return float(self._times[0]) if self._times else float("nan")

    def counts(self) -> Iterator[tuple[int, int]]:
        """Each time in their order, and how often it was seen."""
        return zip(self._times, map(sub, self._up_to, [0, *self._up_to]), strict=True)

    def of_rank(self, rank: int) -> float:
        """The time that has this place in their order, 1 for the shortest."""
        return float(self._times[bisect_left(self._up_to, rank)])

    def later_than(self, time: float) -> int:
        """How many are longer."""
        place = bisect_right(self._times, time)
        return self.count - (self._up_to[place - 1] if place else 0)

    def summary(self) -> dict[str, float]:
        """Some percentiles, for a record."""
        points = (50, 99, 99.9, 100) if self.count else ()
        return {f"p{point:g}": self.percentile(point) for point in points}

    def percentile(self, percent: float) -> float:
        """The smallest time that so many per cent do not pass; of none it is not a number."""
        if not self._times:
            return float("nan")
        return float(self._times[bisect_left(self._up_to, percent / 100 * self.count)])


@dataclass(frozen=True)
class Carried:
    """What became of a stream.

    Attributes:
        stream: that was asked for.
        sent: datagrams that the sender's kernel took.
        unsent: that the sender was too late for, or could not hand over: the rig's doing.
        sending_s: from the first to the last that was sent.
        late_us: the longest that one was sent after its turn.
        received: different datagrams that a program got.
        receiving_s: from when the first of all came to when the last did.
        doubled, overtaken: that came again, and after a later one (RFC 4737, 3.3).
        socket_lost: that arrived and found no room, as the receiver was late: the rig's doing.
        foreign: that were none of the stream's.
        sources: addresses that they came from.
        dscps: that their IP headers had when they arrived.
        sender_cpu_s, receiver_cpu_s: of the programs, with all streams of the trial.
        delay: one way, by the two hosts' clocks.
        round_trip: there and back, of those that came back; without any where none is reflected.
        variation: of the delay from one datagram to the next (RFC 3393).
        gaps: the first thousand: number of the first that is missing, how many, and when the next
            was sent, in ns since the epoch; some of them were overtaken and not lost.
        ticks: by tenths of a second, from the first to the last in which any was sent: how many
            were, and how many of those arrived.
        arrivals: by tenths of a second, from the first to the last in which any came: how many did.
        tick_delays: by the same tenths as `ticks`: the mean and the longest delay of those that
            arrived, us; zeros where none did.
        path_mtu: largest IP packet that the path was told to carry, bytes; 0 where nobody told.
    """

    stream: Stream
    sent: int
    unsent: int
    sending_s: float
    late_us: int
    received: int
    receiving_s: float
    doubled: int
    overtaken: int
    socket_lost: int
    foreign: int
    sources: frozenset[str]
    dscps: frozenset[int]
    sender_cpu_s: float
    receiver_cpu_s: float
    delay: Spread
    round_trip: Spread
    variation: Spread
    gaps: tuple[tuple[int, int, int], ...]
    ticks: tuple[tuple[int, int], ...]
    arrivals: tuple[int, ...]
    tick_delays: tuple[tuple[float, int], ...] = ()
    path_mtu: int = 0

    @classmethod
    def of(cls, told: Mapping[str, Any], delays: Iterable[Sequence[int]]) -> Carried:
        """One from its record; of its times only the delays are known then.

        Args:
            told: see `record`.
            delays: each and how often it was seen, us.

        Raises:
            KeyError, TypeError, ValueError: it is no such record.
        """
        plain = {
            field.name: told[field.name]
            for field in fields(cls)
            if field.name not in _TOLD_OTHERWISE and (field.name in told or _needed(field))
        }
        sets = {name: frozenset(told[name]) for name in _SETS}
        times = {name: Spread(()) for name in _SPREADS} | {"delay": Spread(delays)}
        return cls(stream=Stream(**told["stream"]), **plain, **sets, **times)

    @property
    def too_large(self) -> bool:
        """Whether its largest packets are larger than what the path was told to carry."""
        return 0 < self.path_mtu < max(self.stream.frames) - ETHERNET

    @property
    def lost(self) -> int:
        """That did not reach the receiver's host."""
        return max(0, self.sent - self.received - self.socket_lost)

    @property
    def loss_ratio(self) -> float:
        """Of those that were sent."""
        return self.lost / self.sent if self.sent else 0.0

    @property
    def received_bytes(self) -> int:
        """UDP payload that a program got, about."""
        return round(self.received * fmean(self.stream.payloads))

    @property
    def sent_per_s(self) -> float:
        """Frames a second that were offered in truth."""
        return (self.sent - 1) / self.sending_s if self.sending_s and self.sent > 1 else 0.0

    @property
    def received_per_s(self) -> float:
        """Frames a second that arrived, from the first to the last: what a shaper lets through."""
        count = self.received + self.doubled
        return (count - 1) / self.receiving_s if self.receiving_s and count > 1 else 0.0

    @property
    def received_mbps(self) -> float:
        """Of frames with check sequence, Mbit/s, over the time in which they were sent."""
        share = self.received / self.sent if self.sent else 0.0
        return self.sent_per_s * share * fmean(self.stream.frames) * 8 / MEGA

    def record(self) -> dict[str, object]:
        """All of it, as JSON takes it; of the times some percentiles, us."""
        plain = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.name not in _TOLD_OTHERWISE
        }
        return {
            "stream": asdict(self.stream),
            **plain,
            "sources": sorted(self.sources),
            "dscps": sorted(self.dscps),
            "delay_us": self.delay.summary(),
            "round_trip_us": self.round_trip.summary(),
            "variation_us": self.variation.summary(),
        }


def joined(parts: Sequence[Carried]) -> Carried:
    """What became of a stream that was sent in parts, one after the other, as one.

    Args:
        parts: at least one, in their order.
    """
    return replace(
        parts[0],
        stream=replace(parts[0].stream, seconds=sum(part.stream.seconds for part in parts)),
        **{name: sum(getattr(part, name) for part in parts) for name in _SUMS},
        late_us=max(part.late_us for part in parts),
        path_mtu=min(part.path_mtu for part in parts),
        **{name: frozenset().union(*(getattr(one, name) for one in parts)) for name in _SETS},
        **{name: Spread.of([getattr(part, name) for part in parts]) for name in _SPREADS},
        **{name: tuple(one for part in parts for one in getattr(part, name)) for name in _ROWS},
    )


def carried(stream: Stream, sent: dict, taken: dict) -> Carried:
    """What the two programs told of a stream, put together.

    Args:
        stream: that was asked for.
        sent: see `remote/datagram_send.py`.
        taken: see `remote/datagram_take.py`.
    """
    went, came = dict(map(tuple, sent["by_tick"])), dict(map(tuple, taken["ticks"]))
    delayed = {tick: (total / came[tick], most) for tick, total, most in taken["tick_delays"]}
    arrived = dict(map(tuple, taken["arrivals"]))
    return Carried(
        stream=stream,
        sent=sent["sent"],
        unsent=sent["unsent"],
        sending_s=sent["seconds"],
        late_us=sent["late_us"],
        received=taken["received"],
        receiving_s=taken["seconds"],
        doubled=taken["doubled"],
        overtaken=taken["overtaken"],
        socket_lost=taken["socket_lost"],
        foreign=taken["foreign"],
        sources=frozenset(taken["sources"]),
        dscps=frozenset(tos >> 2 for tos in taken["tos"]),
        sender_cpu_s=sent["cpu_s"],
        receiver_cpu_s=taken["cpu_s"],
        delay=Spread(taken["delays_us"]),
        round_trip=Spread(sent["back"]["delays_us"] if sent["back"] else ()),
        variation=Spread(taken["variations_us"]),
        gaps=tuple(tuple(gap) for gap in taken["gaps"]),
        ticks=tuple((went.get(tick, 0), came.get(tick, 0)) for tick in _whole(went)),
        arrivals=tuple(arrived.get(tick, 0) for tick in _whole(arrived)),
        tick_delays=tuple(delayed.get(tick, (0.0, 0)) for tick in _whole(went)),
        path_mtu=sent["path_mtu"],
    )


def _needed(field: Field) -> bool:
    """Whether a record has to have it; those of before lack what was added since."""
    return field.default is MISSING


def _whole(ticks: Mapping[int, int]) -> range:
    """All from the first to the last."""
    return range(min(ticks, default=0), max(ticks, default=-1) + 1)
