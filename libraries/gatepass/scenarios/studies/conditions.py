"""How RFC 2544 is carried out: by its own conditions, or by shorter ones, which the page tells."""

from __future__ import annotations

from dataclasses import dataclass

from gatepass.scenarios.studies.frames import IMIX, IPV4, IPV6, RFC2544_SIZES, FrameSize, sizes

_SEARCH, _RIG, _CURVE, _BURST = 10, 3, 8, 3
"""Trials that a part takes, as seen in the lab: of a search, beside the gateway, of a curve, of a
burst."""
_AROUND_S = 1.5
"""What a trial takes beside its traffic, in seconds, as seen in the lab."""


@dataclass(frozen=True)
class Effort:
    """How thoroughly is searched.

    Attributes:
        width: how far the bounds may lie apart, as a share of the upper one.
        first_s, final_s: length of the first trials, and of those that decide, in seconds.
        sum_s: seconds of trials that a bound takes.
        exceed: share of them that may be lossy at a lower bound.
        limit_s: after which the search ends with what it has.
    """

    width: float
    first_s: float
    final_s: float
    sum_s: float
    exceed: float
    limit_s: float


@dataclass(frozen=True)
class Conditions:
    """How long, how often and with which frames.

    Attributes:
        name: as a profile calls them.
        searched: frame sizes whose throughput is searched.
        closer: those that latency, loss, bursts and recovery are measured with.
        search: how thoroughly.
        rig_s: length of a trial beside the gateway, in seconds.
        latency_repeats, latency_s: how many trials, and their length.
        curve_s: length of a trial of the loss rate.
        burst_s: longest burst, in seconds.
        bursts: how often a burst is repeated.
        overload_s, after_s: how long the overload lasts, and what follows it.
    """

    name: str
    searched: tuple[FrameSize, ...]
    closer: tuple[FrameSize, ...]
    search: Effort
    rig_s: float
    latency_repeats: int
    latency_s: float
    curve_s: float
    burst_s: float
    bursts: int
    overload_s: float
    after_s: float

    @property
    def search_s(self) -> float:
        """About how long the search of one throughput takes, in seconds."""
        search = self.search
        trials = _SEARCH * (search.first_s + search.final_s) / 2, _RIG * self.rig_s
        return sum(trials) + (_SEARCH + _RIG) * _AROUND_S

    @property
    def lasts_s(self) -> float:
        """About how long it takes with these, in seconds."""
        each = (
            (self.latency_repeats + _RIG, self.latency_s),
            (_CURVE, self.curve_s),
            (self.bursts * _BURST, self.burst_s / 2),
            (1, self.overload_s + self.after_s),
        )
        closer = sum(count * (seconds + _AROUND_S) for count, seconds in each)
        return len(self.searched) * self.search_s + len(self.closer) * closer


_ALL = (*sizes(IPV4, RFC2544_SIZES), IMIX, *sizes(IPV6, RFC2544_SIZES))
_SOME = (*sizes(IPV4, (64, 512, 1518)), *sizes(IPV6, (512,)))
_CLOSER = sizes(IPV4, (512, 1518))

WHOLE = Conditions(
    name="whole",
    searched=_ALL,
    closer=_ALL,
    search=Effort(0.005, first_s=1.0, final_s=60.0, sum_s=60.0, exceed=0.0, limit_s=4 * 3600.0),
    rig_s=60.0,
    latency_repeats=20,
    latency_s=120.0,
    curve_s=60.0,
    burst_s=2.0,
    bursts=50,
    overload_s=60.0,
    after_s=60.0,
)
"""RFC 2544's own: trials of 60 s (24), 20 repeats of 120 s (26.2), 50 bursts (26.4)."""

SHORT = Conditions(
    name="short",
    searched=_SOME,
    closer=_CLOSER,
    search=Effort(0.02, first_s=0.5, final_s=1.0, sum_s=1.0, exceed=0.0, limit_s=60.0),
    rig_s=0.5,
    latency_repeats=20,
    latency_s=0.2,
    curve_s=1.0,
    burst_s=0.5,
    bursts=2,
    overload_s=4.0,
    after_s=1.0,
)
"""For a first answer within minutes."""

SHORTEST = Conditions(
    name="shortest",
    searched=sizes(IPV4, (1518,)),
    closer=sizes(IPV4, (1518,)),
    search=Effort(0.03, first_s=0.5, final_s=1.0, sum_s=1.0, exceed=0.0, limit_s=60.0),
    rig_s=0.5,
    latency_repeats=3,
    latency_s=0.2,
    curve_s=0.5,
    burst_s=0.5,
    bursts=1,
    overload_s=3.0,
    after_s=1.0,
)
"""For Gatepass's own tests."""

CONDITIONS = {one.name: one for one in (WHOLE, SHORT, SHORTEST)}
