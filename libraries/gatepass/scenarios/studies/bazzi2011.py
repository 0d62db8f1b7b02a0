"""Bazzi and Onozato 2011: what a firewall costs, by socket and message size, and by transactions.

The same traffic goes with the gateway and without it, again and again, until the mean of either is
known to within half a per cent at 99 %, or the limit of repeats is reached.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from gatepass.endpoint.transactions import Exchange
from gatepass.results.trial import Load, Trial
from gatepass.stats.intervals import Degradation, Interval, degradation, interval
from gatepass.verdict.disturbance import disturbance

NAME = "bazzi2011"
CONFIDENCE, WITHIN = 0.99, 0.005
"""The source's: the mean is known to within this share of it."""
TOLERATED = WITHIN / 2
"""Share of the datagrams that the server's socket may lose: as small as the source wants it, it
loses some whenever its program is late by a few milliseconds, and the figure is told with them."""
LINE_MBPS = 100.0
"""The source's Ethernet line, which its figures without the firewall are those of."""
DIRECT, THROUGH = "direct", "through"
_KIB = 1024
_FRAME = 38
"""Bytes that an Ethernet line is busy with beside an IP packet: header, check, preamble, gap."""
_MTU, _IP, _UDP, _TCP = 1500, 20, 8, 32
"""Of an Ethernet, and headers; TCP's with time stamps (RFC 7323)."""
_AROUND_S = 0.2
"""What a trial takes beside its traffic, in seconds, as seen in the lab."""


