"""How sure each figure has to be, and on how many trials it stands: by the run's own profile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isclose

from gatepass.base.chapters import short
from gatepass.inputs.profile import Profile
from gatepass.results.outcome import Check
from gatepass.results.record import Measurement
from gatepass.verdict import downloads, services_rule
from gatepass.verdict.judgement import Rule

FILE_CONTENT = downloads.LAYER
OF_TRIALS = ("TCP goodput", "UDP payload", FILE_CONTENT)
"""Layers of figures that are means of trials."""


def rule_of(one: Measurement, rule: Rule, profile: Profile) -> Rule:
    """After which the trials of a figure were repeated.

    Args:
        one: a mean of trials.
        rule: of the run.
        profile: of the run.
    """
    if one.layer == FILE_CONTENT:
        return services_rule.rule_of(one.promise, one.conditions, rule, profile.downloads)
    return rule


def levels(
    check: Check, rule: Rule, profile: Profile, same_program: bool
) -> Iterator[str]:
    """Bounds that are not as sure as the profile asks for, each in a sentence.

    Args:
        check: whose figures they are.
        rule: of the run.
        profile: of the run, as its inputs have it.
        same_program: whether this copy of Gatepass made the run; another one may have other rules.
    """
    in_study = short(check.chapter) == "studies"  # each has conditions of its own
    for one in check.measurements:
        subject = f"{check.name}: {one.subject}"
        if one.half_width is not None and one.half_width < 0:
            yield f"{subject} has an interval whose half width is negative: {one.half_width:g}."
        if in_study or one.observed:
            continue
        if not isclose(one.confidence, profile.confidence):
            yield (
                f"{subject} is recorded with a confidence of {one.confidence:g}; the profile asks "
                f"for {profile.confidence:g}."
            )
        of_it = rule_of(one, rule, profile)
        yield from _level(subject, one, of_it, same_program)
        yield from _fewest(subject, one, of_it)


def _level(subject: str, one: Measurement, rule: Rule, same_program: bool) -> Iterator[str]:
    if one.level is None:
        if _is_mean(one) and one.half_width is not None:
            yield f"{subject} has bounds, and the record does not tell their level."
        return
    exact = same_program and (rule.by_intervals or len(one.trials) > 1)
    bounds = [(one.level, rule.level, rule.error)]
    if one.fail_level is not None or exact:
        bounds.append((one.fail_level or 0.0, rule.fail_level, rule.fail_error))
    for told, made, most in bounds:
        if not 0 < told <= most or (exact and not isclose(told, made)):
            needed = f"{made:g}" if exact else f"at most {most:g}"
            yield (
                f"{subject} is recorded with bounds of the one-sided level {told:g}; by the "
                f"profile it is {needed}."
            )


def _fewest(subject: str, one: Measurement, rule: Rule) -> Iterator[str]:
    """No figure is held against anything that stands on fewer trials than the profile asks for."""
    if one.threshold is None or not (_is_mean(one) or one.level is not None):
        return
    if len(one.trials) < rule.min_trials:
        yield (
            f"{subject} stands on {_trials(one.trials)}; by the profile no figure is held against "
            f"its promise before {rule.min_trials}."
        )


def _is_mean(one: Measurement) -> bool:
    """Whether a figure is a mean of trials with Student's bounds; the losses have others."""
    return one.layer in OF_TRIALS and one.promise != "loss"


def _trials(trials: Sequence[float]) -> str:
    return f"{len(trials)} trial{'' if len(trials) == 1 else 's'}"
