"""Rates of downloads through a gateway that inspects them: what the trials of a check come to."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from gatepass.base.phrase import Phrase
from gatepass.results.downloads import BESIDE, CONTROL, OFF, ON, DownloadTrial, Transfer
from gatepass.results.measurements import Fact, estimated
from gatepass.results.record import Measurement
from gatepass.stats.intervals import degradation
from gatepass.verdict.disturbance import disturbed_by
from gatepass.verdict.judgement import Rule
from gatepass.verdict.rfc9411 import deviation_percent
from gatepass.verdict.services_rule import LARGE_FILE, MIX, WITHOUT

LAYER = "file content"
JUDGED = (ON, CONTROL)
"""Roles of trials that a verdict hangs on; those that are told for comparison all count."""
_PARTS_BESIDE = 2
"""Of a mix's phase without the gateway, each of which counts as a trial."""


def disturbed(trial: DownloadTrial) -> str:
    """What the rig did for which a trial is set aside; empty where it counts."""
    return disturbed_by(trial.conduct) if trial.role in JUDGED else ""


def of_role(trials: Sequence[DownloadTrial], role: str) -> list[DownloadTrial]:
    """Those of a role that count, in the order they ran."""
    return [one for one in trials if one.role == role and not disturbed(one)]


def rates(trials: Sequence[DownloadTrial], parts: int = 1) -> list[float]:
    """Rates of content, Mbit/s.

    Args:
        trials: in the order they ran.
        parts: of equal length, into which each is split.
    """
    return [
        Transfer.joined(part).mbps for trial in trials for part in _split(trial.windows, parts)
    ]


def measured(
    promise: str,
    conditions: Phrase,
    trials: Sequence[DownloadTrial],
    rule: Rule,
    threshold: float | None = None,
) -> Measurement:
    """The rate with security services on, or the one with them off for comparison.

    Args:
        promise: of the two.
        conditions: of the measurement, by which a large file, objects of one size and a mix of
            applications are told apart.
        trials: all of the check so far, in the order they ran.
        rule: after which those were repeated that the figure is made of
            (`services_rule.rule_of`).
        threshold: that the rate is held against, Mbit/s; None for what is told for comparison.
    """
    kind = conditions.name
    counted = of_role(trials, OFF if promise == WITHOUT else ON)
    beside = rates(of_role(trials, BESIDE), _PARTS_BESIDE if kind == MIX else 1)
    samples = rates(counted, rule.min_trials if kind == MIX else 1)
    held = promise != WITHOUT
    return estimated(
        promise,
        conditions,
        samples,
        rule.interval(samples),
        rule.confidence,
        layer=LAYER,
        threshold=threshold,
        baseline=fmean(beside) if beside and held else None,
        facts=_facts(kind, trials, counted, rule.confidence) if held else None,
        numbers=tuple(one.number for one in counted if one.number),
    )


def _facts(
    kind: str, trials: Sequence[DownloadTrial], counted: Sequence[DownloadTrial], confidence: float
) -> dict[str, Fact]:
    if kind == LARGE_FILE:
        return _of_large_files(trials, rates(counted), confidence)
    windows = [window for trial in counted for window in trial.windows]
    whole = Transfer.joined(windows)
    return {
        "transactions": whole.files,
        "failed": whole.failed,
        "deviation_percent": round(deviation_percent([one.mbps for one in windows]), 2),
        "transfer_seconds": round(whole.seconds, 3),
    }


def _of_large_files(
    trials: Sequence[DownloadTrial], on: Sequence[float], confidence: float
) -> dict[str, Fact]:
    off = rates(of_role(trials, OFF))
    through = [one for one in trials if one.role in (OFF, ON)]
    broken = sum(one.broken for one in through)
    cost = degradation(off, on, confidence)
    return {
        "services_off_mbps": round(fmean(off), 3),
        "degradation_percent": round(cost.percent, 2),
        "degradation_lower_percent": cost.lower and round(cost.lower, 2),
        "degradation_upper_percent": cost.upper and round(cost.upper, 2),
        "downloads": len(through) + broken,
        "broken_downloads": broken,
        "transfer_seconds": round(sum(one.whole.seconds for one in through), 3),
    }


def _split(windows: Sequence[Transfer], count: int) -> list[Sequence[Transfer]]:
    """Windows in the order they ran, as so many parts of equal length."""
    each = len(windows) // count
    return [windows[start : start + each] for start in range(0, each * count, each)]
