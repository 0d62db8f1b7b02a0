"""From trials to a verdict: repeat until the interval decides, then ask whether the rig could tell.

The three ways out of a check of a figure (see the design's "The verdict"): it returns for a pass,
raises AssertionError for a fail, NotProven for everything that the rig cannot decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, stdev
from typing import Any, Generic, Protocol, TypeVar

from gatepass.base.errors import NotProven
from gatepass.inputs.profile import Profile
from gatepass.results.record import NOT_PROVEN, Measurement, figure, measured, required
from gatepass.stats.intervals import Interval, interval
from gatepass.stats.sequential import hopeless, level_of_looks

PASS, FAIL, UNDECIDED = "pass", "fail", "undecided"
FEWEST_CONTROLS = 2
"""Trials without the gateway that a fail stands on, taken in turns with those through it."""
MOST_CONTROLS = 3
"""Of one figure: more of them would only take the trials' budget."""
GUARD = 8
"""So many times rarer than its share of the error a fail is by Student's t, which is exact for
Gaussian trials alone: far out in its tails trials that are skewed (by 1) or hang together (their
neighbours by 0.3) fail about so many times as often as it says (the benchmark `order_error`)."""
HEADROOM = 1.05
"""A control is paced to so much of the promise: a rig that is uneven falls short of it at once."""
ALL_ASIDE = 8
"""So many trials, of which the rig left none to count, tell that it is not going to: of trials that
count one time in three, fewer than one series in 25 begins with so many that do not."""
WITHOUT = "The path without the gateway"

FIGURES = "figures"
"""Under which a run's facts have `Rule.figures`."""

Made = TypeVar("Made")


@dataclass(frozen=True)
class Rule:
    """How often to try before a verdict.

    Attributes:
        min_trials: no verdict before so many.
        max_trials: as many as the profile's budget of traffic time pays for, controls and trials
            that count for nobody included.
        confidence: of the two-sided interval; what is left of 1 is the error of a verdict, half of
            it each way.
        by_intervals: one long trial, whose intervals are the samples (see the profiles).
        figures: how many of the order may fail by chance, at most. An order is approved when all
            its figures pass, so that each may err as often as the order may (Berger 1982); it is
            rejected when one fails, so that they share the error of a fail (Bonferroni).
    """

    min_trials: int
    max_trials: int
    confidence: float
    by_intervals: bool = False
    figures: int = 1

    @classmethod
    def of(cls, profile: Profile, figures: int = 1) -> Rule:
        """That of a profile, for an order of so many figures."""
        by_intervals = profile.sampling == "intervals"
        often = profile.min_trials, profile.most_trials
        return cls(*often, profile.confidence, by_intervals, figures)

    def of_trials(self, fewest: int, most: int) -> Rule:
        """The same for so many trials."""
        return replace(self, min_trials=fewest, max_trials=most, by_intervals=False)

    @property
    def error(self) -> float:
        """The chance of a wrong pass of a figure that is just not good enough."""
        return round((1 - self.confidence) / 2, 12)

    @property
    def fail_error(self) -> float:
        """The chance of a wrong fail of a figure that is just good enough."""
        return self.error / self.figures

    @property
    def level(self) -> float:
        """The one-sided level of the bound that a pass takes, at each look."""
        return self._level(self.error)

    @property
    def fail_level(self) -> float:
        """The one-sided level of the bound that a fail takes, at each look."""
        return self._level(self.fail_error) / GUARD

    def _level(self, error: float) -> float:
        fewest = self.min_trials if self.by_intervals else max(2, self.min_trials)
        if self.by_intervals:  # one look a trial, of which there is one as a rule
            return error / (self.max_trials - fewest + 1)
        return level_of_looks(fewest, self.max_trials, error)

    def interval(self, samples: Sequence[float]) -> Interval:
        """Mean and decision interval, which holds however many looks were taken."""
        if len(samples) < 2:
            return interval(samples, self.confidence)
        found = interval(samples, self.confidence, self.level, self.fail_level)
        return replace(found, fail_error=self.fail_error)


def figures_of(run: Mapping[str, Any]) -> int:
    """How many figures of a run may fail by chance, as was fixed before it (`Rule.figures`).

    Args:
        run: its facts; those of before knew no such number.
    """
    told = run.get(FIGURES)
    return told if isinstance(told, int) and told > 0 else 1


