"""An endpoint: a Linux host with OpenSSH, which tests log in to, and the tools for traffic."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from lab.base.errors import LabError
from lab.base.process import Process, wait_until
from lab.base.secret import write_secret
from lab.endpoints.server_services import DOCROOT, EMPTY, FTP_HOME
from lab.nodes.node import Node, program, tail
from lab.nodes.topology import ENDPOINT_CONTROL, SSH_PORT

INSIDE = "/run/endpoint"
"""Where an endpoint sees its part of the lab's folder; a path that needs no quoting."""

_START_SECONDS = 10
_CONFIGURATION = """\
ListenAddress {address}
Port {port}
PidFile {inside}/sshd.pid
HostKey {inside}/ssh_host_ed25519_key
AuthorizedKeysFile {inside}/authorized_keys
# The folder above may belong to the user who called sudo.
StrictModes no
AuthenticationMethods publickey
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
# A login takes no longer than its cryptography.
UseDNS no
PrintMotd no
PrintLastLog no
X11Forwarding no
AllowAgentForwarding no
Subsystem sftp internal-sftp
# A test run logs in often and holds many sessions.
MaxStartups 200:30:400
MaxSessions 200
LogLevel VERBOSE
"""


class Endpoint:
    """An endpoint of a lab.

    Args:
        folder: the lab's folder.
        name: `client`, `server` or `peer`.
    """

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder / name
        self.name = name

    def prepare(self, user_key: str, host_names: str) -> str:
        """Write all that the endpoint needs before it exists.

        Args:
            user_key: the public key that may log in as root.
            host_names: what its `/etc/hosts` says.

        Returns:
            Its public host key.
        """
        self.folder.mkdir(mode=0o700)
        host_key = self.new_host_key()
        (self.folder / "authorized_keys").write_text(f"{user_key} lab\n")
        (self.folder / "hosts").write_text(host_names)
        # Without PAM, sshd refuses an account whose password field begins with "!".
        write_secret(self.folder / "shadow", b"root:*:19000:0:99999:7:::\n")
        lines = _CONFIGURATION.format(
            address=ENDPOINT_CONTROL[self.name], port=SSH_PORT, inside=INSIDE
        )
        if _openssh_version() >= (9, 8):
            lines += "PerSourcePenalties no\n"
        (self.folder / "sshd_config").write_text(lines)
        return host_key

    def new_host_key(self) -> str:
        """Make a host key, in the place of the one before; for the next start of sshd."""
        # Here, as cryptography takes a while to import and few commands need a key.
        from lab.endpoints.ssh_keys import ssh_key_pair

        return ssh_key_pair(self.folder / "ssh_host_ed25519_key", self.name)

    def binds(self) -> Sequence[tuple[Path, str]]:
        """The files that the endpoint sees at another place, as (outside, inside)."""
        return (
            (self.folder, INSIDE),
            (self.folder / "hosts", "/etc/hosts"),
            (self.folder / "shadow", "/etc/shadow"),
        )

    @staticmethod
    def folders() -> Sequence[str]:
        """Empty folders that it needs; sshd and vsftpd give up their privileges in theirs."""
        return (INSIDE, "/run/sshd", EMPTY, FTP_HOME, DOCROOT)

    def sshd(self, node: Node) -> Process | None:
        """The SSH server that was started here, if it runs."""
        try:
            process = node.process(int((self.folder / "sshd.pid").read_text()))
        except (OSError, ValueError):
            return None
        if process is None:
            return None
        name = (node.proc / str(process.pid) / "comm").read_text().strip()
        return process if name == "sshd" else None

    def start_sshd(self, node: Node, before: Sequence[str] = ()) -> None:
        """Start the SSH server and wait until it listens.

        Args:
            node: the endpoint's.
            before: words that its command line begins with, such as those that take rights away.

        Raises:
            LabError: it did not.
        """
        (self.folder / "sshd.pid").unlink(missing_ok=True)
        log = self.folder / "sshd.log"
        command = [*before, program("sshd") or "sshd", "-D", "-e", "-f", f"{INSIDE}/sshd_config"]
        process = node.spawn(command, log)
        # It writes the file with its pid once it listens.
        wait_until(
            lambda: self.sshd(node) is not None or not process.alive(node.proc), _START_SECONDS
        )
        if self.sshd(node) is None:
            raise LabError(f"The SSH server of the lab's {self.name} does not start: {tail(log)}")

    def stop_sshd(self, node: Node) -> None:
        """End the SSH server; sessions that it serves go on.

        Raises:
            LabError: it did not end.
        """
        process = self.sshd(node)
        if process is None:
            return
        node.signal(process, "KILL")
        if not wait_until(lambda: not process.alive(node.proc), _START_SECONDS):
            raise LabError(f"The SSH server of the lab's {self.name} does not end.")


def _openssh_version() -> tuple[int, int]:
    """Version of the installed sshd; every release prints it on an option of no meaning."""
    done = subprocess.run(
        [program("sshd") or "sshd", "-V"], capture_output=True, text=True, check=False
    )
    found = re.search(r"OpenSSH_(\d+)\.(\d+)", done.stderr + done.stdout)
    return (int(found[1]), int(found[2])) if found else (0, 0)
