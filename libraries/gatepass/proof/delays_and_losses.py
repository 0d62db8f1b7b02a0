"""Delays and losses, made again from what the files of their trials tell.

A trial of probes keeps every delay that was seen and how often (`DelayTrial.record`), so that its
percentiles, the bounds of what the gateway added and all that is told beside them follow from the
files by the method of the run. Of iperf3's datagrams its own reports tell how many were lost.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from math import isclose
from pathlib import Path

from gatepass.base.chapters import short
from gatepass.base.errors import InputError
from gatepass.inputs import load_profile
from gatepass.inputs.profile import NamedProfile
from gatepass.proof import kept_inputs
from gatepass.proof.folder import INPUTS
from gatepass.results.delays import Kind, Pair, pairs_of
from gatepass.results.facts import group
from gatepass.results.outcome import Check, Outcome
from gatepass.results.record import Measurement
from gatepass.results.trial import Trial
from gatepass.verdict.added_delay import AddedDelay
from gatepass.verdict.delay_trials import HELD, delay, rule_of_delays
from gatepass.verdict.judgement import Rule
from gatepass.verdict.loss import loss, lost

DELAYS, LOSS = ("added_delay", "queue_delay"), "loss"
_BESIDE = "probes_without_the_gateway"
"""A fact of a delay that stands on two paths; of one path alone the clocks decide as well."""
_NOTED = 1e-6
"""Figures are noted with seven digits."""
_MOST_WAYS = 2000
"""Choices of trials that are tried, where several tell the same figure."""

Trials = Mapping[int, Mapping[Kind, Pair]]
"""Pairs of probes by the number of their trial."""
Samples = Mapping[tuple[Kind, bool], Mapping[int, float]]
"""The held percentile of each trial, ms, by the kind of probes and whether a lost one is late."""


def is_delay(one: Measurement) -> bool:
    """Whether a figure is one that follows from delays that are kept."""
    return one.promise in DELAYS and one.threshold is not None and _BESIDE in one.facts


def is_loss(one: Measurement) -> bool:
    """Whether a figure is one that follows from iperf3's reports."""
    return one.promise == LOSS and "datagrams" in one.facts


def kept_delays(folder: Path) -> Trials:
    """The trials of probes whose files have every delay; a run of before kept percentiles alone.

    Args:
        folder: of the run.
    """
    found = {}
    for path in sorted((folder / "trials").glob("*-delays.json")):
        number = path.name.partition("-")[0]
        try:
            pairs = pairs_of(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue  # its digest in the record tells of a file that was changed
        if number.isdecimal() and pairs:
            found[int(number)] = pairs
    return found


def profile_of(outcome: Outcome, folder: Path) -> NamedProfile | None:
    """By which a run was made, as its inputs have it; None where they cannot be read.

    Args:
        outcome: of the run.
        folder: of the run.
    """
    name = str(group(outcome.run, "profile").get("name", ""))
    try:
        return load_profile(folder / INPUTS / kept_inputs.PROFILES, name)
    except InputError:
        return None


def losses(check: Check, trials: Mapping[int, Trial], rule: Rule) -> Iterator[str]:
    """Losses that do not follow from their trials, each in a sentence.

    Args:
        check: whose figures they are.
        trials: of it, by their numbers.
        rule: of the run.
    """
    shares = {number: lost([one])[0] for number, one in trials.items() if one.datagrams}
    for one in _of_the_runs_rule(check, is_loss):
        again = (
            loss([trials[number] for number in numbers], one.conditions, rule, one.threshold)
            for numbers in chosen(one.trials, shares)
        )
        if not any(_same(one, other) for other in again):
            yield _sentence(check, one, "reports of iperf3")


def delays(outcome: Outcome, trials: Trials, rule: Rule | None) -> Iterator[str]:
    """Delays that do not follow from their trials, each in a sentence.

    Args:
        outcome: what the run's ``output.xml`` tells.
        trials: of the run (`kept_delays`).
        rule: of the run; None where another copy of Gatepass made it, which may have another
            method. The percentiles of each trial are looked at all the same.
    """
    for check in outcome.checks:
        yield from _noted(check, trials)
    if rule is None or not trials:
        return
    samples = _samples(trials)
    for check in outcome.checks:
        for one in _of_the_runs_rule(check, is_delay):
            if not _follows(one, trials, samples, rule_of_delays(rule)):
                yield _sentence(check, one, "delays")


def _of_the_runs_rule(
    check: Check, kind: Callable[[Measurement], bool]
) -> Iterator[Measurement]:
    if short(check.chapter) != "studies":  # each of them has conditions of its own
        yield from filter(kind, check.measurements)


def _sentence(check: Check, one: Measurement, what: str) -> str:
    return (
        f"{check.name}: {one.subject} is recorded as {one.value:g} {one.unit}, and the {what} that "
        "the trials' files have make no such figure."
    )


def _noted(check: Check, trials: Trials) -> Iterator[str]:
    """The percentiles that the record has of each trial."""
    for noted in check.trials:
        number = noted.get("number")
        for kind, pair in trials.get(number, {}).items() if isinstance(number, int) else ():
            for way, seen in (("through", pair.through), ("beside", pair.beside)):
                told = noted.get(f"{kind.name}_{way}_us")
                if seen and told is not None and told != seen.delay.summary():
                    yield (
                        f"{check.name}: trial {number} is recorded with other delays "
                        f"({kind.name}, {way}) than its file tells."
                    )


def _follows(one: Measurement, trials: Trials, samples: Samples, rule: Rule) -> bool:
    """Whether some of the trials make the figure, its bounds and all that is told beside it."""
    return any(
        _same(one, _again(one, [trials[number] for number in numbers], *way, rule))
        for way, by_number in samples.items()
        for numbers in chosen(one.trials, by_number)
    )


def _samples(trials: Trials) -> Samples:
    """What each trial alone says of the delay."""
    found: dict[tuple[Kind, bool], dict[int, float]] = {}
    for number, pairs in trials.items():
        for kind, pair in pairs.items():
            for late in (True, False):
                if pair.through and pair.beside:
                    added = AddedDelay([pair], lost_is_late=late)
                    found.setdefault((kind, late), {})[number] = added.samples_ms(HELD)[0]
    return found


def chosen(wanted: Sequence[float], samples: Mapping[int, float]) -> Iterator[Sequence[int]]:
    """Numbers of trials, as they ran, that have these figures.

    Args:
        wanted: the figures, as they were noted.
        samples: the figure of each trial, by its number.
    """

    def later(after: int, rest: Sequence[float]) -> Iterator[tuple[int, ...]]:
        if not rest:
            yield ()
            return
        for number, sample in samples.items():
            if number > after and isclose(sample, rest[0], rel_tol=_NOTED):
                yield from ((number, *more) for more in later(number, rest[1:]))

    yield from islice(later(-1, wanted), _MOST_WAYS)


def _again(
    one: Measurement, pairs: Sequence[Mapping[Kind, Pair]], kind: Kind, late: bool, rule: Rule
) -> Measurement:
    added = AddedDelay([each[kind] for each in pairs], lost_is_late=late)
    return delay(one.promise, one.conditions, added, rule, one.threshold or 0.0)


def _same(one: Measurement, other: Measurement) -> bool:
    figures = [
        (each.value, each.half_width, each.fail_half_width, each.trials, each.facts)
        for each in (one, other)
    ]
    return figures[0] == figures[1]