@dataclass
class TrialSeries(Generic[Made]):
    """What was tried about one promise.

    Attributes:
        counted: the trials that are judged, in the order they ran.
        aside: those that count for nobody, each with what the rig did in it.
        controls: on the path without the gateway, in turns with those that are judged.
    """

    counted: list[Made] = field(default_factory=list)
    aside: list[tuple[Made, str]] = field(default_factory=list)
    controls: list[Made] = field(default_factory=list)

    @property
    def spent(self) -> int:
        """How many trials of the budget."""
        return len(self.counted) + len(self.aside) + len(self.controls)

    @property
    def in_vain(self) -> bool:
        """Whether the rig is so busy that the rest of the budget would be spent on nothing."""
        return not self.counted and len(self.aside) >= ALL_ASIDE


def decide(value: Interval | Measurement, threshold: float, relation: str = "at least") -> str:
    """Whether a figure lies on one side of a threshold: pass, fail or undecided.

    A pass takes one bound of its interval, a fail the other one of the wider interval (see `Rule`).
    """
    if relation == "at least":
        good, bad = value.lower >= threshold, value.fail_upper < threshold
    else:
        good, bad = value.upper <= threshold, value.fail_lower > threshold
    return PASS if good else FAIL if bad else UNDECIDED


def figure_verdict(held: Measurement, of_check: str) -> str | None:
    """The verdict of one figure, of its own bound: no other figure of its check colours it.

    Args:
        held: the figure.
        of_check: the verdict of its check. Where that is not proven, the rig may have been the
            cause of a figure that misses its promise.

    Returns:
        pass, fail or not proven; None for a figure that is held against nothing.
    """
    if held.threshold is None:
        return None
    decided = decide(held, held.threshold, held.relation)
    if decided == FAIL:
        return NOT_PROVEN if of_check == NOT_PROVEN else FAIL
    return PASS if decided == PASS else NOT_PROVEN


def until_decided(
    trial: Callable[[], Made],
    samples_of: Callable[[Sequence[Made]], Sequence[float]],
    rule: Rule,
    threshold: float,
    relation: str = "at least",
    at_most: float | None = None,
    disturbed: Callable[[Made], str] = lambda made: "",
    control: Callable[[], Made] | None = None,
) -> TrialSeries[Made]:
    """Repeat a trial until its interval decides, cannot any more, or the budget is spent.

    A rig that is too busy for a single trial to count ends it as well (`TrialSeries.in_vain`).

    Args:
        trial: runs one and returns it.
        samples_of: the samples among the trials that count.
        rule: the profile's.
        threshold, relation: see `decide`.
        at_most: a second threshold, not to be passed, that has to be decided about as well.
        disturbed: what the rig did in a trial that could have caused its figure; empty where it
            did nothing. Such a trial counts for nobody and is repeated.
        control: runs one trial on the path without the gateway. It takes turns with the trials as
            long as these fall short, so that both see the same rig, until there are
            `MOST_CONTROLS` of them that count; a fail waits for `FEWEST_CONTROLS`.
    """
    promises = [(threshold, relation)] + [(at_most, "at most")] * (at_most is not None)
    series: TrialSeries[Made] = TrialSeries()

    def undisturbed() -> int:
        return sum(not disturbed(one) for one in series.controls)

    while series.spent < rule.max_trials and not series.in_vain:
        made = trial()
        if reason := disturbed(made):
            series.aside.append((made, reason))
            continue
        series.counted.append(made)
        samples = samples_of(series.counted)
        short = relation == "at least" and fmean(samples) < threshold
        if short and control is not None and undisturbed() < MOST_CONTROLS:
            series.controls.append(control())
        if len(series.counted) < rule.min_trials:
            continue
        value = rule.interval(samples)
        verdicts = [decide(value, *promise) for promise in promises]
        judged = zip(promises, verdicts, strict=True)
        open_ones = [promise for promise, verdict in judged if verdict == UNDECIDED]
        waits = FAIL in verdicts and short and control and undisturbed() < FEWEST_CONTROLS
        if not open_ones and not waits:
            break
        if not rule.by_intervals and any(_hopeless(samples, *one, rule) for one in open_ones):
            break
    return series


def _hopeless(
    samples: Sequence[float], threshold: float, relation: str, rule: Rule
) -> bool:
    if len(samples) <= rule.min_trials:
        return False
    distance, spread = fmean(samples) - threshold, stdev(samples)
    good = (distance >= 0) == (relation == "at least")
    level = rule.level if good else rule.fail_level
    return hopeless(distance, spread, len(samples), rule.max_trials, level)


class RigLimit(Protocol):
    """What tells whether the rig itself could have caused a figure.

    Attributes:
        controls: rates on the path without the gateway, Mbit/s; None where there is no such path.
    """

    controls: Sequence[float] | None

    def limits(self, held: Measurement) -> str:
        """Why it could have caused that a figure misses its threshold; empty where it could not."""


