"""How much is tried, and when something is stuck."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hypothesis import HealthCheck, settings

LONG = "GATEPASS_FUZZ"
"""Names how many times as much is tried, each time something else; a test run tries the same."""


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

    Raises:
        Stuck: it did not.
    """

    def stuck(*_: object) -> None:
        raise Stuck

    before = signal.signal(signal.SIGALRM, stuck)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
