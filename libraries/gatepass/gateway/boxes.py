"""What rules match, as boxes: a first and a last value in each dimension.

Whether rules before a rule leave anything for it is answered exactly by taking boxes away from
boxes (Al-Shaer and Hamed 2004, "Discovery of policy anomalies in distributed firewalls": a rule is
shadowed when those before it match all that it matches; here by one of them or by several
together).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Span = tuple[int, int]
Box = tuple[Span, ...]


class TooMany(ValueError):
    """More boxes than can be gone through in good time."""


def overlap(one: Box, other: Box) -> bool:
    """Whether two boxes have anything in common."""
    return all(a[0] <= b[1] and b[0] <= a[1] for a, b in zip(one, other, strict=True))


def without(boxes: Iterable[Box], hole: Box, most: int = 20_000) -> list[Box]:
    """What is left of boxes, which do not overlap each other, when a hole is cut into them.

    Args:
        boxes: each with as many dimensions as the hole.
        hole: what is taken away.
        most: boxes that may be left.

    Raises:
        TooMany: more are left.
    """
    left: list[Box] = []
    for box in boxes:
        if overlap(box, hole):
            left += _around(box, hole)
        else:
            left.append(box)
        if len(left) > most:
            raise TooMany(f"more than {most:,} parts")
    return left


def _around(box: Box, hole: Box) -> Iterable[Box]:
    """The parts of a box that a hole which overlaps it leaves: two a dimension at most."""
    for at, ((low, high), (first, last)) in enumerate(zip(box, hole, strict=True)):
        if low < first:
            yield (*box[:at], (low, first - 1), *box[at + 1 :])
        if last < high:
            yield (*box[:at], (last + 1, high), *box[at + 1 :])
        box = (*box[:at], (max(low, first), min(high, last)), *box[at + 1 :])


def complement(spans: Sequence[Span], whole: Span) -> list[Span]:
    """What of a whole is in none of the spans."""
    left: list[Box] = [(whole,)]
    for span in spans:
        left = without(left, (span,))
    return [span for (span,) in left]
