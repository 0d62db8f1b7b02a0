"""One command over one channel: what is read, for how long, and what is made of it."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass, field

import pytest

from gatepass.endpoint.login_shell import NoShell, Wrapped
from gatepass.endpoint.ssh_session import Session, TooLarge

ASKED = Wrapped("the command", "mark")
MOST = 1000


@dataclass
class Channel:
    """A channel whose other side says what it says.

    Attributes:
        printed, complained: what comes, on standard output and standard error.
        status: with which it ends; None where it goes on.
        answer: what comes once something was sent.
        takes: whether anything may be sent.
    """

    printed: bytes = b""
    complained: bytes = b""
    status: int | None = 0
    answer: bytes = b""
    takes: bool = True
    sent: bytearray = field(default_factory=bytearray)
    closed = False

    def __post_init__(self) -> None:
        self.status_event = threading.Event()
        if self.status is not None:
            self.status_event.set()
        self._never, self._other = os.pipe()

    @property
    def eof_received(self) -> bool:
        return self.status is not None

    @property
    def exit_status(self) -> int | None:
        return self.status

    def fileno(self) -> int:
        return self._never

    def settimeout(self, seconds: float) -> None:
        assert seconds > 0

    def exec_command(self, command: str) -> None:
        assert command == ASKED.command

    def send(self, data: memoryview) -> int:
        if not self.takes:
            raise OSError("Socket is closed")
        self.sent += data[:2]
        self.printed += self.answer
        self.answer = b""
        return len(data[:2])

    def recv_ready(self) -> bool:
        return bool(self.printed)

    def recv_stderr_ready(self) -> bool:
        return bool(self.complained)

    def recv(self, most: int) -> bytes:
        taken, self.printed = self.printed[:most], self.printed[most:]
        return taken

    def recv_stderr(self, most: int) -> bytes:
        taken, self.complained = self.complained[:most], self.complained[most:]
        return taken


def _run(channel: Channel, given: bytes = b"", seconds: float = 0.2):
    return Session(channel, time.monotonic() + seconds, MOST).run(ASKED, given)


def test_an_answer_is_what_stands_between_the_marks() -> None:
    done = _run(Channel(b"Welcome\nmark\nhere\nmark 3\nbye", b"tty?\nmark\nno\nmark 3\n", 9))
    assert (done.status, done.output, done.errors) == (3, "here\n", "no\n")


def test_all_of_what_a_command_reads_is_sent() -> None:
    channel = Channel(b"mark\nmark 0\n")
    _run(channel, b"a text of some length")
    assert channel.sent == b"a text of some length"


def test_who_takes_nothing_is_told_by_what_it_answers() -> None:
    with pytest.raises(NoShell, match="go away") as answer:
        _run(Channel(b"go away", status=1, takes=False), b"a text")
    assert answer.value.status == 1


def test_what_answers_and_waits_is_no_shell() -> None:
    with pytest.raises(NoShell, match="which one") as answer:
        _run(Channel(b"which one? ", status=None))
    assert answer.value.status is None and answer.value.lasts


@pytest.mark.parametrize(
    ("answer", "words"), [(b"\0\0\0\5\2\0\0\0\3", "SFTP"), (b"", ""), (b"$ ", "")]
)
def test_what_is_silent_is_asked_whether_it_serves_files(answer: bytes, words: str) -> None:
    channel = Channel(status=None, answer=answer)
    with pytest.raises(NoShell) as instead:
        _run(channel)
    assert instead.value.words == words and instead.value.lasts == bool(words)
    assert channel.sent == b"\0\0\0\5\1\0\0\0\3"


def test_a_command_that_goes_on_is_given_up() -> None:
    with pytest.raises(TimeoutError, match="its command goes on"):
        _run(Channel(b"mark\nhalf", status=None))


@pytest.mark.parametrize("channel", [Channel(b"x" * 1001), Channel(b"x" * 600, b"x" * 600)])
def test_an_answer_without_an_end_is_not_read(channel: Channel) -> None:
    with pytest.raises(TooLarge):
        _run(channel)


def test_a_peer_that_is_lost_has_no_status() -> None:
    with pytest.raises(EOFError):
        _run(Channel(b"mark\nhalf", status=-1))
