"""What others measured of frames of a size, to stand beside a study's own figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gatepass.inputs.published import Published
from gatepass.scenarios.studies.frames import FrameSize

_SIZES = {"family", "frame"}
"""Conditions of figures that are of a frame size alone."""


@dataclass(frozen=True)
class Beside:
    """Published figures of one promise.

    Attributes:
        names: of the publications.
        devices: which device each of them was about, in sentences.
        figures: by frame size, in the promise's unit.
    """

    names: str
    devices: tuple[str, ...]
    figures: Mapping[FrameSize, float]


def beside(published: Published, promise: str, sizes: Sequence[FrameSize]) -> Beside:
    """The published figures of these frame sizes.

    Args:
        published: all that is known.
        promise: identity of the figure.
        sizes: that were measured.
    """
    wanted = {(size.family, size.label): size for size in sizes}
    figures, sources = {}, {}
    for one in published.studies:
        conditions = one.conditions
        size = wanted.get((conditions.get("family"), str(conditions.get("frame"))))
        if one.promise == promise and size and conditions.keys() == _SIZES:
            figures[size] = one.value
            sources[one.source] = published.sources[one.source]
    return Beside(
        ", ".join(one.name for one in sources.values()) or "Published",
        tuple(f"{one.name}: {one.device}. {one.method}." for one in sources.values()),
        figures,
    )


def figure_of(
    published: Published, source: str, promise: str, conditions: Mapping[str, object]
) -> float | None:
    """A figure that a source published under just these conditions; None where it has none.

    Args:
        published: all that is known.
        source: its key.
        promise: identity of the figure.
        conditions: named values.
    """
    wanted = source, promise, dict(conditions)
    return next(
        (one.value for one in published.studies
         if (one.source, one.promise, one.conditions) == wanted),
        None,
    )  # fmt: skip
