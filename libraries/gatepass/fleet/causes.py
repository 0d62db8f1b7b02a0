"""Why gateways of a fleet are not approved: each cause once, with the gateways that have it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gatepass.fleet.outcome import OrderRow
from gatepass.report.reasons import FIGURE, UNDECIDED, ShownReason, in_words, likely
from gatepass.report.wording import Wording

_OF_A_FIGURE = (FIGURE, UNDECIDED)


@dataclass(frozen=True)
class FleetCause:
    """A cause, and who has it.

    Attributes:
        reason: as the first of the gateways has it.
        rows: the gateways, in the order of the fleet; at least one.
    """

    reason: ShownReason
    rows: tuple[OrderRow, ...]

    @property
    def example(self) -> str:
        """Whose figure the text tells, where other gateways have another one; else empty."""
        several = len(self.rows) > 1 and self.reason.kind in _OF_A_FIGURE
        return self.rows[0].name if several else ""

    def text(self, words: Wording) -> str:
        """What happened, with the likely cause of a figure."""
        parts = (in_words(self.reason, words), likely(self.reason, words))
        return " ".join(str(part.unescape()) for part in parts if part)


def causes(rows: Iterable[OrderRow]) -> list[FleetCause]:
    """All causes of a fleet, gravest first; of the same gravity what most gateways have.

    Args:
        rows: the orders.
    """
    found: dict[tuple[str, str, str], list[tuple[ShownReason, OrderRow]]] = {}
    for row in rows:
        for reason in row.reasons:
            found.setdefault(reason.identity, []).append((reason, row))
    grouped = [FleetCause(same[0][0], tuple(row for _, row in same)) for same in found.values()]
    return sorted(grouped, key=lambda cause: (cause.reason.gravity[0], -len(cause.rows)))
