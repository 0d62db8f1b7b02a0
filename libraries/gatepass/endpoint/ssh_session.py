"""One command over one session channel of SSH, within bounds of time and size."""

from __future__ import annotations

import math
import select
import time
from contextlib import suppress

import paramiko

from gatepass.endpoint.completed import Completed
from gatepass.endpoint.login_shell import NoShell, Wrapped

_PIECE = 256 * 1024
_SFTP_INIT = bytes([0, 0, 0, 5, 1, 0, 0, 0, 3])
"""SSH_FXP_INIT of version 3 (draft-ietf-secsh-filexfer-02, section 4)."""
_SFTP_VERSION, _SFTP_ANSWERS_S = 2, 3


class TooLarge(Exception):
    """A command's answer has no end: it is not read any further."""


class Session:
    """A command at work.

    Args:
        channel: of the session, on which nothing was asked for yet; who opened it closes it.
        end: until when the command may take (monotonic clock).
        most_bytes: that it may write, on standard output and standard error together.
    """

    def __init__(self, channel: paramiko.Channel, end: float, most_bytes: int) -> None:
        self._channel = channel
        self._end, self._most_bytes = end, most_bytes
        self._printed, self._complained = bytearray(), bytearray()

    def run(self, asked: Wrapped, given: bytes = b"") -> Completed:
        """Run a command and wait for its end.

        Args:
            asked: the command.
            given: what it reads, all of it. No end of input is sent behind that: it would reach a
                channel that is gone if the command had ended, and sshd ends the whole connection
                then.

        Raises:
            NoShell: something else answered, and the script was not run.
            TooLarge: it writes more than it may.
            OSError, EOFError, paramiko.SSHException: it has not ended in time, or it broke.
        """
        self._channel.settimeout(self._left_s())
        self._channel.exec_command(asked.command)
        self._give(given)
        try:
            self._read()
        except TimeoutError:
            if not asked.begun(self._printed):
                raise self._instead() from None
            raise
        ended = self._channel.status_event.wait(self._left_s())
        status = self._channel.exit_status
        if not ended or status == -1:  # paramiko's word for a lost peer
            raise EOFError("the other side ended it")
        if not asked.begun(self._printed):
            raise NoShell(self._words, status)
        return asked.completed(bytes(self._printed), bytes(self._complained), status)

    @property
    def _words(self) -> bytes:
        return bytes(self._printed + b" " + self._complained)

    def _left_s(self) -> float:
        return max(0.1, self._end - time.monotonic())

    def _give(self, data: bytes) -> None:
        """Send what the command reads; who does not want it is told apart by the answer."""
        rest = memoryview(data)
        with suppress(OSError):
            while rest:
                self._channel.settimeout(self._left_s())
                rest = rest[self._channel.send(rest[:_PIECE]) :]

    def _instead(self) -> NoShell:
        """What was begun in the place of the script; an SFTP server waits for the first word."""
        if self._words.strip():
            return NoShell(self._words)
        with suppress(OSError, TooLarge):
            self._end = time.monotonic() + _SFTP_ANSWERS_S
            self._give(_SFTP_INIT)
            self._read(until=len(_SFTP_INIT))
        return NoShell(b"SFTP" if self._printed[4:5] == bytes([_SFTP_VERSION]) else b"")

    def _read(self, until: float = math.inf) -> None:
        """Read all that comes, on either channel, to its end or up to so many bytes.

        Raises:
            TooLarge: it is more than it may be.
            TimeoutError: it goes on after the time.
        """
        channel = self._channel
        while len(self._printed) < until:
            over = channel.eof_received  # before the looks: what came until then is there
            if channel.recv_ready():
                self._printed += channel.recv(_PIECE)
            elif channel.recv_stderr_ready():
                self._complained += channel.recv_stderr(_PIECE)
            elif over or channel.closed:
                return
            else:
                select.select([channel], [], [], max(0, self._end - time.monotonic()))
            if len(self._printed) + len(self._complained) > self._most_bytes:
                raise TooLarge(f"it writes more than {self._most_bytes // 1024 // 1024} MiB")
            if time.monotonic() > self._end:
                raise TimeoutError("its command goes on")
