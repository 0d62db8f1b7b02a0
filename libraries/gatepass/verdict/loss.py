"""Datagrams that are lost: how many, and how many of them by the rig itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from statistics import fmean

from gatepass.base.phrase import Phrase
from gatepass.results.measurements import estimated
from gatepass.results.record import Measurement, measured
from gatepass.results.trial import Trial
from gatepass.stats.intervals import per_cent
from gatepass.verdict.judgement import Rig, Rule


def lost(trials: Sequence[Trial]) -> list[float]:
    """The share of each trial's datagrams that did not arrive, per cent."""
    return [trial.lost_percent or 0.0 for trial in trials]


def loss(
    trials: Sequence[Trial], conditions: Phrase, rule: Rule, limit: float | None = None
) -> Measurement:
    """Datagrams lost, per cent. Few or none lost say no more than their number bears out.

    The half width is the larger one of the trials' scatter and of the binomial bound on all
    datagrams together: the first sees losses that come in bursts, the second those that are rare.

    Args:
        trials: of UDP, at least one.
        conditions: of the measurement.
        rule: after which they were repeated.
        limit: that the loss is held against, per cent.
    """
    shares = lost(trials)
    value = rule.interval(shares)
    count = sum(trial.datagrams or 0 for trial in trials)
    if value.half_width is not None and count:
        alone = per_cent(round(count * value.mean / 100), count, rule.level, rule.fail_level)
        value = replace(
            value,
            half_width=max(value.half_width, alone.upper - alone.mean),
            fail_half_width=max(value.fail_half_width or 0.0, alone.mean - alone.fail_lower),
            level=None,
            fail_level=None,
        )
    return estimated(
        "loss",
        conditions,
        shares,
        value,
        rule.confidence,
        layer="UDP payload",
        threshold=limit,
        facts={
            "received_mbps": round(fmean(trial.mbps for trial in trials), 3),
            "datagrams": count,
        },
    )


class LossOfTheRig:
    """What the path without the gateway loses itself, tried only where that matters.

    Args:
        send: runs one such trial there; None where there is no such path.
        rule: as many trials as it asks for at least.
    """

    controls: Sequence[float] | None = None

    def __init__(self, send: Callable[[], Trial] | None, rule: Rule) -> None:
        self._send, self._rule = send, rule
        self._alone: Measurement | None = None

    def limits(self, held: Measurement) -> str:
        """Why the rig itself could have lost as much; empty where it did not."""
        if self._send is None:
            return Rig(None).limits(held)
        trials = [self._send() for _ in range(self._rule.min_trials)]
        if impossible := next((one.impossible for one in trials if one.impossible), ""):
            return f"Of the path without the gateway the loss is not known: {impossible}."
        self._alone = loss(trials, held.conditions, self._rule)
        if self._alone.upper > held.threshold:
            return f"The path without the gateway loses {measured(self._alone)} itself."
        return ""

    def compared(self) -> str:
        """What it lost, as a sentence."""
        return f"The path without the gateway lost {self._alone.value:g} %."
