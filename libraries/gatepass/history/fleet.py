"""Gateways of the same tier and version beside each other: who is out of line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from gatepass.base.phrase import Phrase
from gatepass.history.changes import assumed_spread
from gatepass.history.series import Point, Trend

FEWEST = 4
"""With fewer gateways nobody can say which is the odd one."""
OUT_OF_LINE = 5.0
"""How many times the fleet's own spread a gateway is off its median before it is pointed out."""
_NORMAL = 1.4826
"""The median absolute deviation times this is the standard deviation of a normal distribution."""


@dataclass(frozen=True)
class AcrossGateways:
    """One promise over the fleet.

    Attributes:
        name, unit, layer: of the figure.
        latest: each gateway's latest figure, by serial number.
        median: of these.
        odd: serial numbers of those out of line.
    """

    promise: str
    conditions: Phrase
    unit: str
    layer: str
    latest: dict[str, Point]
    median: float
    odd: tuple[str, ...]

    @property
    def name(self) -> str:
        """In a reader's words."""
        return ", ".join(str(part) for part in (self.promise, self.conditions) if part)

    def off_percent(self, serial: str) -> float | None:
        """How far a gateway is from the median, in per cent of that; None where that is 0."""
        if not self.median:
            return None
        return (self.latest[serial].value - self.median) / abs(self.median) * 100


def across_gateways(fleet: Iterable[tuple[str, Sequence[Trend]]]) -> list[AcrossGateways]:
    """The fleet's figures, promise by promise.

    Args:
        fleet: serial number and series of each gateway.
    """
    latest: dict[tuple[str, str, str, str], dict[str, Point]] = {}
    for serial, found in fleet:
        for one in found:
            if one.points and not one.baseline:
                key = (one.promise, one.conditions, one.unit, one.layer)
                latest.setdefault(key, {})[serial] = one.points[-1]
    return [
        AcrossGateways(*key, points, median(point.value for point in points.values()), _odd(points))
        for key, points in latest.items()
    ]


def _odd(points: dict[str, Point]) -> tuple[str, ...]:
    if len(points) < FEWEST:
        return ()
    middle = median(point.value for point in points.values())
    deviation = median(abs(point.value - middle) for point in points.values())
    spread = max(_NORMAL * deviation, assumed_spread(list(points.values())))
    return tuple(
        serial
        for serial, point in points.items()
        if abs(point.value - middle) > OUT_OF_LINE * spread
    )
