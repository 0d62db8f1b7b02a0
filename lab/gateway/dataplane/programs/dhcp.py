"""The DHCP part: a dnsmasq for each interface that is served. They end with this process."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from lab.gateway.dataplane.errors import DataPlaneError
from lab.gateway.dataplane.intent.dhcp import DhcpServer
from lab.gateway.dataplane.intent.model import Intent
from lab.gateway.dataplane.programs.children import end, last_words, start
from lab.gateway.dataplane.programs.dnsmasq import (
    LEASES,
    PID,
    Lease,
    dnsmasq_configuration,
    leases_in,
)

_START_S = 10.0


class DhcpServers:
    """Runs them by what the intent says; an interface that is served no more forgets its leases."""

    share = ("dhcp",)

    def __init__(self, folder: Path) -> None:
        """Args: folder: the gateway's own folder."""
        self._folder = folder / "dhcp"
        self._running: dict[str, _Dnsmasq] = {}

    def apply(self, intent: Intent) -> None:
        """Have one run for each server of the intent; those that nothing changed for go on."""
        wanted = {server.interface: server for server in intent.dhcp}
        for name in self._running.keys() - wanted.keys():
            self._running.pop(name).forget()
        for name, server in wanted.items():
            if name not in self._running:
                self._running[name] = _Dnsmasq(self._folder / name)
            self._running[name].run(server)

    def leases(self) -> list[Lease]:
        """The addresses that hosts have at the moment."""
        return [lease for one in self._running.values() for lease in one.leases()]

    def close(self) -> None:
        """End them."""
        self.apply(Intent())


class _Dnsmasq:
    """One dnsmasq, with a folder of its own. Leases outlive a change of its configuration."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._told: DhcpServer | None = None

    def run(self, server: DhcpServer) -> None:
        """Have it serve like this; it takes no new configuration while it runs.

        Raises:
            DataPlaneError: it does not start.
        """
        running = self._process is not None and self._process.poll() is None
        if running and server == self._told:
            return
        self._stop()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (self._folder / PID).unlink(missing_ok=True)
        configuration = self._folder / "dnsmasq.conf"
        configuration.write_text(dnsmasq_configuration(server, self._folder))
        self._process = start(
            ["dnsmasq", "--keep-in-foreground", f"--conf-file={configuration}"],
            self._folder / "dnsmasq.log",
        )
        self._wait(server)
        self._told = server

    def _wait(self, server: DhcpServer) -> None:
        """Wait until it listens: it tells its process number after that."""
        assert self._process is not None
        until = time.monotonic() + _START_S
        while not (self._folder / PID).exists():
            if self._process.poll() is not None or time.monotonic() > until:
                words = last_words(self._folder / "dnsmasq.log")
                self._stop()
                raise DataPlaneError(
                    f"The DHCP server on {server.interface} does not start: {words}"
                )
            time.sleep(0.002)

    def leases(self) -> list[Lease]:
        """Those that it keeps and that are not over."""
        try:
            text = (self._folder / LEASES).read_text()
        except OSError:
            return []
        now = time.time()
        return [one for one in leases_in(text, self._folder.name) if one.expires > now]

    def _stop(self) -> None:
        if self._process is not None:
            end(self._process)
            self._process = None
        self._told = None

    def forget(self) -> None:
        """End it, and its leases with it."""
        self._stop()
        (self._folder / LEASES).unlink(missing_ok=True)
