"""How often the verdict of a whole order is wrong, by chance, over all its figures.

An order is approved when every figure passes, so a wrong approval takes a wrong pass of the one
that is not good enough: no more often than that figure errs (the intersection-union test, Berger
1982). It is rejected when one figure fails, so the chances of a wrong fail add up (Bonferroni);
`Rule.fail_level` makes each so small that all together err no more often than the profile says.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from gatepass.results.record import Measurement
from gatepass.verdict.judgement import FAIL, decide


@dataclass(frozen=True)
class OrderError:
    """The error of an order's verdict.

    Attributes:
        figures: that are held against something.
        approval: the chance that a gateway that only just misses a promise is approved.
        rejection: the chance that one that only just keeps every promise is rejected; None where
            the figures do not tell, as in records of before.
        by_chance: how many figures of those that failed could have failed by chance.
    """

    figures: int
    approval: float
    rejection: float | None
    by_chance: int

    @property
    def one_in(self) -> int:
        """In how many tests a verdict is wrong once at most, both ways; one way where that is all
        that is known."""
        return math.floor(1 / max(self.approval, self.rejection or 0.0) + 1e-9)


def order_error(measurements: Iterable[Measurement]) -> OrderError | None:
    """The error of an order by the figures that were measured.

    Args:
        measurements: of all its checks.

    Returns:
        None where no figure is an estimate, so that nothing is a matter of chance.
    """
    held = [one for one in measurements if one.threshold is not None]
    estimates = [one for one in held if not one.observed and one.half_width is not None]
    if not estimates:
        return None
    errors = [one.fail_error for one in estimates]
    known = [error for error in errors if error is not None]
    return OrderError(
        len(held),
        max((1 - one.confidence) / 2 for one in estimates),
        sum(known) if len(known) == len(errors) else None,
        sum(decide(one, one.threshold, one.relation) == FAIL for one in estimates),
    )
