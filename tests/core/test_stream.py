"""What arrived of a stream of datagrams, and when."""

from __future__ import annotations

import time
from pathlib import Path

from local_shell import LocalShell

from gatepass.base.waiting import until
from gatepass.endpoint.stream import Arrivals, Stream, clock_of


def test_when_the_last_before_and_the_first_after_were_sent() -> None:
    seen = Arrivals(500, 300, ((10.0, 11.2), (14.1, 17.0)))
    assert seen.last_before(11.0) == 11.0, "it went on"
    assert seen.last_before(13.0) == 11.2
    assert seen.first_after(13.0) == 14.1
    assert seen.first_after(14.5) == 14.5
    assert seen.last_before(9.0) is None and seen.first_after(18.0) is None


def test_datagrams_arrive_in_one_stretch(tmp_path: Path) -> None:
    sender, receiver = (LocalShell(name, tmp_path / name) for name in ("client", "server"))
    for shell in (sender, receiver):
        Path(shell.folder()).mkdir()
    begun = clock_of(sender)
    stream = Stream(sender, receiver, "127.0.0.1", 39017, "gptest", 0.01, 20)
    try:
        assert until(lambda: stream.has_begun_again(begun), 5)
        assert not stream.has_begun_again(clock_of(sender))
        time.sleep(0.5)
        seen = stream.end()
    finally:
        stream.stop()
    assert seen.sent >= seen.arrived > 5
    assert seen.stretches[0][0] >= begun
    assert seen.first_after(begun) == seen.stretches[0][0]
    assert seen.came[0][0] >= begun


def test_a_receiver_whose_time_is_over_has_said_what_arrived(tmp_path: Path) -> None:
    sender, receiver = (LocalShell(name, tmp_path / name) for name in ("client", "server"))
    for shell in (sender, receiver):
        Path(shell.folder()).mkdir()
    stream = Stream(sender, receiver, "127.0.0.1", 29_018, "gptest", 0.01, 1)
    try:
        assert until(
            lambda: "arrived" in receiver.run(f"cat {receiver.folder()}/stream.out").output, 10
        )
        assert not stream.has_begun_again(clock_of(sender))
    finally:
        stream.stop()
