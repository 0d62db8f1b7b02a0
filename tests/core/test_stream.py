"""What arrived of a stream of datagrams, and when."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from local_shell import LocalShell

from gatepass.base.errors import NotProven
from gatepass.base.waiting import until
from gatepass.endpoint.script import Script
from gatepass.endpoint.stream import Arrivals, Stream, clock_of
from gatepass.scenarios.trouble.restart import Restarted
from standstill import stands_still, stands_still_until


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
        assert until(lambda: stream.brings(since=begun), 5)
        assert not stream.brings(since=clock_of(sender) + 60)
        assert until(lambda: stream.brings(since=begun + 0.5), 20)
        seen = stream.end()
    finally:
        stream.stop()
    assert seen.sent >= seen.arrived > 5
    assert seen.stretches[0][0] >= begun
    assert seen.first_after(begun) == seen.stretches[0][0]
    assert seen.came[0][0] >= begun
    assert seen.sendings[0][0] == seen.stretches[0][0]
    seen.must_have_been_sent(begun, begun + 60, "client")
    with pytest.raises(NotProven, match="the client stood still when it should"):
        seen.must_have_been_sent(begun + 600, begun + 601, "client")


def test_a_receiver_whose_time_is_over_has_said_what_arrived(tmp_path: Path) -> None:
    sender, receiver = (LocalShell(name, tmp_path / name) for name in ("client", "server"))
    for shell in (sender, receiver):
        Path(shell.folder()).mkdir()
    stream = Stream(sender, receiver, "127.0.0.1", 29_018, "gptest", 0.01, 1)
    try:
        written = Script(f"cat {receiver.folder()}/stream.out")
        assert until(lambda: "arrived" in receiver.run(written).output, 10)
        assert not stream.brings(since=clock_of(sender) + 60)
    finally:
        stream.stop()


PORT = 29_019


def _waiting(shell: LocalShell) -> int:
    """Bytes that have come to the port and were not read yet."""
    row = f"awk '$2 ~ /:{PORT:04X}$/ {{split($5, q, \":\"); print q[2]}}' /proc/net/udp"
    return int(shell.run(Script(row)).output.strip() or "0", 16)


@pytest.fixture
def stream(apart: LocalShell) -> Iterator[Stream]:
    """From a network namespace of its own to itself; both ends have a folder."""
    folder = Path(apart.folder()) / "server"
    folder.mkdir()
    receiver = LocalShell("server", folder, apart.inside)
    stream = Stream(apart, receiver, "127.0.0.1", PORT, "gptest", 0.01, 60)
    try:
        assert until(lambda: stream.brings(since=0), 20)
        yield stream
    finally:
        stream.stop()


def _taking(apart: LocalShell) -> Path:
    return Path(apart.folder()) / "server" / "stream"


def _drop(apart: LocalShell) -> None:
    """Let nothing through any more."""
    rule = f"nft add rule inet t c udp dport {PORT} drop"
    chain = "nft add chain inet t c '{ type filter hook input priority 0; }'"
    assert apart.run(Script(f"nft add table inet t && {chain} && {rule}")).status == 0


def test_what_is_read_late_arrived_when_it_did(apart: LocalShell, stream: Stream) -> None:
    """The receiver stands still between the call and the gateway's going down, for good."""
    asked = clock_of(apart)
    with stands_still(_taking(apart)):
        assert until(lambda: _waiting(apart) > 30 * 768, 20)  # more than a tenth of a second
    assert until(lambda: stream.brings(since=asked + 0.3), 20)
    _drop(apart)
    down = clock_of(apart)
    assert until(lambda: clock_of(apart) > down + 1, 20)
    seen = Restarted(asked, down, 0.1, stream.end(), ())
    assert seen.passed_before
    assert not seen.permitted.came[1:], "the kernel stamped them as they came"
    assert seen.permitted.first_after(down) is None


def test_what_was_not_read_when_the_end_came_has_arrived(
    apart: LocalShell, stream: Stream
) -> None:
    begun = clock_of(apart)
    stop = _taking(apart).with_name("stream.stop")
    with stands_still_until(_taking(apart), stop.exists):
        assert until(lambda: _waiting(apart) > 30 * 768, 20)
        seen = stream.end()
    assert seen.arrived == seen.sent
    assert seen.first_after(begun + 0.2) is not None


def test_a_sender_that_stands_still_proves_nothing(apart: LocalShell, stream: Stream) -> None:
    with stands_still(Path(apart.folder()) / "stream"):
        begun = clock_of(apart)
        assert until(lambda: clock_of(apart) > begun + 0.5, 20)
        ended = clock_of(apart)
    seen = stream.end()
    with pytest.raises(NotProven, match="the client stood still"):
        seen.must_have_been_sent(begun + 0.1, ended - 0.1, "client")
