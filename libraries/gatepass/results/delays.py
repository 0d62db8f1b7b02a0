"""Probes that are sent to see how long packets take, through the gateway and beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gatepass.results.conduct import Conduct
from gatepass.results.datagrams import Carried

SMALL, LARGE = "small", "large"
FRAMES = {SMALL: {4: 64, 6: 82}, LARGE: {4: 1518, 6: 1518}}
"""Bytes of the Ethernet frames, by size and IP version: the smallest and the largest without a tag
(RFC 2544, 9.1). Of IPv6 the smallest that holds a number and a time is sent."""
_DELAYS = "delays"
"""Where a record has each delay and how often it was seen."""


@dataclass(frozen=True)
class Kind:
    """A kind of probe.

    Attributes:
        size: small or large.
        version: of IP, 4 or 6.
    """

    size: str
    version: int

    @property
    def frame(self) -> int:
        """Bytes of its Ethernet frames."""
        return FRAMES[self.size][self.version]

    @property
    def name(self) -> str:
        """By which its streams are known."""
        return f"{self.size}{self.version}"


@dataclass(frozen=True)
class Pair:
    """Probes of one kind in one trial, at the same time.

    Attributes:
        through: that went through the gateway; None in a control without it.
        beside: that went without it; None where there is no such path.
    """

    through: Carried | None
    beside: Carried | None


def pairs_of(told: Mapping[str, Any]) -> dict[Kind, Pair]:
    """The probes of a trial from its record; empty where that has not every delay.

    Args:
        told: see `DelayTrial.record`.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: it is no such record.
    """
    found = {}
    for kind in (Kind(size, version) for size, of in FRAMES.items() for version in of):
        seen = {
            way: Carried.of(one, one[_DELAYS])
            for way in ("through", "beside")
            if _DELAYS in (one := told.get(f"{kind.name} {way}", {}))
        }
        if seen:
            found[kind] = Pair(seen.get("through"), seen.get("beside"))
    return found


@dataclass(frozen=True)
class DelayTrial:
    """One trial.

    Attributes:
        pairs: the probes, by kind.
        load: what was sent beside them; None where they were alone.
        conduct: what the hosts did meanwhile, by name.
        began, ended: in seconds since the epoch, by this machine's clock.
        carried_by: the host on which a program of user space carries the packets, such as the end
            of a tunnel; empty where only kernels do.
    """

    pairs: Mapping[Kind, Pair]
    load: Carried | None = None
    conduct: Mapping[str, Conduct] = field(default_factory=dict, repr=False)
    began: float = 0.0
    ended: float = 0.0
    carried_by: str = ""

    def record(self) -> dict[str, object]:
        """All of it but the hosts' conduct, as JSON takes it; of probes with every delay, us."""
        told = {
            f"{kind.name} {way}": seen.record() | {_DELAYS: list(seen.delay.counts())}
            for kind, pair in self.pairs.items()
            for way, seen in (("through", pair.through), ("beside", pair.beside))
            if seen
        }
        return told | ({"load": self.load.record()} if self.load else {})
