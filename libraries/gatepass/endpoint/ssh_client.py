"""SSHLibrary's own client, extended: it takes the known host key alone, and waits quietly.

Its own login keeps an interactive shell, which a server may not allow (`PermitTTY no`) and which
takes the only session where it allows one (`MaxSessions 1`). So the login is paramiko's, and there
is one session at a time; files are written by a command as well, as not each server has SFTP.
"""

from __future__ import annotations

import io
import socket
import time
from contextlib import suppress

import paramiko
from SSHLibrary.pythonclient import PythonSSHClient

from gatepass.endpoint.completed import Completed
from gatepass.endpoint.login_shell import STARTERS, NoShell, wrapped
from gatepass.endpoint.script import Script, script
from gatepass.endpoint.ssh_session import Session
from gatepass.endpoint.ssh_transport import KnownHostKey, Transport
from gatepass.inputs.known_hosts import known_hosts
from gatepass.inputs.private_key import openssh_key
from gatepass.inputs.testbed import Ssh

MOST_BYTES = 64 * 1024 * 1024
"""That a command may write, on both channels together; the largest capture is a third of it."""
_CONNECT_S, _ANSWER_S, _KEEP_ALIVE_S = 10, 15, 10
_SESSION_S = 3
"""For which a session is asked for again that is refused: the one before may not be gone yet."""
_SLOWEST = 100 * 1024
"""Bytes a second at which a file is written at least."""
_KINDS = (paramiko.Ed25519Key, paramiko.ECDSAKey, paramiko.RSAKey)


class NotSent(EOFError):
    """The connection was gone before anything was asked."""


class Refused(Exception):
    """The other side is there and will not do it."""


class PinnedClient(PythonSSHClient):
    """One SSH connection.

    Args:
        ssh: where to, as whom, and which host key is expected there.
    """

    def __init__(self, ssh: Ssh) -> None:
        self._ssh = ssh
        self._starters = STARTERS
        self.transport: Transport | None = None
        super().__init__(ssh.host, port=ssh.port, timeout=f"{_CONNECT_S} s")

    def _get_client(self) -> paramiko.SSHClient:
        """What the base class asks of a client of its own kind; its own takes any host key."""
        return paramiko.SSHClient()

    def log_in(self) -> None:
        """Connect with the testbed's key.

        Raises:
            UnusableKey: on this side.
            HostKeyRefused: on the other side.
            OSError, EOFError, paramiko.SSHException: it cannot be done.
        """
        ssh = self._ssh
        known = known_hosts(ssh.known_hosts_file, ssh.host, ssh.port)
        self.client.set_missing_host_key_policy(KnownHostKey(known))

        def transport(sock: socket.socket, **more: object) -> Transport:
            self.transport = Transport(sock, **more)
            self.transport.prefer(known)
            return self.transport

        self.client.connect(
            ssh.host,
            ssh.port,
            ssh.user,
            pkey=_key(ssh),
            timeout=_CONNECT_S,
            channel_timeout=_ANSWER_S,  # an hour otherwise
            allow_agent=False,
            look_for_keys=False,
            transport_factory=transport,
        )
        self.transport.set_keepalive(_KEEP_ALIVE_S)
        # many small messages each wait for their answer: 40 ms each otherwise
        self.transport.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def execute(self, command: Script, timeout_s: float, given: bytes | None = None) -> Completed:
        """Run a command and wait for its end.

        The base class looks for the end in a loop without a pause; a core that is busy with looking
        would be missing in a trial.

        Args:
            command: for a POSIX shell, whatever the user's login shell is.
            timeout_s: for all of it, however it comes.
            given: what it reads; it has to read all of it.

        Raises:
            NoShell: something else answered, and the command was not run.
            TooLarge: it writes too much.
            OSError, EOFError, paramiko.SSHException: it has not ended in time, or it broke.
        """
        end = time.monotonic() + timeout_s
        first, *others = self._starters
        try:
            return self._once(command, first, given, end)
        except NoShell as refused:
            for starter in others if refused.status is not None else ():
                with suppress(NoShell, OSError):
                    return self._once(command, starter, given, end)
            raise

    def _once(self, command: Script, starter: str, given: bytes | None, end: float) -> Completed:
        asked = wrapped(command, starter, reads=given is not None)
        with self._session(end) as channel:
            done = Session(channel, end, MOST_BYTES).run(asked, given or b"")
        self._starters = (starter,)
        return done

    def _session(self, end: float) -> paramiko.Channel:
        """A session for one command.

        Raises:
            NotSent: the connection is gone.
            paramiko.SSHException: it is there, and no session is to be had.
        """
        give_up = min(end, time.monotonic() + _SESSION_S)
        while True:
            try:
                return self.transport.open_session(timeout=max(0.1, end - time.monotonic()))
            except paramiko.ChannelException:
                if time.monotonic() > give_up:
                    raise paramiko.SSHException(
                        "it opens no session; MaxSessions of its sshd_config has to be 1 at least"
                    ) from None
            except (OSError, EOFError, paramiko.SSHException) as error:
                raise NotSent(str(error) or type(error).__name__) from error
            time.sleep(0.05)

    def write(self, text: str, path: str) -> None:
        """Write a file; its text stands on no command line.

        Raises:
            Refused: there is no such folder, no right to write, no room.
            NoShell, OSError, EOFError, paramiko.SSHException: as `execute`.
        """
        if len(self._starters) > 1:  # what nobody reads would cost the connection
            self.execute(script("true"), _ANSWER_S)
        content = text.encode()
        # tee reads on where it cannot write, so that nothing arrives after the end of the command
        write = script("head -c {size} | tee {path} >/dev/null", size=len(content), path=path)
        done = self.execute(write, _ANSWER_S + len(content) / _SLOWEST, content)
        if done.status:
            words = done.errors.strip().removeprefix(f"tee: {path}: ")
            raise Refused(words or f"it ended with {done.status}")


def _key(ssh: Ssh) -> paramiko.PKey:
    """The testbed's key, with the certificate beside it if there is one.

    Raises:
        UnusableKey: it cannot be used.
        OSError: it cannot be read.
    """
    text = openssh_key(ssh.key_file)
    for kind in _KINDS:
        with suppress(paramiko.SSHException):
            key = kind.from_private_key(io.StringIO(text))
            break
    certificate = ssh.key_file.with_name(f"{ssh.key_file.name}-cert.pub")
    if certificate.exists():
        key.load_certificate(str(certificate))
    return key
