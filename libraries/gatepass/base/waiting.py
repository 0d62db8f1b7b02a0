"""Waiting for something that comes by itself: look, pause a little longer, look again."""

from __future__ import annotations

import time
from collections.abc import Callable

_FIRST_PAUSE_S = 0.05
_LONGEST_PAUSE_S = 1.0


def until(holds: Callable[[], bool], patience_s: float) -> bool:
    """Whether a condition came to hold.

    Args:
        holds: looked at at least once.
        patience_s: no look begins after so many seconds.
    """
    give_up = time.monotonic() + patience_s
    pause = _FIRST_PAUSE_S
    while not holds():
        if time.monotonic() + pause > give_up:
            return False
        time.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE_S)
    return True
