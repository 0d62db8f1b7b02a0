"""By how much two hosts' clocks differ, and how surely that is known."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Agreement:
    """How far another host's clock is ahead of one's own: between two bounds.

    Attributes:
        low_us, high_us: the bounds; a low one above the high one tells that a clock was set or
            runs unevenly.
        exchanges: that it follows from.
    """

    low_us: float
    high_us: float
    exchanges: int

    @property
    def offset_us(self) -> float:
        """By how much it is ahead, as well as can be told."""
        return (self.low_us + self.high_us) / 2

    @property
    def error_us(self) -> float:
        """By how much that may be wrong at most; infinity where nothing can be told."""
        within = self.high_us - self.low_us
        return within / 2 if within >= 0 and math.isfinite(within) else math.inf

    def and_then(self, later: Agreement) -> Agreement:
        """What holds from one look to a later one of clocks that drift evenly between.

        Args:
            later: with bounds of the same two clocks.
        """
        if math.inf in (self.error_us, later.error_us):
            return NOTHING_KNOWN
        return Agreement(
            min(self.low_us, later.low_us),
            max(self.high_us, later.high_us),
            self.exchanges + later.exchanges,
        )

    def reversed(self) -> Agreement:
        """The same, as the other host sees it."""
        return Agreement(-self.high_us, -self.low_us, self.exchanges)


NOTHING_KNOWN = Agreement(-math.inf, math.inf, 0)


def agreement(exchanges: Iterable[Sequence[int]]) -> Agreement:
    """What follows from time stamps of exchanges.

    No datagram arrives before it was sent. So the other clock is ahead by no more than what the
    quickest way there shows, and by no less than what the quickest way back shows: the offset lies
    between, whatever the ways were like. It is what NTP takes from its best sample (RFC 5905, 8),
    with the quickest of all ways there and of all ways back.

    Args:
        exchanges: each [sent, came, answered, back] in ns; the middle two by the other clock.
    """
    there, back = [], []
    for sent, came, answered, returned in exchanges:
        there.append((came - sent) / 1000)
        back.append((answered - returned) / 1000)
    return Agreement(max(back), min(there), len(there)) if there else NOTHING_KNOWN
