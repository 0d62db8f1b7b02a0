"""Rates of trials and what is made of them: means, bounds, and all that is told beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import stdev
from typing import Any

from gatepass.inputs.profile import Profile
from gatepass.proof.delays_and_losses import chosen
from gatepass.proof.figures import DIGITS, same
from gatepass.proof.levels import OF_TRIALS, rule_of
from gatepass.proof.set_aside import noted_trial
from gatepass.results.facts import group
from gatepass.results.outcome import Check, Outcome
from gatepass.results.record import Measurement
from gatepass.results.trial import Trial
from gatepass.stats.intervals import Interval, interval
from gatepass.verdict.judgement import Rule
from gatepass.verdict.throughput import Trials

_FIGURES = 4
"""Decimals with which a trial's rate is noted."""
_OF_THE_RIG = ("set_aside", "set_aside_because", "controls", "slowest_control_mbps")
"""Facts of a figure that are not of the trials that it counts."""


def rates(check: Check, trials: Mapping[int, Trial], folder: Path) -> Iterator[str]:
    """Rates that are not those of their files, and trials that left none, each in a sentence.

    Args:
        check: in which they ran.
        trials: of it, by number, as their files tell them.
        folder: of the run.
    """
    for noted in check.trials:
        trial, told = trials.get(noted.get("number", 0)), noted.get("mbps")
        if trial and isinstance(told, float | int) and told != round(trial.mbps, _FIGURES):
            yield (
                f"{check.name}: trial {noted['number']} is recorded with {told:g} Mbit/s; its "
                f"files tell {trial.mbps:.{_FIGURES}f}."
            )
    known = _rates_of(check, trials, folder)
    for one in check.measurements:
        if one.unit != "Mbit/s" or one.layer not in OF_TRIALS[:2]:
            continue
        for figure in one.trials:
            if not any(same(figure, rate) for rate in known):
                yield (
                    f"{check.name}: {one.subject} counts a trial of {figure:g} Mbit/s, and no "
                    "file tells of one."
                )


def _rates_of(check: Check, trials: Mapping[int, Trial], folder: Path) -> list[float]:
    """The rates of all trials that left a file, Mbit/s; of those that cannot be read, as noted."""
    noted = [
        one["mbps"]
        for one in check.trials
        if isinstance(one.get("number"), int)
        and one["number"] not in trials
        and isinstance(one.get("mbps"), float | int)
        and any((folder / "trials").glob(f"{one['number']:03d}-*"))
    ]
    return [trial.mbps for trial in trials.values()] + noted


def figures(check: Check, trials: Mapping[int, Trial], outcome: Outcome) -> Iterator[str]:
    """Means whose bounds do not follow from their trials, each in a sentence.

    Args:
        check: whose figures they are.
        trials: of it, by number, as their files tell them.
        outcome: of the run.
    """
    for one in check.measurements:
        if one.level is not None and one.trials:
            yield from made_again(check, one, _samples(one, trials, outcome))
        if one.observed and one.trials and one.value not in one.trials:
            yield (
                f"{check.name}: {one.subject} is recorded as {one.value:g} {one.unit}, which none "
                "of its trials saw."
            )


def _samples(one: Measurement, trials: Mapping[int, Trial], outcome: Outcome) -> Sequence[float]:
    """What the interval is made of: the trials, or the intervals of long ones."""
    if group(outcome.run, "profile").get("sampling") != "intervals":
        return one.trials
    of_it = [trial for trial in trials.values() if any(same(x, trial.mbps) for x in one.trials)]
    return [rate for trial in of_it for rate in trial.intervals] or one.trials


def made_again(check: Check, one: Measurement, samples: Sequence[float]) -> Iterator[str]:
    """Whether a mean and its bounds follow from samples, in a sentence where they do not.

    Args:
        check: whose figure it is.
        one: the figure.
        samples: of it, as they were noted.
    """
    again = interval(samples, one.confidence, one.level, one.fail_level)
    told = Interval(one.value, one.half_width, fail_half_width=one.fail_half_width)
    fails = (told.fail_half_width or 0.0, again.fail_half_width or 0.0)
    widths = (told.half_width or 0.0, again.half_width or 0.0)
    # trials and figures are noted with seven digits, so that they are known no more closely; of few
    # trials a small difference of one makes a large one of their interval
    spread = stdev(samples) if len(samples) > 1 else 0.0
    leverage = max(widths[1], fails[1]) / spread if spread else 0.0
    nearly = max(abs(told.mean), *widths, *fails) * (10 + leverage) * 10.0 ** (1 - DIGITS)
    apart = (told.mean - again.mean, widths[0] - widths[1], fails[0] - fails[1])
    if max(map(abs, apart)) > nearly:
        yield (
            f"{check.name}: {one.subject} is recorded as {_figure(told)} {one.unit}; its trials "
            f"make {_figure(again)}."
        )


def _figure(value: Interval) -> str:
    """With the half width by which a fail is decided, where that is another one."""
    widths = dict.fromkeys((value.half_width, value.fail_half_width))
    told = " or ± ".join(f"{width:.{DIGITS}g}" for width in widths if width is not None)
    return f"{value.mean:.{DIGITS}g} ± {told}" if told else f"{value.mean:.{DIGITS}g}"


def told_beside(
    check: Check, trials: Mapping[int, Trial], run_rule: Rule, profile: Profile
) -> Iterator[str]:
    """Facts and courses of figures that do not follow from their trials, each in a sentence.

    Args:
        check: of a run that this copy of Gatepass made.
        trials: of it, by number, as their files tell them.
        run_rule: of the run.
        profile: of the run.
    """
    noted = {one["number"]: one for one in check.trials if one.get("number") in trials}
    known = {number: noted_trial(noted[number], trial) for number, trial in trials.items()}
    for one in check.measurements:
        if one.level is None or one.layer not in OF_TRIALS[:2] or one.observed:
            continue
        rule = rule_of(one, run_rule, profile)
        mbps = {number: each.mbps for number, each in known.items()}
        differences = [
            difference
            for numbers in chosen(one.trials, mbps)
            if (series := Trials(tuple(known[number] for number in numbers), rule, one.layer))
            for difference in [_difference(one, series)]
        ]
        if differences and all(differences):
            yield f"{check.name}: {one.subject} is recorded with {differences[0]}."


def _difference(one: Measurement, series: Trials) -> str:
    """What is told beside a figure otherwise than its trials make it; empty where nothing is."""
    again = series.measurement(one.promise, one.conditions, one.threshold)
    made: dict[str, Any] = {
        key: fact for key, fact in again.facts.items() if key not in _OF_THE_RIG
    }
    for key, fact in made.items():
        if fact is None and not one.facts.get(key):
            continue  # of hosts that nobody watched, records of before have 0
        if one.facts.get(key) != fact:
            return f"{key} {one.facts.get(key)}; its trials make {fact}"
    if one.series != again.series:
        return "another course than that of the trial in the middle"
    return ""
