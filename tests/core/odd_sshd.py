"""A real sshd on the loopback of a network of its own, whose user has whatever shell and files."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from gatepass.base import namespace
from gatepass.base.waiting import until
from gatepass.endpoint.ssh import SshShell
from gatepass.inputs.testbed import Host

PORT, ADDRESS = 2222, "127.0.0.1"
_CONFIGURATION = """\
ListenAddress {address}
Port {port}
PidFile {folder}/sshd.pid
AuthorizedKeysFile {folder}/authorized_keys
StrictModes no
UsePAM no
UseDNS no
PrintMotd no
"""
# what sshd and the user's shell see of the machine is their own: /run, the home, the accounts
_START = """\
set -e
ip link set lo up
mount -t tmpfs tmpfs /run; mkdir /run/sshd
for file in passwd shadow; do mount --bind "$1/$file" /etc/$file; done
mount --bind "$1/home" /root
exec "$2" -D -e -f "$1/sshd_config"
"""


@dataclass(frozen=True)
class Odd:
    """What is odd about an endpoint.

    Attributes:
        settings: lines of sshd_config, which go before the usual ones.
        shell: the user's login shell.
        home: files in the user's home, by name.
        options: before the user's key in authorized_keys.
        shadow: the rest of the user's line in /etc/shadow.
        host_keys: kinds of host key that it has; the first is known.
    """

    settings: str = ""
    shell: str = "/bin/bash"
    home: Mapping[str, str] = field(default_factory=dict)
    options: str = ""
    shadow: str = "*:19000:0:99999:7:::"
    host_keys: tuple[str, ...] = ("ed25519",)


def new_key(path: Path, kind: str = "ed25519", *words: str) -> str:
    """Make a key pair; its public half in a line."""
    command = ["ssh-keygen", "-q", "-t", kind, "-f", str(path), "-N", "", "-C", "", *words]
    subprocess.run(command, check=True)
    return path.with_name(f"{path.name}.pub").read_text().strip()


@contextmanager
def endpoint(folder: Path, odd: Odd = Odd(), known: str = "{name} {key}\n") -> Iterator[SshShell]:
    """A shell of the server, from within its network.

    Args:
        folder: for all its files.
        odd: what is odd about it.
        known: the file of known hosts, with the name of the host and its key in braces.
    """
    _write(folder, odd, known)
    with (folder / "sshd.log").open("w") as log:
        # it ends with the tests, however they end
        command = ["setpriv", "--pdeathsig", "KILL", "unshare", "--net", "--mount"]
        words = ["sh", "-c", _START, "sh", str(folder), shutil.which("sshd") or "/usr/sbin/sshd"]
        server = subprocess.Popen([*command, *words], stderr=log)
    try:
        pid = folder / "sshd.pid"
        assert until(lambda: pid.exists() or server.poll() is not None, 10)
        assert server.poll() is None, (folder / "sshd.log").read_text()
        ssh = {
            "host": ADDRESS,
            "port": PORT,
            "user": "root",
            "key_file": folder / "key",
            "known_hosts_file": folder / "known_hosts",
        }
        host = Host.model_construct(ssh=Ssh(**ssh))
        with namespace.inside(f"/proc/{server.pid}/ns/net", folder):
            shell = SshShell("client", host, "odd")
            try:
                yield shell
            finally:
                shell.close()
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(10)


@dataclass(frozen=True)
class Ssh:
    """How it is reached, as a testbed has it."""

    host: str
    port: int
    user: str
    key_file: Path
    known_hosts_file: Path


def _write(folder: Path, odd: Odd, known: str) -> None:
    (folder / "home").mkdir()
    for name, text in odd.home.items():
        path = folder / "home" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    keys = {kind: new_key(folder / f"host_{kind}", kind) for kind in odd.host_keys}
    configuration = _CONFIGURATION.format(address=ADDRESS, port=PORT, folder=folder)
    configuration += "".join(f"HostKey {folder}/host_{kind}\n" for kind in keys)
    (folder / "sshd_config").write_text(f"{odd.settings}\n{configuration}")
    (folder / "passwd").write_text(f"root:x:0:0:root:/root:{odd.shell}\n{_sshd_user()}\n")
    (folder / "shadow").write_text(f"root:{odd.shadow}\n")
    options = f"{odd.options} " if odd.options else ""
    (folder / "authorized_keys").write_text(f"{options}{new_key(folder / 'key')}\n")
    name = f"[{ADDRESS}]:{PORT}"
    (folder / "known_hosts").write_text(known.format(name=name, key=keys[odd.host_keys[0]]))
    os.chmod(folder / "shadow", 0o600)


def _sshd_user() -> str:
    """The line of the account to which sshd gives up its privileges."""
    lines = Path("/etc/passwd").read_text().splitlines()
    return next(line for line in lines if line.startswith("sshd:"))
