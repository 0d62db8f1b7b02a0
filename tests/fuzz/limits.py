"""How much is tried, and when something is stuck."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hypothesis import HealthCheck, settings

LONG = "GATEPASS_FUZZ"
"""Names how many times as much is tried, each time something else; a test run tries the same."""


FOR_A_WAITER = 12
"""So many times as long may pass while it waits: others are at work on the machine as well."""


class Stuck(BaseException):
    """It goes on where it should have ended long ago."""


def examples(count: int) -> Callable:
    """Settings of so many examples, the same in each run of the tests."""
    times = int(os.environ.get(LONG, "0"))
    return settings(
        max_examples=count * (times or 1),
        derandomize=not times,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """End what does not end.

    Args:
        seconds: of processor time that it may have.

    Raises:
        Stuck: it did not.
    """

    def stuck(*_: object) -> None:
        raise Stuck

    limits = {
        signal.ITIMER_PROF: (signal.SIGPROF, seconds),
        signal.ITIMER_REAL: (signal.SIGALRM, seconds * FOR_A_WAITER),
    }
    before = {number: signal.signal(number, stuck) for number, _ in limits.values()}
    for clock, (_, most) in limits.items():
        signal.setitimer(clock, most)
    try:
        yield
    finally:
        for clock in limits:
            signal.setitimer(clock, 0)
        for number, handler in before.items():
            signal.signal(number, handler)
