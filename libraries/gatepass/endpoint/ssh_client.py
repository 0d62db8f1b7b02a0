"""SSHLibrary's own client, extended: it takes the known host key alone, and waits quietly."""

from __future__ import annotations

import io
import select
import socket
import time

import paramiko
from SSHLibrary.pythonclient import PythonSSHClient

from gatepass.endpoint.shell import Completed
from gatepass.inputs.testbed import Ssh

MOST_BYTES = 64 * 1024 * 1024
"""That a command may write, on both channels together; the largest capture is a third of it."""
_ANSWER_S = 15
_PIECE = 256 * 1024


class Refused(Exception):
    """The other side is there and will not do it."""


class TooLarge(Exception):
    """A command's answer has no end: it is not read any further."""


class PinnedClient(PythonSSHClient):
    """One SSH connection.

    Args:
        ssh: where to, as whom, and which host key is expected there.
    """

    def __init__(self, ssh: Ssh) -> None:
        self._ssh = ssh
        super().__init__(ssh.host, port=ssh.port, timeout="10 s")

    def _get_client(self) -> paramiko.SSHClient:
        """What the base class asks of a client of its own kind; its own takes any host key."""
        client = paramiko.SSHClient()
        client.load_host_keys(str(self._ssh.known_hosts_file))
        client.set_missing_host_key_policy(paramiko.RejectPolicy())
        return client

    def log_in(self) -> None:
        """Connect with the testbed's key.

        Raises:
            RuntimeError, OSError, EOFError, paramiko.SSHException: it cannot be done.
        """
        key = str(self._ssh.key_file)
        self.login_with_public_key(
            self._ssh.user, key, None, delay="0 s", keep_alive_interval="10 s"
        )
        transport = self.client.get_transport()
        transport.channel_timeout = _ANSWER_S  # an hour otherwise
        # many small messages each wait for their answer: 40 ms each otherwise
        transport.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def execute(self, command: str, timeout_s: float) -> Completed:
        """Run a command and wait for its end.

        The base class looks for the end in a loop without a pause; a core that is busy with looking
        would be missing in a trial. Paramiko's `exec_command` opens a file for the command's input
        as well. When that is given up, this thread sends EOF, now and then after the thread that
        reads has answered the channel's close; over a channel that is gone sshd ends the whole
        connection.

        Args:
            command: for a POSIX shell.
            timeout_s: for all of it, however it comes.

        Raises:
            TooLarge: it writes more than `MOST_BYTES`.
            OSError, EOFError, paramiko.SSHException: it has not ended in time, or it broke.
        """
        end = time.monotonic() + timeout_s
        with self.client.get_transport().open_session(timeout=timeout_s) as channel:
            channel.settimeout(timeout_s)
            channel.exec_command(command)
            printed, complained = _read(channel, end)
            ended = channel.status_event.wait(max(0, end - time.monotonic()))
            if not ended or channel.exit_status == -1:  # paramiko's word for a lost peer
                raise EOFError("the other side ended it")
            return Completed(
                channel.exit_status,
                printed.decode(errors="replace"),
                complained.decode(errors="replace"),
            )

    def write(self, text: str, path: str) -> None:
        """Write a file by SFTP.

        Raises:
            Refused: there is no such folder, no right to write, no room.
            OSError, EOFError, paramiko.SSHException: no answer came in time, or it broke.
        """
        transport = self.client.get_transport()
        with transport.open_sftp_client() as sftp:
            sftp.get_channel().settimeout(_ANSWER_S)
            try:
                sftp.putfo(io.BytesIO(text.encode()), path)
            except OSError as error:
                if isinstance(error, TimeoutError) or not transport.is_active():
                    raise
                raise Refused(error.strerror or str(error)) from error


def _read(channel: paramiko.Channel, end: float) -> tuple[bytes, bytes]:
    """All that a command writes, on either channel, within the bounds of both.

    Args:
        channel: that it runs on.
        end: until when it may write (monotonic clock).

    Raises:
        TooLarge: it writes too much.
        TimeoutError: it goes on after that.
    """
    printed, complained = bytearray(), bytearray()
    while True:
        over = channel.eof_received  # before the looks: what came until then is there to be read
        if channel.recv_ready():
            printed += channel.recv(_PIECE)
        elif channel.recv_stderr_ready():
            complained += channel.recv_stderr(_PIECE)
        elif over or channel.closed:
            return bytes(printed), bytes(complained)
        else:
            select.select([channel], [], [], max(0, end - time.monotonic()))
        if len(printed) + len(complained) > MOST_BYTES:
            raise TooLarge(f"it writes more than {MOST_BYTES // 1024 // 1024} MiB")
        if time.monotonic() > end:
            raise TimeoutError("its command goes on")
