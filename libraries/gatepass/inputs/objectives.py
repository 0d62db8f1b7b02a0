"""Objectives: what each class of service is promised, and what a service level proposes for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from statistics import fmean
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from gatepass.inputs.schema import Mistake, Model, identifier, number, one_of, text

MOST_CLASSES = 8
LEAST_FRAME, LARGEST_FRAME = 64, 9018
"""Bytes with check sequence: of Ethernet, and of what is called jumbo."""
SIMPLE_IMIX = (64, 64, 64, 64, 64, 64, 64, 570, 570, 570, 570, 1518)
"""RFC 6985's notation of the simple mix: 7 to 4 to 1."""
_CODES = {
    **{f"CS{number}": number << 3 for number in range(8)},
    **{
        f"AF{kind}{drop}": (kind << 3) | (drop << 1)
        for kind in range(1, 5)
        for drop in range(1, 4)
    },
    "LE": 1,
    "EF": 46,
    "VA": 44,
}
"""DSCPs by name (RFC 2474, 2597, 3246, 5865, 8622)."""
A_CODE = "a number from 0 to 63, or a name: EF, VA, LE, CS0 to CS7, AF11 to AF43"
SOME_FRAMES = (
    f"imix, a frame size in bytes from {LEAST_FRAME} to {LARGEST_FRAME}, or a list of such sizes"
)
Label = Literal["H", "M", "L"]
_MOST_SIZES = 64


class Limits(Model):
    """What frames of a class may suffer on their way. ``None``: nothing is held against it."""

    loss_percent: float | None = number(0.000001, 100, "of per cent", default=None)
    """Frame loss ratio, at most."""
    delay_ms: float | None = number(0.001, 100_000, "of milliseconds", default=None)
    """Frame transfer delay, one way, at most, of `delay_percentile` per cent of the frames."""
    delay_percentile: float = number(50, 100, "of per cent", default=99.9)
    mean_delay_ms: float | None = number(0.001, 100_000, "of milliseconds", default=None)
    """The mean of the delay, at most."""
    variation_ms: float | None = number(0.001, 100_000, "of milliseconds", default=None)
    """Delay variation between neighbouring frames, at most, of `variation_percentile` per cent."""
    variation_percentile: float = number(50, 100, "of per cent", default=99.9)
    availability_percent: float | None = number(50, 99.9999, "of per cent", default=None)
    """The least share of seconds in which the service is available."""


class LevelObjectives(Model):
    """What service levels promise, by the classes' labels."""

    signed: bool = Field(description="true or false")
    """Whether the provider stands for the figures."""
    source: str = text("one line of text")
    levels: dict[str, dict[Label, Limits]] = Field(
        description="a group of service levels, each with limits for H, M or L"
    )


class ServiceClass(Limits):
    """One class of service, told by the DSCP of its packets."""

    name: str = identifier("the class's name,")
    label: Label | None = Field(default=None, description="H, M or L")
    """Its class of the service level, whose limits hold where the order has none of its own."""
    dscp: Any = Field(description=A_CODE)
    cir_mbps: float = number(0.01, 1_000_000, "of Mbit/s")
    """Committed information rate: Mbit/s of Ethernet frames with check sequence, each way."""
    eir_mbps: float = number(0, 1_000_000, "of Mbit/s", default=0.0)
    """Excess information rate, above the committed one."""
    frames: Any = Field(default="imix", description=SOME_FRAMES)
    """Ethernet frames with check sequence, bytes."""
    burst_allowance_percent: float = number(0, 100, "of per cent", default=5.0)
    """How far above the sum of both rates the class may still get (Y.1564's M)."""

    @model_validator(mode="after")
    def _known(self) -> Self:
        if not _is_whole(self.code, 0, 63):
            raise Mistake(A_CODE, key=["dscp"])
        sizes = self.sizes
        if not 0 < len(sizes) <= _MOST_SIZES or not all(
            _is_whole(size, LEAST_FRAME, LARGEST_FRAME) for size in sizes
        ):
            raise Mistake(SOME_FRAMES, key=["frames"])
        return self

    @cached_property
    def code(self) -> int:
        """The DSCP as a number."""
        return _CODES.get(self.dscp.upper()) if isinstance(self.dscp, str) else self.dscp

    @property
    def sizes(self) -> tuple[int, ...]:
        """The frames' sizes in turn, bytes."""
        if self.frames == "imix":
            return SIMPLE_IMIX
        return tuple(self.frames) if isinstance(self.frames, list) else (self.frames,)

    @property
    def most_mbps(self) -> float:
        """What it gets at most: both rates and the allowance."""
        return (self.cir_mbps + self.eir_mbps) * (1 + self.burst_allowance_percent / 100)

    @property
    def promises(self) -> tuple[str, ...]:
        """What figures it is promised, by the identities of `gatepass.results.promises`."""
        where = {
            "class_excess": self.eir_mbps or None,
            "class_loss": self.loss_percent,
            "class_delay": self.delay_ms,
            "class_mean_delay": self.mean_delay_ms,
            "class_variation": self.variation_ms,
            "class_availability": self.availability_percent,
        }
        limited = [promise for promise, limit in where.items() if limit is not None]
        return ("class_committed", "class_policed", *limited)

    def frames_per_s(self, mbps: float) -> float:
        """Frames a second of a rate."""
        return mbps * 1e6 / 8 / fmean(self.sizes)

    def __str__(self) -> str:
        most = (
            (self.loss_percent, "{:g} % lost"),
            (self.delay_ms, f"{{:g}} ms late ({self.delay_percentile:g} %)"),
            (self.mean_delay_ms, "{:g} ms in the mean"),
            (self.variation_ms, f"{{:g}} ms uneven ({self.variation_percentile:g} %)"),
        )
        excess = f" and {self.eir_mbps:g}" if self.eir_mbps else ""
        limits = ", ".join(text.format(limit) for limit, text in most if limit is not None)
        return f"{self.name} (DSCP {self.code}): {self.cir_mbps:g}{excess} Mbit/s" + (
            f"; at most {limits}" if limits else ""
        )

    def with_proposals(self, proposed: Limits | None) -> Self:
        """The same, with a service level's limits where the order has none."""
        if proposed is None:
            return self
        given = self.model_fields_set
        taken = {key: value for key, value in proposed if key not in given}
        return self.model_copy(update=taken)


def resolved(
    classes: Sequence[ServiceClass], proposals: Mapping[str, Limits]
) -> list[ServiceClass]:
    """Classes of an order with the limits that its service level proposes.

    Args:
        classes: as the order has them.
        proposals: of the level, by label.

    Raises:
        Mistake: two are alike, or a label is not one of the level.
    """
    found: list[ServiceClass] = []
    for position, one in enumerate(classes):
        for other in found:
            if one.name == other.name:
                raise Mistake("a name that no other class has", key=[position, "name"])
            if one.code == other.code:
                raise Mistake(
                    f"a DSCP that no other class has; {other.name} has it",
                    "A class is told by it.",
                    [position, "dscp"],
                )
        if one.label and one.label not in proposals:
            allowed = f"{one_of(proposals)}, which the service level has" if proposals else (
                "left out, as the catalogue has no classes of this service level"
            )
            raise Mistake(allowed, "Name the limits in the order.", [position, "label"])
        found.append(one.with_proposals(proposals.get(one.label)))
    return found


def _is_whole(value: object, low: int, high: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
