"""Signals that stop a run, held back while a library is called that they would break."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from types import FrameType
from typing import ParamSpec, TypeVar

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_P = ParamSpec("_P")
_T = TypeVar("_T")


@contextmanager
def deaf() -> Iterator[None]:
    """Ignore the signals: what happens now is short and must come to its end."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def held_back(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """A function during which a signal waits; it comes as soon as the function has returned.

    Robot raises from within its signal handler. In the middle of paramiko, which has threads of
    its own, that leaves a lock taken, and the restoration of the gateway would wait for it for
    ever.
    """

    @wraps(function)
    def undisturbed(*args: _P.args, **named: _P.kwargs) -> _T:
        if threading.current_thread() is not threading.main_thread():
            return function(*args, **named)  # signals are handled in the main thread alone
        came: list[int] = []

        def wait(number: int, frame: FrameType | None) -> None:
            came.append(number)

        before = {number: signal.signal(number, wait) for number in STOPPING}
        try:
            return function(*args, **named)
        finally:
            for number, handler in before.items():
                # None: a handler that was not set by Python
                signal.signal(number, signal.SIG_DFL if handler is None else handler)
            for number in came:
                signal.raise_signal(number)

    return undisturbed
