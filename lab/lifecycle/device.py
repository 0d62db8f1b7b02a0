"""The lab's gateway as the lab sees it: a process in its node that is prepared and started."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lab.base.errors import LabError, LabMistake
from lab.base.process import Process, wait_until
from lab.base.secret import Secrets
from lab.gateway.versions import Version
from lab.lifecycle.tiers import for_tier
from lab.nodes.node import PROJECT, Node, tail
from lab.nodes.topology import GATEWAY_ADDRESS

if TYPE_CHECKING:
    from lab.base.certificates import Authority

INSIDE = "/run/gateway"
"""Where the gateway sees its part of the lab's folder; short, as a socket's path has to be."""

DEFAULT_VERSION = "7.4.8"
DELIVERED = PROJECT / "lab" / "delivered.conf"

_START_SECONDS = 40
_READY = "ready"


@dataclass(frozen=True)
class Delivery:
    """What the provider hands over.

    Args:
        version: the FortiOS version whose behaviour the gateway shows.
        delivered: a configuration script that is applied to the new gateway, or None.
        tier: the service tier whose shaper the script gets; None for the script as it is.
    """

    version: str = DEFAULT_VERSION
    delivered: Path | None = DELIVERED
    tier: str | None = None


class GatewayDevice:
    """The gateway of a lab.

    Args:
        folder: the lab's folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "gateway"
        self.control_socket = self.folder / "control.sock"
        self.log = self.folder / "log"

    def prepare(self, authority: "Authority", delivery: Delivery, host_names: str) -> Secrets:
        """Write certificates, secrets and configuration.

        Args:
            authority: the lab's certificate authority.
            delivery: what the gateway is delivered with.
            host_names: what its `/etc/hosts` says.

        Returns:
            What lets a test run in.

        Raises:
            LabMistake: the version is not known, or the configuration script cannot be read.
        """
        try:
            Version.parse(delivery.version)
        except ValueError as error:
            raise LabMistake(str(error)) from None
        tls = self.folder / "tls"
        tls.mkdir(mode=0o700, parents=True)
        authority.issue(tls, GATEWAY_ADDRESS)
        made = Secrets.new()
        made.write(self.folder)
        (self.folder / "hosts").write_text(host_names)
        if delivery.delivered is not None:
            try:
                script = delivery.delivered.read_text()
                (self.folder / "delivered.conf").write_text(for_tier(script, delivery.tier))
            except OSError as error:
                raise LabMistake(
                    f"The configuration {delivery.delivered} cannot be read "
                    f"({error.strerror}); name a FortiOS configuration script with --delivered."
                ) from None
        return made

    def binds(self) -> Sequence[tuple[Path, str]]:
        """The files that the gateway sees at another place, as (outside, inside)."""
        return ((self.folder, INSIDE), (self.folder / "hosts", "/etc/hosts"))

    @staticmethod
    def folders() -> Sequence[str]:
        """Empty folders that it needs."""
        return (INSIDE,)

    def start(self, node: Node, serial: str, version: str) -> Process:
        """Start the gateway's process; `wait_until_ready` says when it serves.

        Args:
            node: the node it runs in.
            serial: its serial number.
            version: the FortiOS version whose behaviour it shows.
        """
        self.log.touch(mode=0o600)
        command = [
            *(sys.executable, "-m", "lab.gateway", "--folder", INSIDE),
            *("--address", GATEWAY_ADDRESS, "--port", "443"),
            *("--serial", serial, "--version", version),
        ]
        if (self.folder / "delivered.conf").exists():
            command += ["--delivered", f"{INSIDE}/delivered.conf"]
        return node.spawn(command, self.log, str(PROJECT))

    def wait_until_ready(self, node: Node, process: Process) -> None:
        """Wait until the gateway answers and its data plane is in force.

        Raises:
            LabError: it ended, or it took too long; with the end of its log.
        """

        def decided() -> bool:
            return self._ready() or not process.alive(node.proc)

        if not wait_until(decided, _START_SECONDS, pause=0.02):
            raise LabError(
                f"The lab's gateway was not ready within {_START_SECONDS} s: "
                f"{tail(self.log) or 'it printed nothing'}"
            )
        if not self._ready():
            raise LabError(f"The lab's gateway ended at its start: {tail(self.log)}")

    def _ready(self) -> bool:
        return _READY in self.log.read_text(errors="replace").splitlines()
