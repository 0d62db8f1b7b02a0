"""Gateways of the same tier and version beside each other: who is out of line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from gatepass.base.phrase import Phrase
from gatepass.history import steps
from gatepass.history.changes import assumed_spread, spread_of_calmest
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
        spread: of these, as of a normal distribution, and no less than their trials let expect.
        odd: serial numbers of those out of line.
    """

    promise: str
    conditions: Phrase
    unit: str
    layer: str
    latest: dict[str, Point]
    median: float
    spread: float
    odd: tuple[str, ...]

    @property
    def name(self) -> str:
        """In a reader's words."""
        return ", ".join(str(part) for part in (self.promise, self.conditions) if part)

    def off(self, serial: str) -> str:
        """How far a gateway is from the median, in words."""
        half_widths = (point.half_width for point in self.latest.values())
        value = self.latest[serial].value
        return steps.step(self.median, value, self.unit, steps.spread(half_widths))

    def distance(self, serial: str) -> float:
        """How far a gateway is from the median, in spreads of the fleet."""
        off = abs(self.latest[serial].value - self.median)
        return off / self.spread if self.spread else 0.0


@dataclass(frozen=True)
class Margin:
    """How far a gateway's latest figure is on the good side of what it is held against."""

    point: Point
    unit: str

    @property
    def text(self) -> str:
        """In words."""
        point = self.point
        return steps.margin(point.value, point.threshold, point.relation, self.unit)

    @property
    def room(self) -> float:
        """To compare figures of any kind by; less than 1 where what was promised is missed."""
        return steps.room(self.point.value, self.point.threshold, self.point.relation)

    @property
    def missed(self) -> bool:
        """Whether the figure itself is on the wrong side, however sure that is."""
        return self.room < 1


def least_margins(figures: Iterable[AcrossGateways]) -> dict[str, dict[str, Margin]]:
    """Each gateway's least favourable margin of each promise, by promise and serial number."""
    found: dict[str, dict[str, Margin]] = {}
    for row in figures:
        of_promise = found.setdefault(row.promise, {})
        for serial, point in row.latest.items():
            margin = Margin(point, row.unit)
            if serial not in of_promise or margin.room < of_promise[serial].room:
                of_promise[serial] = margin
    return found


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
    return [_across(*key, points) for key, points in latest.items()]


def _across(
    promise: str, conditions: Phrase, unit: str, layer: str, points: dict[str, Point]
) -> AcrossGateways:
    middle = median(point.value for point in points.values())
    deviation = median(abs(point.value - middle) for point in points.values())
    expected = spread_of_calmest if unit == steps.SHARE else assumed_spread
    spread = max(_NORMAL * deviation, expected(list(points.values())))
    odd = tuple(
        serial
        for serial, point in points.items()
        if len(points) >= FEWEST and abs(point.value - middle) > OUT_OF_LINE * spread
    )
    return AcrossGateways(promise, conditions, unit, layer, points, middle, spread, odd)
