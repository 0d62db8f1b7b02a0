"""RFC 6349: how TCP fares on a path, by window and by number of connections.

First the path without load: its MTU, its round trip, its bottleneck. From these follow the window
that fills it (the bandwidth-delay product) and the rate that TCP can have at most. Then TCP itself,
by the RFC's three metrics.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gatepass.results.trial import MEGA, Load, Trial
from gatepass.verdict.disturbance import disturbance
from gatepass.verdict.tcp_metrics import buffer_delay_percent, full_segment, transfer_time_ratio
from gatepass.verdict.throughput import efficiency_of

NAME = "rfc6349"
ATTEMPTS = 3
"""At a trial that the rig disturbed."""
_OF_THE_PRODUCT = (0.25, 0.5, 0.75, 1, 2)
_BOTTLENECK, _AROUND_S = 15, 1.0
"""Trials that the bottleneck takes, and what each takes beside its traffic, in seconds."""
_LEAST_WINDOW = 4096
"""Bytes; Linux gives a socket hardly less."""
_FIXED_WINDOWS = (16_384, 65_536, 262_144)
_MBIT = 8 / MEGA
"""Of a byte."""

Send = Callable[[Load], Trial]
"""Runs one trial of TCP through the gateway."""


@dataclass(frozen=True)
class Conditions:
    """How long, and over how many connections.

    Attributes:
        seconds: of a trial.
        omit_s: of the slow start, which is left out.
        connections: how many at once.
    """

    seconds: float
    omit_s: float
    connections: tuple[int, ...]

    @property
    def lasts_s(self) -> float:
        """About how long it takes with these, in seconds."""
        trials = len(_OF_THE_PRODUCT) + len(_FIXED_WINDOWS) + len(self.connections) + _BOTTLENECK
        return trials * (self.seconds + self.omit_s + _AROUND_S)


CONDITIONS = {
    "whole": Conditions(60.0, 5.0, (1, 2, 4, 8, 16, 32)),
    "short": Conditions(2.0, 1.0, (1, 4, 16)),
    "shortest": Conditions(1.0, 0.0, (1, 2)),
}
"""By the names that a profile calls them."""


@dataclass(frozen=True)
class Baseline:
    """The path without load.

    Attributes:
        mtu: largest IP packet that gets through whole, bytes.
        rtt_ms: shortest round trip of TCP that hardly sends.
        frames_per_s: of full size that get through at most, with half a per cent lost.
    """

    mtu: int
    rtt_ms: float
    frames_per_s: float

    @property
    def goodput_mbps(self) -> float:
        """What TCP carries at most in so many full segments, Mbit/s."""
        return self.frames_per_s * full_segment(self.mtu) * _MBIT

    @property
    def product_bytes(self) -> float:
        """Bandwidth times delay: what is under way where the path is full."""
        return self.goodput_mbps / _MBIT * self.rtt_ms / 1000

    def ideal_mbps(self, window_bytes: int | None) -> float:
        """The rate that a connection can have with a window; None for as much as it likes."""
        if window_bytes is None:
            return self.goodput_mbps
        return min(self.goodput_mbps, window_bytes * _MBIT / (self.rtt_ms / 1000))

    @property
    def windows(self) -> tuple[int, ...]:
        """Those that are tried, bytes: around the product, and some that are common."""
        around = (round(share * self.product_bytes) for share in _OF_THE_PRODUCT)
        return tuple(sorted({max(_LEAST_WINDOW, one) for one in (*around, *_FIXED_WINDOWS)}))


@dataclass(frozen=True)
class Fared:
    """How TCP fared in one trial.

    Attributes:
        connections: at once.
        window_bytes: of each; None where it grew as it liked.
        trial: that was run.
        ideal_mbps: what it could have had.
        rest_ms: the round trip without load.
        disturbed: why the rig could have caused it; empty where it could not.
    """

    connections: int
    window_bytes: int | None
    trial: Trial
    ideal_mbps: float
    rest_ms: float
    disturbed: str = ""

    @property
    def ratio(self) -> float | None:
        """Transfer time ratio (4.1); None where nothing was carried."""
        return transfer_time_ratio(self.trial.mbps, self.ideal_mbps) if self.trial.mbps else None

    @property
    def efficiency_percent(self) -> float | None:
        """TCP efficiency (4.2)."""
        return efficiency_of([self.trial])

    @property
    def buffer_delay_percent(self) -> float | None:
        """By how much the round trip grew (4.3); None where iperf3 told none."""
        loaded = self.trial.rtt_ms
        return None if loaded is None else buffer_delay_percent(loaded, self.rest_ms)


def by_window(send: Send, path: Baseline, conditions: Conditions) -> list[Fared]:
    """One connection with each of the path's windows."""
    return [_fared(send, path, conditions, 1, window) for window in path.windows]


def by_connections(send: Send, path: Baseline, conditions: Conditions) -> list[Fared]:
    """Several connections at once, whose windows grow as they like."""
    return [_fared(send, path, conditions, count, None) for count in conditions.connections]


def _fared(
    send: Send, path: Baseline, conditions: Conditions, connections: int, window: int | None
) -> Fared:
    load = Load(
        seconds=conditions.seconds,
        omit_s=conditions.omit_s,
        streams=connections,
        interval_s=conditions.seconds / 2,
        window_bytes=window,
    )
    for _ in range(ATTEMPTS):
        trial = send(load)
        if not (why := disturbance(trial)):
            break
    several = None if window is None else window * connections
    return Fared(connections, window, trial, path.ideal_mbps(several), path.rtt_ms, why)
