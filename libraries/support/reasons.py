"""A verdict with its likely cause: what was seen while the trials ran, asked for when it matters.

A check that passes asks the gateway nothing. For any other verdict it is two or three calls after
the trials, about what the gateway keeps anyway.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from statistics import fmean

from robot.api import logger
from robot.errors import RobotError

from gatepass.gateway.fortigate import GatewayLost, Refused
from gatepass.gateway.load import licence_of, load_between
from gatepass.results.record import Measurement, figure
from gatepass.verdict import judgement
from gatepass.verdict.causes import Observations, causes, in_sentences
from gatepass.verdict.disturbance import aside_in_words
from gatepass.verdict.judgement import HEADROOM, RigLimit
from gatepass.verdict.throughput import Trials
from support.check_context import CheckContext
from support.policies import tightest_shaper


def throughput_should_reach(
    check: CheckContext,
    promise: Measurement,
    trials: Trials,
    rig: RigLimit | None = None,
    compared: Callable[[], str] | None = None,
    shaped: bool = True,
) -> None:
    """Hold trials against the promise that their measurement names.

    Args:
        check: that holds them.
        promise: what was measured, with its threshold in Mbit/s.
        trials: behind it.
        rig: what limits the rig itself; by the controls that took turns with the trials, unless
            given.
        compared: what a reader has to know beside a fail; what the controls carried, unless given.
        shaped: whether the traffic is held by any shaper.

    Raises:
        AssertionError: the gateway misses its promise, and the rig could have carried it.
        NotProven: the rig cannot carry it, or the interval straddles it.
    """
    without = [control.mbps for control in trials.controls or ()]

    def of_the_controls() -> str:
        return (
            f"The path without the gateway carried {figure(fmean(without))} of "
            f"{promise.threshold * HEADROOM:g} Mbit/s in {len(without)} trials, in turns with it."
        )

    conclude(check, promise, rig or trials.rig, compared or of_the_controls, trials, shaped=shaped)


def conclude(
    check: CheckContext,
    measurement: Measurement,
    rig: RigLimit,
    compared: Callable[[], str] = lambda: "",
    trials: Trials | None = None,
    services_off: float | None = None,
    disturbed: str = "",
    shaped: bool = True,
) -> None:
    """Return for a pass; raise for every other verdict, with figures and the likely cause.

    Args:
        check: that concludes.
        measurement: with its threshold.
        rig: what limits the rig itself.
        compared: what a reader has to know beside a fail; asked only for one.
        trials: of iperf3 behind the measurement.
        services_off: mean rate without inspection, Mbit/s.
        disturbed: what the rig did in trials that were set aside, where there are no `trials`.
        shaped: whether the traffic is held by any shaper.

    Raises:
        AssertionError: the gateway misses its promise.
        NotProven: the interval straddles the threshold, or the rig cannot carry it.
    """
    ran = trials.trials if trials else ()
    aside = aside_in_words(trials.aside) if trials else disturbed

    def cause(by_rig: bool) -> str:
        seen = Observations(measurement, by_rig, ran, rig.controls or ())
        return cause_of(check, replace(seen, shaped=shaped, services_off=services_off))

    judgement.conclude(measurement, rig, compared, cause, aside)


def cause_of(check: CheckContext, seen: Observations) -> str:
    """Complete what was seen, record the causes, and tell them in a few sentences.

    It never raises: a likely cause is a help to the reader and no part of the verdict.
    """
    try:
        whole = _completed(check, seen)
        found = causes(whole)
        about = {"promise": seen.measurement.promise, "conditions": seen.measurement.conditions}
        for cause in found:
            check.note("cause", replace(cause, **about))
        return in_sentences(found, whole)
    except RobotError:
        raise  # the run is being stopped
    except Exception as error:
        logger.debug(f"No cause could be looked for: {type(error).__name__}: {error}")
        return ""


def _completed(check: CheckContext, seen: Observations) -> Observations:
    before = check.run.baselines.get("before")
    seen = replace(seen, before=before and before.interval.mean)
    if seen.by_rig:
        return seen
    began = min((trial.began for trial in seen.trials if trial.began), default=check.began)
    ended = max((trial.ended for trial in seen.trials), default=0.0) or time.time()
    gateway = check.run.gateway
    try:
        shaper = tightest_shaper(check.run) if seen.shaped else None
    except (GatewayLost, Refused, KeyError, TypeError):
        shaper = None
    if gateway.lost:
        return seen
    return replace(
        seen,
        shaper=shaper,
        load=load_between(gateway, began, ended),
        licence=licence_of(gateway),
    )
