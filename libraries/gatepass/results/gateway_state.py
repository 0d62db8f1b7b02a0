"""What a gateway told of itself that bears on a figure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GatewayLoad:
    """The gateway's resources over a time.

    Attributes:
        cpu_percent, cpu_mean_percent: the busiest reading, and the mean of all.
        memory_percent: the highest reading; None where it tells none.
        readings: how many there were.
    """

    cpu_percent: float
    cpu_mean_percent: float
    memory_percent: float | None
    readings: int


@dataclass(frozen=True)
class Sessions:
    """The gateway's table of sessions.

    Attributes:
        current: how many there are.
        limit: how many there may be, as it is configured; 0 where nothing is.
    """

    current: int
    limit: int


@dataclass(frozen=True)
class Licence:
    """What the licence of a VM says about its size.

    Attributes:
        status: the device's own word, such as "vm_valid".
        valid: whether it is.
        cpus_used, cpus_allowed: virtual CPUs; None where it does not tell.
        memory_used, memory_allowed: in one unit; None where it does not tell.
    """

    status: str
    valid: bool
    cpus_used: int | None = None
    cpus_allowed: int | None = None
    memory_used: int | None = None
    memory_allowed: int | None = None


@dataclass(frozen=True)
class Shaper:
    """A traffic shaper that at least one enabled shaping policy uses.

    Attributes:
        name: on the gateway.
        mbps: its maximum bandwidth, Mbit/s of frames; 0 where it has none and limits nothing.
        guaranteed_mbps: its guaranteed bandwidth, Mbit/s; 0 where it has none.
        policies: the numbers of the shaping policies that use it, in either direction.
    """

    name: str
    mbps: float
    guaranteed_mbps: float = 0.0
    policies: tuple[int, ...] = ()