@dataclass(frozen=True)
class StreamCell:
    """A stream, as a column of the source's tables 1 and 2 has it.

    Attributes:
        socket_kib: buffers that both sockets ask for.
        message_kib: sent at a time; over UDP a datagram.
    """

    socket_kib: int
    message_kib: int

    def __str__(self) -> str:
        return f"{self.socket_kib} / {self.message_kib} KB"

    @property
    def sizes(self) -> dict[str, int]:
        """By the names that published figures and tables call them."""
        return {"socket_kib": self.socket_kib, "message_kib": self.message_kib}

    def load(self, protocol: str, seconds: float) -> Load:
        """As fast as the source's line would let it go.

        Args:
            protocol: TCP or UDP.
            seconds: for how long.
        """
        socket, message = self.socket_kib * _KIB, self.message_kib * _KIB
        if protocol == "TCP":
            pace = LINE_MBPS * (_MTU - _IP - _TCP) / (_MTU + _FRAME)
            return Load(seconds, pace_mbps=pace, window_bytes=socket, message_bytes=message)
        packets = -(-(message + _UDP) // (_MTU - _IP))
        pace = LINE_MBPS * message / (message + _UDP + packets * (_IP + _FRAME))
        datagrams = {"datagram_bytes": message, "in_fragments": packets > 1}
        return Load(seconds, udp_mbps=pace, window_bytes=socket, **datagrams)


@dataclass(frozen=True)
class ExchangeCell:
    """Transactions, as a column of the source's tables 3 and 4 has them.

    Attributes:
        request, response: bytes.
    """

    request: int
    response: int

    def __str__(self) -> str:
        return f"{self.request} / {self.response} bytes"

    @property
    def sizes(self) -> dict[str, int]:
        """By the names that published figures and tables call them."""
        return {"request": self.request, "response": self.response}

    def exchange(self, protocol: str, seconds: float) -> Exchange:
        """For so long, over TCP or UDP."""
        return Exchange(protocol, self.request, self.response, seconds)


Cell = StreamCell | ExchangeCell
STREAMS = (StreamCell(56, 4), StreamCell(32, 4), StreamCell(32, 1))
_BOTH = tuple(ExchangeCell(*sizes) for sizes in ((1, 1), (32, 256), (32, 512), (32, 1024)))
EXCHANGES = {"TCP": _BOTH, "UDP": (*_BOTH, ExchangeCell(516, 4))}
"""The last one is what an upload by TFTP looks like."""


@dataclass(frozen=True)
class Conditions:
    """How long, and how often.

    Attributes:
        stream_s, exchange_s: length of a trial.
        least, most: trials of a cell on each of the two paths.
    """

    stream_s: float
    exchange_s: float
    least: int
    most: int

    @property
    def lasts_s(self) -> float:
        """About how long it takes with these, in seconds."""
        streams = 2 * len(STREAMS) * (self.stream_s + _AROUND_S)
        exchanges = sum(map(len, EXCHANGES.values())) * (self.exchange_s + _AROUND_S)
        return (streams + exchanges) * (self.least + self.most)


CONDITIONS = {
    "whole": Conditions(600.0, 600.0, 5, 30),
    "short": Conditions(1.0, 0.5, 5, 8),
    "shortest": Conditions(1.0, 0.3, 2, 4),
}
"""By the names that a profile calls them. The source repeats 5 times at least and tells no limit;
netperf takes 30 at most (`-i`)."""


@dataclass(frozen=True)
class Sample:
    """One trial on one of the paths.

    Attributes:
        figure: Mbit/s that arrived, or transactions a second.
        lost_percent: of the datagrams or of the requests; None over TCP.
        disturbed: what the rig did that could have caused it; empty where it did nothing.
    """

    figure: float
    lost_percent: float | None = None
    disturbed: str = ""


Try = Callable[[], Sample]
"""Runs one trial of a cell on a path."""


@dataclass(frozen=True)
class Compared:
    """A cell with and without the gateway.

    Attributes:
        cell: of the source's table.
        trials: all that ran, by path.
        least: how many have to count.
    """

    cell: Cell
    trials: Mapping[str, Sequence[Sample]]
    least: int

    def counted(self, path: str) -> list[Sample]:
        """The trials that the rig did not disturb."""
        return [one for one in self.trials[path] if not one.disturbed]

    def mean(self, path: str) -> Interval:
        """Mean and interval; there is at least one trial that counts."""
        return interval(self._figures(path), CONFIDENCE)

    def within(self, path: str) -> float | None:
        """Half of the interval as a share of the mean; None where it is not known."""
        if len(self.counted(path)) < 2 or not (mean := self.mean(path)).mean:
            return None
        return mean.half_width / mean.mean

    def lost_percent(self, path: str) -> float | None:
        """Of all trials that count, in the mean; None over TCP."""
        told = [one.lost_percent for one in self.counted(path) if one.lost_percent is not None]
        return sum(told) / len(told) if told else None

    @property
    def by_rig(self) -> str:
        """Why it cannot be told; empty where it can."""
        for path in (DIRECT, THROUGH):
            if len(self.counted(path)) < self.least:
                reasons = (one.disturbed for one in self.trials[path] if one.disturbed)
                return next(reasons, "there were too few trials")
        return "" if self.mean(DIRECT).mean else "nothing arrives without the gateway either"

    @property
    def sure(self) -> bool:
        """Whether both means are known as closely as the source wants them."""
        shares = [self.within(path) for path in (DIRECT, THROUGH)]
        return not self.by_rig and all(one is not None and one <= WITHIN for one in shares)

    @property
    def degradation(self) -> Degradation | None:
        """What the gateway costs, per cent; None where it cannot be told."""
        if self.by_rig:
            return None
        direct, through = self._figures(DIRECT), self._figures(THROUGH)
        if not any(through):
            return Degradation(100.0, None, None)
        return degradation(direct, through, CONFIDENCE)

    def _figures(self, path: str) -> list[float]:
        return [one.figure for one in self.counted(path)]


def disturbed(trial: Trial) -> str:
    """What the rig did that could have caused more than `TOLERATED`; empty where it did nothing."""
    few = (trial.datagrams or 0) * TOLERATED
    conduct = {
        name: replace(one, socket_lost=0) if one.socket_lost <= few else one
        for name, one in trial.conduct.items()
    }
    return disturbance(replace(trial, conduct=conduct))


def compare(cell: Cell, tries: Mapping[str, Try], asked: Conditions) -> Compared:
    """Trials on both paths, which take turns in who is first, until they are sure or at the limit.

    Args:
        cell: of the source's table.
        tries: by path.
        asked: how often.
    """
    trials: dict[str, list[Sample]] = {DIRECT: [], THROUGH: []}
    found = Compared(cell, trials, asked.least)
    order = (DIRECT, THROUGH)
    while len(trials[DIRECT]) < asked.most and not found.sure:
        for path in order:
            trials[path].append(tries[path]())
        order = order[::-1]
    return found
