"""What is done to the packets of both directions, and which they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

DETOURS: Mapping[str, str] = {"port1": "tap1", "port2": "tap2"}
"""By port the device to which packets go that were to leave there."""

MARK = 0x47600000
"""The packet mark of what takes the detour: what is forwarded from one of these ports to another.
What comes back from there has none, and so leaves."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A time in which nothing passes, again and again.

    Attributes:
        seconds: how long.
        every_s: from the end of one to the end of the next, in seconds.
    """

    seconds: float
    every_s: float


@dataclass(frozen=True, slots=True)
class Plan:
    """What is done to packets, in each direction by itself; nothing unless said otherwise.

    Attributes:
        delay_ms: how long each is held.
        jitter_ms: how much longer at most, by chance; none overtakes another.
        full_mbps: more than this fills a buffer, in which packets wait; 0 for none.
        buffer_ms: how long they wait there at most.
        overtaken_percent: how many of them are overtaken by those that come after.
        overtaken_ms: for how long these are held besides.
        doubled_percent: how many of them arrive twice.
        gaps: when nothing passes.
    """

    delay_ms: float = 0.0
    jitter_ms: float = 0.0
    full_mbps: float = 0.0
    buffer_ms: float = 0.0
    overtaken_percent: float = 0.0
    overtaken_ms: float = 0.0
    doubled_percent: float = 0.0
    gaps: tuple[Gap, ...] = ()


def read(said: Mapping[str, Any]) -> Plan:
    """The plan that `dataclasses.asdict` has made plain."""
    return Plan(**{**said, "gaps": tuple(Gap(**one) for one in said["gaps"])})
