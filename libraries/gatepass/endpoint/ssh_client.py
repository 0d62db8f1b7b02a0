"""SSHLibrary's own client, extended: it takes the known host key alone, and waits quietly."""

from __future__ import annotations

import io
import socket

import paramiko
from SSHLibrary.pythonclient import PythonSSHClient

from gatepass.endpoint.shell import Completed
from gatepass.inputs.testbed import Ssh


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
        # many small messages each wait for their answer: 40 ms each otherwise
        self.client.get_transport().sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def execute(self, command: str, timeout_s: float) -> Completed:
        """Run a command and wait for its end.

        The base class looks for the end in a loop without a pause; a core that is busy with looking
        would be missing in a trial.

        Raises:
            OSError, EOFError, paramiko.SSHException: no answer came in time, or it broke.
        """
        _, output, errors = self.client.exec_command(command, timeout=timeout_s)
        printed, complained = output.read().decode(errors="replace"), errors.read().decode()
        ended = output.channel.status_event.wait(timeout_s)
        if not ended or output.channel.exit_status == -1:  # paramiko's word for a lost peer
            raise EOFError("the other side ended it")
        return Completed(output.channel.exit_status, printed, complained)

    def write(self, text: str, path: str) -> None:
        """Write a file by SFTP.

        Raises:
            OSError, EOFError, paramiko.SSHException: it cannot be done.
        """
        with self.client.open_sftp() as sftp:
            sftp.putfo(io.BytesIO(text.encode()), path)
