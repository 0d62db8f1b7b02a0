"""Every figure that is measured, by its one identity: everything else refers to this table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gatepass.base import phrase
from gatepass.base.phrase import say


@dataclass(frozen=True)
class Promise:
    """A figure that the order or the catalogue may hold the gateway to.

    Attributes:
        unit: of the figure.
        relation: of the figure to what is promised.
        tier: its key in a tier of the catalogue; empty where the tier says nothing of it.
        tags: what a check of it is tagged with; tells which check ended without a measurement.
        option: of the order, without which the tier's figure does not hold.
        of_rig: whether it is of the path without the gateway, so of the rig alone.
    """

    unit: str
    relation: str = "at least"
    tier: str = ""
    tags: frozenset[str] = frozenset()
    option: str = ""
    of_rig: bool = False


PROMISES: Mapping[str, Promise] = {
    name: Promise(
        **{key: value for key, value in one.items() if key not in ("text", "tags")},
        tags=frozenset(one.get("tags", ())),
    )
    for name, one in phrase.promises().items()
}
"""By identity; those of the tier in the catalogue's order."""


def of_rig(promise: str) -> bool:
    """Whether a figure is of the path without the gateway; what nobody knows is not."""
    return promise in PROMISES and PROMISES[promise].of_rig


def named(promise: str) -> str:
    """A promise in a reader's words; of one that nobody knows, its own."""
    return str(say(promise)) if promise in PROMISES else promise
