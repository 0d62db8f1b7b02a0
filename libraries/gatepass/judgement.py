"""From trials to a verdict: repeat until the interval decides, then ask whether the rig could tell.

The three ways out of a throughput check (see the design's "The verdict"): it returns for a pass,
raises AssertionError for a fail, NotProven for everything that the rig cannot decide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gatepass.endpoint_load import End, Ends
from gatepass.errors import NotProven
from gatepass.iperf import Trial
from gatepass.record import Measurement, figure, measured, required
from gatepass.statistics import Interval, interval

ROOM = 1.1
"""The path without the gateway must reach the threshold with a tenth to spare."""
PASS, FAIL, UNDECIDED = "pass", "fail", "undecided"


@dataclass(frozen=True)
class Rule:
    """How often to try before a verdict.

    Attributes:
        min_trials, max_trials: bounds of the number of trials.
        confidence: of the interval that decides.
        by_intervals: one long trial, whose intervals are the samples (see the profiles).
    """

    min_trials: int
    max_trials: int
    confidence: float
    by_intervals: bool = False


def decide(value: Interval, threshold: float, relation: str = "at least") -> str:
    """Whether an interval lies on one side of a threshold: pass, fail or undecided."""
    if relation == "at least":
        good, bad = value.lower >= threshold, value.upper < threshold
    else:
        good, bad = value.upper <= threshold, value.lower > threshold
    return PASS if good else FAIL if bad else UNDECIDED


def until_decided(
    trial: Callable[[], object],
    samples_of: Callable[[Sequence], Sequence[float]],
    rule: Rule,
    threshold: float,
    relation: str = "at least",
    at_most: float | None = None,
) -> list:
    """Repeat a trial until the confidence interval decides or the profile's limit is reached.

    The interval is looked at anew after each trial, so over many undecided looks the chance of a
    wrong verdict is somewhat above 1 - confidence; a verdict near the threshold is rare enough
    with steady trials that no correction is made, and the number of trials is always told.

    Args:
        trial: runs one and returns it.
        samples_of: the independent samples among all trials so far.
        rule: the profile's.
        threshold, relation: see `decide`.
        at_most: a second threshold, not to be passed, that has to be decided about as well.

    Returns:
        The trials, in the order they ran.
    """
    promises = [(threshold, relation)]
    if at_most is not None:
        promises.append((at_most, "at most"))
    trials: list = []
    while len(trials) < rule.max_trials:
        trials.append(trial())
        if len(trials) < rule.min_trials:
            continue
        value = interval(samples_of(trials), rule.confidence)
        if all(decide(value, *promise) != UNDECIDED for promise in promises):
            break
    return trials


@dataclass(frozen=True)
class Rig:
    """What the rig itself could do while the trials ran.

    Attributes:
        rates: of each trial on the path without the gateway, Mbit/s; None where there is no such
            path. The slowest of them counts: what the rig carried each time it was asked, it can
            carry, however much more it carried at other times.
        client_cpu, server_cpu: the highest of the trials, per cent of one core.
        trials: those that are judged; they tell more of the endpoints.
    """

    rates: Sequence[float] | None
    client_cpu: float
    server_cpu: float
    trials: Sequence[Trial] = ()

    def limits(self, threshold: float) -> str:
        """Why the rig could not have shown the threshold; empty where it could."""
        iperf = Ends(End(self.client_cpu), End(self.server_cpu))
        if limit := iperf.limit() or Ends.of(self.trials).limit():
            return limit
        if self.rates is None:
            return (
                "The path without the gateway is not known, so a slow rig cannot be told from a "
                "slow gateway. Give both endpoints a direct_address in the testbed file."
            )
        if min(self.rates) < threshold * ROOM:
            return (
                f"The path without the gateway carried no more than {figure(min(self.rates))} "
                f"Mbit/s itself in the slowest of {len(self.rates)} trials; {threshold * ROOM:g} "
                f"are needed to show {threshold:g}. Use endpoints and links that are faster than "
                "the tier."
            )
        return ""


def conclude(
    measurement: Measurement,
    rig_limit: Callable[[], str],
    likely: Callable[[], str],
    cause: Callable[[bool], str] = lambda by_rig: "",
) -> None:
    """Return for a pass; raise for every other verdict, with a sentence that holds the figures.

    Args:
        measurement: with its threshold.
        rig_limit: why the rig could not have shown the threshold, empty where it could (see
            `Rig.limits`); asked only where the figure misses its threshold.
        likely: what a reader has to know beside a fail; may be empty; asked only for a fail.
        cause: the likely cause, as far as it was seen; may be empty; asked for whatever is no
            pass, and told whether the rig is the reason.

    Raises:
        AssertionError: the gateway misses its promise.
        NotProven: the interval straddles the threshold, or the rig cannot carry it.
    """
    value = Interval(measurement.value, measurement.half_width)
    verdict = decide(value, measurement.threshold, measurement.relation)
    if verdict == PASS:
        return
    subject = ", ".join(part for part in (measurement.promise, measurement.conditions) if part)
    told = f"{subject}: {measured(measurement)}; promised is {required(measurement)}."
    if limit := rig_limit():
        raise NotProven(joined(told, because(limit, cause(True))))
    if verdict == FAIL:
        raise AssertionError(joined(told, likely(), cause(False)))
    raise NotProven(joined(told, _straddles(measurement), cause(False)))


def because(limit: str, cause: str) -> str:
    """Why the rig could not tell, with its cause where that says more."""
    return limit if limit in cause else joined(limit, cause)


def _straddles(measurement: Measurement) -> str:
    count = len(measurement.trials)
    if measurement.half_width is None:
        return "One figure has no spread, so nothing follows from it: ask for more trials."
    return (
        f"After {count} trials the interval still lies on both sides of the promise: choose a "
        "profile with longer or more trials."
    )


def joined(*parts: str) -> str:
    """Sentences as one text, without those that are empty."""
    return " ".join(part for part in parts if part)
