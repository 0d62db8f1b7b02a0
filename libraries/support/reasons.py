"""A verdict with its likely cause: what was seen while the trials ran, asked for when it matters.

A check that passes asks the gateway nothing. For any other verdict it is two or three calls after
the trials, about what the gateway keeps anyway.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from robot.api import logger
from robot.errors import RobotError

from gatepass.gateway.fortigate import GatewayLost, Refused
from gatepass.gateway.load import licence_of, load_between
from gatepass.results.record import Measurement
from gatepass.results.trial import Trial
from gatepass.verdict import judgement
from gatepass.verdict.causes import Seen, causes, told
from support.policies import tightest_shaper
from support.session import session


def conclude(
    measurement: Measurement,
    rig_limit: Callable[[], str],
    likely: Callable[[], str] = lambda: "",
    trials: Sequence[Trial] = (),
    without: Callable[[], Sequence[float] | None] = lambda: None,
    services_off: float | None = None,
    disturbed: str = "",
) -> None:
    """Return for a pass; raise for every other verdict, with figures and the likely cause.

    Args:
        measurement, rig_limit, likely: see `gatepass.verdict.judgement.conclude`.
        trials: of iperf3 behind the measurement.
        without: rates on the path without the gateway, as far as `rig_limit` has measured them.
        services_off: mean rate without inspection, Mbit/s.
        disturbed: see `gatepass.verdict.judgement.conclude`.

    Raises:
        AssertionError: the gateway misses its promise.
        NotProven: the interval straddles the threshold, or the rig cannot carry it.
    """

    def cause(by_rig: bool) -> str:
        return cause_of(
            Seen(
                measurement,
                by_rig,
                tuple(trials),
                without() or (),
                services_off=services_off,
            )
        )

    judgement.conclude(measurement, rig_limit, likely, cause, disturbed)


def cause_of(seen: Seen) -> str:
    """Complete what was seen, record the causes, and tell them in a few sentences.

    It never raises: a likely cause is a help to the reader and no part of the verdict.
    """
    try:
        whole = _completed(seen)
        found = causes(whole)
        about = {"promise": seen.measurement.promise, "conditions": seen.measurement.conditions}
        for cause in found:
            session.note("cause", replace(cause, **about))
        return told(found, whole)
    except RobotError:
        raise  # the run is being stopped
    except Exception as error:
        logger.debug(f"No cause could be looked for: {type(error).__name__}: {error}")
        return ""


def _completed(seen: Seen) -> Seen:
    before = session.baselines.get("before")
    seen = replace(seen, before=before and before.interval.mean)
    if seen.by_rig:
        return seen
    began = min((trial.began for trial in seen.trials if trial.began), default=session.check_began)
    ended = max((trial.ended for trial in seen.trials), default=0.0) or time.time()
    gateway = session.gateway
    try:
        shaper = tightest_shaper()
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
