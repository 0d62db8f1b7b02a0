"""Signals wait while a library is called that they would break."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest

from gatepass.base.stop_signals import STOPPING, held_back


class Stopped(Exception):
    """As Robot's own handler raises one."""


@pytest.fixture(params=STOPPING, ids=lambda number: number.name)
def number(request: pytest.FixtureRequest) -> Iterator[signal.Signals]:
    def stop(*_: object) -> None:
        raise Stopped

    before = signal.signal(request.param, stop)
    yield request.param
    signal.signal(request.param, before)


def test_it_comes_when_the_call_is_done(number: signal.Signals) -> None:
    done = []

    @held_back
    def called() -> None:
        signal.raise_signal(number)
        done.append(True)

    with pytest.raises(Stopped):
        called()
    assert done


def test_also_through_calls_within_calls_and_after_an_error(number: signal.Signals) -> None:
    done = []

    @held_back
    def inner() -> None:
        signal.raise_signal(number)
        raise OSError

    @held_back
    def outer() -> None:
        with pytest.raises(OSError):
            inner()
        done.append(True)

    with pytest.raises(Stopped):
        outer()
    assert done


def test_the_handler_is_the_old_one_again(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    assert held_back(lambda value: value + 1)(1) == 2
    assert signal.getsignal(number) is before


def test_another_thread_has_no_signals_to_hold() -> None:
    told: list[int] = []
    thread = threading.Thread(target=held_back(lambda: told.append(1)))
    thread.start()
    thread.join(60)
    assert told == [1]