@dataclass(frozen=True)
class Rig:
    """What the rig itself could do while the trials ran.

    Attributes:
        controls: rates on the path without the gateway, Mbit/s, in turns with the trials; None
            where there is no such path, empty where none was asked for.
        limit: why an endpoint was itself at its limit; empty where none was.
        path: on which the controls ran, as a sentence begins with it.
        fewest: controls that a fail needs, where there were any.
    """

    controls: Sequence[float] | None
    limit: str = ""
    path: str = WITHOUT
    fewest: int = 1

    def limits(self, held: Measurement) -> str:
        """Why the rig itself could have caused that a figure misses its threshold; else empty.

        A control that falls short of what it was asked for shows by how much the rig alone makes
        a figure smaller. A figure that would not miss its threshold without that is the rig's.
        """
        threshold = held.threshold or 0
        if self.limit:
            return self.limit
        if self.controls is None:
            return (
                f"{WITHOUT} was not measured, so a slow test set-up cannot be distinguished from "
                "a slow gateway. Give both endpoints a direct_address in the testbed file."
            )
        if not self.controls:
            return ""
        if len(self.controls) < self.fewest and held.fail_upper < threshold:
            return (
                f"{self.path} was tried {len(self.controls)} time undisturbed, and a fail needs "
                f"{self.fewest}. Run again when nothing else is running on the endpoints."
            )
        carried, asked = fmean(self.controls), threshold * HEADROOM
        share = min(1.0, carried / asked) if asked else 1.0
        explains = threshold * share <= held.fail_upper < threshold
        if carried >= threshold and not explains:
            return ""
        return (
            f"{self.path}, asked for {asked:g} Mbit/s, carried no more than {figure(carried)} "
            f"({len(self.controls)} trials, the slowest {figure(min(self.controls))}). Use "
            "endpoints and links that are faster than the tier, and run again when nothing else "
            "is running on the endpoints."
        )


def conclude(
    measurement: Measurement,
    rig: RigLimit,
    compared: Callable[[], str],
    cause: Callable[[bool], str] = lambda by_rig: "",
    disturbed: str = "",
) -> None:
    """Return for a pass; raise for every other verdict, with a sentence that holds the figures.

    Args:
        measurement: with its threshold.
        rig: what limits the rig itself; asked only where the figure misses its threshold.
        compared: what a reader has to know beside a fail; may be empty; asked only for a fail.
        cause: the likely cause, as far as it was seen; may be empty; asked for whatever is no
            pass, and told whether the rig is the reason.
        disturbed: what the rig did in the trials that were set aside; empty where none was.

    Raises:
        AssertionError: the gateway misses its promise.
        NotProven: the interval straddles the threshold, or the rig cannot carry it.
    """
    verdict = decide(measurement, measurement.threshold, measurement.relation)
    if verdict == PASS:
        return
    held = f"{measurement.subject}: {measured(measurement)}; promised is {required(measurement)}."
    if limit := rig.limits(measurement):
        raise NotProven(joined(held, because(limit, cause(True))))
    if verdict == FAIL:
        raise AssertionError(joined(held, compared(), cause(False)))
    raise NotProven(joined(held, _straddles(measurement), disturbed or cause(False)))


def because(limit: str, cause: str) -> str:
    """Why the rig could not tell, with its cause where that says more."""
    return limit if limit in cause else joined(limit, cause)


def _straddles(measurement: Measurement) -> str:
    if measurement.half_width is None:
        return "One figure has no spread, so nothing follows from it: ask for more trials."
    if misses(measurement):
        return (
            "It misses the promise, but not so surely that one figure may decide about the whole "
            "order: choose a profile with longer trials or more time."
        )
    count = len(measurement.trials)
    trials = f"After {count} trial{'' if count == 1 else 's'}"
    needed = _needed(measurement)
    more = f"; about {needed} like these would decide" if needed else ""
    return (
        f"{trials} the interval still lies on both sides of the promise{more}: choose a profile "
        "with longer trials or more time."
    )


def misses(measurement: Measurement) -> bool:
    """Whether it misses its threshold by the interval that is shown."""
    limit = measurement.threshold or 0
    if measurement.relation == "at least":
        return measurement.upper < limit
    return measurement.lower > limit


def _needed(measurement: Measurement) -> int | None:
    """About how many trials of this scatter would decide; None where nobody would wait for it."""
    distance = abs(measurement.value - (measurement.threshold or 0))
    if not measurement.half_width or not distance:
        return None
    times = (measurement.half_width / distance) ** 2
    return math.ceil(times * len(measurement.trials)) if times < 100 else None


def joined(*parts: str) -> str:
    """Sentences as one text, without those that are empty."""
    return " ".join(part for part in parts if part)
