"""Berg 2005: one connection, one each way, fifty, and file transfers, over paths that grow longer.

The same on each path: beside the gateway, which tells what the rig carries, through its packet
filter, and through its VPN.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from gatepass.base.errors import NotProven
from gatepass.results.trial import Load
from gatepass.stats.intervals import Interval, interval

NAME = "berg2005"
ATTEMPTS = 5
"""At a trial that the rig disturbed."""
WINDOW_BYTES = 192 * 1024
"""That a file transfer asks for. Linux makes a third more of it, by its version, which is about the
published rates times the delays, 222 to 287 KB."""
_AROUND_S, _LATE_BY = 1.0, 0.98
_PATHS = 3
AT_LEAST = "at least"
_RIGS_LIMIT = 0.95
"""Of what the rig carries alone: from here on the gateway was not what limited a rate."""


@dataclass(frozen=True)
class Traffic:
    """What is sent.

    Attributes:
        name: in the tables.
        key: by which published figures name it.
        streams: TCP connections at once, each way.
        there, back: whether it goes to the server, and from it.
        is_file: a transfer with a window as of the source's tool, its slow start counted.
    """

    name: str
    key: str
    streams: int = 1
    there: bool = True
    back: bool = False
    is_file: bool = False

    def load(self, asked: Conditions) -> Load:
        """A trial of it."""
        seconds = asked.transfer_s if self.is_file else asked.seconds
        return Load(
            seconds=seconds,
            omit_s=0 if self.is_file else asked.omit_s,
            streams=self.streams,
            interval_s=seconds / 2,
            reverse=self.back and not self.there,
            window_bytes=WINDOW_BYTES if self.is_file else None,
        )


ONE = Traffic("1 connection", "one")
FIFTY = Traffic("50 connections", "fifty", streams=50)
CONNECTIONS = (ONE, Traffic("1 connection each way", "each way", back=True), FIFTY)
TRANSFERS = (
    Traffic("Client → server", "there", is_file=True),
    Traffic("Client ← server", "back", there=False, back=True, is_file=True),
    Traffic("Client ↔ server", "both", back=True, is_file=True),
    Traffic("Three at once → server", "three", streams=3, is_file=True),
)


@dataclass(frozen=True)
class Conditions:
    """How long, how often, over how long a path.

    Attributes:
        seconds: of a trial of connections; `omit_s` of its slow start are left out.
        omit_s: see `seconds`.
        transfer_s: of a file transfer.
        repeats: of each trial.
        delays_ms: that are added to the round trip of connections.
        transfer_delays_ms: to that of file transfers.
    """

    seconds: float
    omit_s: float
    transfer_s: float
    repeats: int
    delays_ms: tuple[float, ...]
    transfer_delays_ms: tuple[float, ...]

    @property
    def lasts_s(self) -> float:
        """About how long it takes with these, in seconds."""
        one = len(CONNECTIONS) * len(self.delays_ms) * (self.seconds + self.omit_s + _AROUND_S)
        files = len(TRANSFERS) * len(self.transfer_delays_ms) * (self.transfer_s + _AROUND_S)
        return _PATHS * self.repeats * (one + files)


_DELAYS = (0, 7, 14, 20, 40)
CONDITIONS = {
    "whole": Conditions(60.0, 5.0, 60.0, 3, _DELAYS, _DELAYS),
    "short": Conditions(1.0, 0.5, 1.0, 1, (0, 7, 40), (0, 7, 20)),
    "shortest": Conditions(1.0, 0.5, 1.0, 1, (0, 40), (7,)),
}
"""By the names that a profile calls them."""


@dataclass(frozen=True)
class Carried:
    """One trial.

    Attributes:
        there_mbps, back_mbps: TCP goodput to the server and from it; None where none was sent.
        rtt_ms: mean round trip under load; None where it is not told.
        least_rtt_ms: the shortest.
        disturbed: why the rig could have caused it; empty where it could not.
        limit: what limited the rig, so that more may be carried; empty where nothing did.
    """

    there_mbps: float | None = None
    back_mbps: float | None = None
    rtt_ms: float | None = None
    least_rtt_ms: float | None = None
    disturbed: str = ""
    limit: str = ""


Send = Callable[[Traffic, Load], Carried]
"""Sends on one path."""
Delayed = Callable[[float], AbstractContextManager]
"""Makes that path longer by so many milliseconds of round trip."""


@dataclass(frozen=True)
class Figure:
    """What a path carried of one traffic with one delay.

    Attributes:
        traffic: that was sent.
        delay_ms: that was added.
        trials: of it.
        confidence: of the interval, two-sided.
    """

    traffic: Traffic
    delay_ms: float
    trials: tuple[Carried, ...]
    confidence: float

    @property
    def there(self) -> Interval | None:
        """To the server, Mbit/s."""
        return self._over([one.there_mbps for one in self.trials])

    @property
    def back(self) -> Interval | None:
        """From the server, Mbit/s."""
        return self._over([one.back_mbps for one in self.trials])

    @property
    def together(self) -> Interval:
        """Both ways, Mbit/s."""
        return self._over([(one.there_mbps or 0) + (one.back_mbps or 0) for one in self.trials])

    @property
    def rtt_ms(self) -> float | None:
        """Mean round trip under load; None where it is not told."""
        known = self._over([one.rtt_ms for one in self.trials])
        return known and known.mean

    @property
    def disturbed(self) -> str:
        """What the rig did in a trial each time that it was begun anew."""
        return next((one.disturbed for one in self.trials if one.disturbed), "")

    @property
    def limit(self) -> str:
        """What limited the rig in a trial."""
        return next((one.limit for one in self.trials if one.limit), "")

    def _over(self, figures: Sequence[float | None]) -> Interval | None:
        known = [one for one in figures if one is not None]
        return interval(known, self.confidence) if known else None


@dataclass
class Path:
    """One path, and what it carried.

    Attributes:
        send, delayed: see there.
        asked: how thoroughly.
        confidence: of the intervals.
        found: by traffic and delay.
        troubles: why something could not be measured, by the delay.
    """

    send: Send
    delayed: Delayed
    asked: Conditions
    confidence: float = 0.95
    found: dict[tuple[Traffic, float], Figure] = field(default_factory=dict)
    troubles: dict[float, str] = field(default_factory=dict)

    def measure(self, kinds: Sequence[Traffic], delays_ms: Sequence[float]) -> list[Figure]:
        """Each traffic with each delay; why some could not be is in `troubles`."""
        for delay_ms in delays_ms:
            try:
                with self.delayed(delay_ms):
                    for kind in kinds:
                        self.found[kind, delay_ms] = self._figure(kind, delay_ms)
            except NotProven as why:
                self.troubles[delay_ms] = str(why.reason)
        asked = ((kind, delay_ms) for kind in kinds for delay_ms in delays_ms)
        return [self.found[one] for one in asked if one in self.found]

    def must_be_measured(self) -> None:
        """All of it was.

        Raises:
            NotProven: otherwise.
        """
        if self.troubles:
            delay_ms, why = next(iter(self.troubles.items()))
            more = f" ({len(self.troubles) - 1} more)" if len(self.troubles) > 1 else ""
            raise NotProven(f"with {delay_ms:g} ms added{more} it could not be measured: {why}")

    def must_be_whole(self) -> None:
        """All was measured, and the rig disturbed none of it each time.

        Raises:
            NotProven: otherwise.
        """
        self.must_be_measured()
        for one in self.found.values():
            if one.disturbed:
                raise NotProven(f"a trial cannot be used, as {one.disturbed}. Run again.")

    def _figure(self, kind: Traffic, delay_ms: float) -> Figure:
        trials = [self._undisturbed(kind) for _ in range(self.asked.repeats)]
        for one in trials:
            if one.least_rtt_ms is not None and one.least_rtt_ms < delay_ms * _LATE_BY:
                raise NotProven(
                    f"packets came back within {one.least_rtt_ms:.2f} ms, so the delay did not act."
                )
        return Figure(kind, delay_ms, tuple(trials), self.confidence)

    def _undisturbed(self, kind: Traffic) -> Carried:
        for _ in range(ATTEMPTS):
            seen = self.send(kind, kind.load(self.asked))
            if not seen.disturbed:
                break
        return seen


def known(figure: Figure, rig: Mapping[tuple[Traffic, float], Figure]) -> tuple[float | None, str]:
    """What the rig carried alone of the same, Mbit/s, and what that makes of a figure.

    Args:
        figure: of a path through the gateway.
        rig: what was found beside the gateway.
    """
    beside = rig.get((figure.traffic, figure.delay_ms))
    if figure.disturbed:
        return beside and beside.together.mean, f"not told: {figure.disturbed}"
    if figure.limit:
        return beside and beside.together.mean, f"{AT_LEAST}: {figure.limit}"
    if beside is None:
        return None, "what the rig carries alone is not known"
    alone = beside.together.mean
    limited = figure.together.mean >= alone * _RIGS_LIMIT
    return alone, AT_LEAST if limited else ""
