"""How much later packets come because of the gateway: bounds that hold however they are spread.

A probe through the gateway takes as long as the path without it would, and what the gateway adds.
Nobody sees the two parts of one packet, and a difference of percentiles is no percentile of
differences. What is known without any assumption (Fréchet; Makarov 1981):

- The path without the gateway never takes less than the shortest that was seen on it. So the added
  delay's percentile is at most that of the whole delay, less this shortest one.
- Where more than 2 % take longer than limit and c together, and at most 1 % of those without the
  gateway longer than c, the gateway adds more than the limit to more than 1 %.

Both paths are measured at the same time by the same clocks: by how much these differ falls out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from gatepass.results.agreement import NOTHING_KNOWN, Agreement
from gatepass.results.datagrams import Carried, Spread
from gatepass.results.delays import Pair
from gatepass.stats.intervals import design_worth
from gatepass.stats.percentiles import ranks

LATE_US = 1_000_000
"""What never came counts as so late: no percentile may gain by loss (RFC 7679, 5.1)."""
ALONE = 99.0
"""The percentile of the path without the gateway that is held against a longer delay with it."""


class AddedDelay:
    """The delay that the gateway adds to probes of one kind.

    Args:
        pairs: of the trials that count, in their order.
        clocks: how far the receiver's is ahead of the sender's; asked where there is no path
            without the gateway.
        lost_is_late: whether what never came counts as late; in an overload losing is right.

    Attributes:
        through, beside: delays beyond the shortest without the gateway, of all trials together.
        compared: whether there was a path without the gateway in each of them.
        late: how many never came and count as late.
    """

    def __init__(
        self, pairs: Sequence[Pair], clocks: Agreement = NOTHING_KNOWN, lost_is_late: bool = True
    ) -> None:
        self.compared = bool(pairs) and all(pair.beside and pair.beside.received for pair in pairs)
        self._error_us = 0.0 if self.compared else clocks.error_us
        offset_us = clocks.offset_us if math.isfinite(clocks.error_us) else 0.0
        zeros = [
            pair.beside.delay.least if self.compared and pair.beside else offset_us
            for pair in pairs
        ]
        self._through = [
            _since(pair.through, zero, lost_is_late)
            for pair, zero in zip(pairs, zeros, strict=True)
            if pair.through
        ]
        self._beside = [
            _since(pair.beside, zero, lost_is_late)
            for pair, zero in zip(pairs, zeros, strict=True)
            if self.compared and pair.beside
        ]
        every = (pair.through.lost for pair in pairs if pair.through)
        self.late = sum(every) if lost_is_late else 0
        self.through, self.beside = _together(self._through), _together(self._beside)

    @property
    def count(self) -> int:
        """How many probes went through the gateway, or should have."""
        return self.through.count

    def samples_ms(self, percent: float) -> list[float]:
        """The percentile of each trial, less the shortest delay without the gateway, ms."""
        return [one.percentile(percent) / 1000 for one in self._through]

    def bounds_ms(
        self, percent: float, error: float, limit_ms: float | None = None
    ) -> tuple[float, float]:
        """Between which figures the percentile of the added delay lies, ms.

        Packets of one trial hang together: those beyond a limit come in bursts. So they count for
        as many independent ones as the trials' scatter there makes them (Rao and Scott 1992).

        Args:
            percent: which one.
            error: one-sided, of each bound.
            limit_ms: that the figure is held against, where the scatter is looked at; None where it
                is told for comparison, and then at the percentile itself.

        Returns:
            0 and infinity where nothing follows from so few.
        """
        limit_us = self._looked_at_us(percent, limit_ms)
        worth = _worth(self._through, limit_us)
        high = _bound(self.through, percent, error, worth)[1] + self._error_us
        return self._at_least(percent, error / 2, limit_us) / 1000, high / 1000

    def worth(self, percent: float, limit_ms: float | None = None) -> int:
        """As how many independent probes these count for the upper bound that `bounds_ms` tells.

        Args:
            percent, limit_ms: as there.
        """
        return int(self.count * _worth(self._through, self._looked_at_us(percent, limit_ms)))

    def _looked_at_us(self, percent: float, limit_ms: float | None) -> float:
        """Where the trials' scatter is looked at."""
        return self.through.percentile(percent) if limit_ms is None else limit_ms * 1000

    def _at_least(self, percent: float, error: float, limit_us: float) -> float:
        if not self.compared or not self.count:
            return 0.0
        alone = max(ALONE, percent)
        rest = percent - (100 - alone)
        worth = _worth(self._beside, limit_us / 2)
        own = _bound(self.beside, alone, error, worth)[1]
        if not math.isfinite(own):
            return 0.0
        worth = _worth(self._through, limit_us + own)
        return max(0.0, _bound(self.through, rest, error, worth)[0] - own)


def _since(seen: Carried, zero_us: float, lost_is_late: bool) -> Spread:
    """Its delays beyond a shortest one."""
    lost = [(LATE_US, seen.lost)] if lost_is_late and seen.lost else []
    return Spread([*((time - round(zero_us), often) for time, often in seen.delay.counts()), *lost])


def _together(spreads: Sequence[Spread]) -> Spread:
    every: Counter[int] = Counter()
    for spread in spreads:
        for time, often in spread.counts():
            every[time] += often
    return Spread(every.items())


def _bound(spread: Spread, percent: float, error: float, worth: float) -> tuple[float, float]:
    """Bounds of a percentile, us, by the ranks that so many independent samples would have."""
    size = int(spread.count * worth)
    low, high = ranks(size, percent, error)
    scale = spread.count / size if size else 0.0
    return (
        spread.of_rank(max(1, math.floor(low * scale))) if low else -math.inf,
        spread.of_rank(min(spread.count, math.ceil(high * scale))) if high <= size else math.inf,
    )


def _worth(spreads: Sequence[Spread], limit_us: float) -> float:
    """How much of an independent sample each is, 0 to 1: by the scatter of what is later."""
    late = [spread.later_than(limit_us) for spread in spreads]
    return design_worth(late, [spread.count for spread in spreads])
