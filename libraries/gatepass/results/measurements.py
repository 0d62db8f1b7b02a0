"""How measurements are made: from samples, or of what was seen itself.

Unit and relation are the promise's own (`PROMISES`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gatepass.base.phrase import Phrase
from gatepass.results.promises import PROMISES
from gatepass.results.record import Measurement
from gatepass.stats.intervals import Interval

_DIGITS = 7
Fact = float | int | str | None


def estimated(
    promise: str,
    conditions: Phrase,
    samples: Sequence[float],
    value: Interval,
    confidence: float,
    *,
    layer: str = "",
    threshold: float | None = None,
    baseline: float | None = None,
    facts: Mapping[str, Fact] | None = None,
    **more: Any,
) -> Measurement:
    """The mean of samples, with its interval.

    Args:
        promise, conditions, confidence, layer, threshold, baseline: see `Measurement`.
        samples: the figure of each trial, in the promise's unit.
        value: what follows from them.
        facts: those that are None are left out.
        more: further attributes of `Measurement`.
    """
    return Measurement(
        promise,
        conditions,
        _rounded(value.mean),
        PROMISES[promise].unit,
        layer,
        _rounded(value.half_width),
        confidence,
        tuple(map(_rounded, samples)),
        threshold,
        PROMISES[promise].relation,
        _rounded(baseline),
        facts=_known(facts),
        level=value.level,
        fail_half_width=_rounded(value.fail_half_width),
        fail_level=value.fail_level,
        fail_error=value.fail_error,
        **more,
    )


def observed(
    promise: str,
    conditions: Phrase,
    value: float,
    *,
    trials: Sequence[float] = (),
    tried: int | None = None,
    threshold: float | None = None,
    layer: str = "",
    confidence: float = 0.95,
    facts: Mapping[str, Fact] | None = None,
) -> Measurement:
    """What was seen itself, a count or a longest time, and is no estimate of anything.

    Args:
        promise, conditions, value, tried, threshold, layer, confidence: see `Measurement`.
        trials: what each of several trials saw; left out where there was one.
        facts: those that are None are left out.
    """
    return Measurement(
        promise,
        conditions,
        value,
        PROMISES[promise].unit,
        layer,
        confidence=confidence,
        trials=tuple(trials) or (value,),
        threshold=threshold,
        relation=PROMISES[promise].relation,
        observed=True,
        tried=tried,
        facts=_known(facts),
    )


def _rounded(figure: float | None) -> float | None:
    return None if figure is None else float(f"{figure:.{_DIGITS}g}")


def _known(facts: Mapping[str, Fact] | None) -> dict[str, Fact]:
    return {name: fact for name, fact in (facts or {}).items() if fact is not None}
