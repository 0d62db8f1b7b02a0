"""The web proxy part: squid, run while the explicit web proxy is on. It ends with this process."""

from __future__ import annotations

import ipaddress
import secrets
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

from lab.gateway.dataplane.errors import DataPlaneError
from lab.gateway.dataplane.intent.model import Intent
from lab.gateway.dataplane.intent.proxy import ProxyListener
from lab.gateway.dataplane.kernel.commands import KernelSettings
from lab.gateway.dataplane.programs.children import end, last_words, start
from lab.gateway.dataplane.programs.squid import MIXER, MIXER_FILE, squid_configuration

_CONFIGURATION = "squid.conf"
_START_S = 10.0
_LISTENS = "0A"
_COMPLAINTS = ("FATAL", "Cannot bind", "Bungled")
_SHARED_MEMORY = Path("/dev/shm")

# squid would give up root by itself, and by that would be forgotten as what ends with its parent:
# the kernel clears that wish when a process changes its user. So it begins as this user.
_USER = "proxy"
_SETTINGS = {
    "ipv4/ip_unprivileged_port_start": "0",
    # A port whose cable is missing is no reason for the others to have no proxy.
    "ipv4/ip_nonlocal_bind": "1",
    "ipv6/ip_nonlocal_bind": "1",
}

Sockets = dict[tuple[str, int], str]
"""(address, port) -> inode of the socket that listens there."""


class WebProxy:
    """Runs squid by what the intent says."""

    share = ("proxy",)

    def __init__(self, folder: Path) -> None:
        """Args: folder: the gateway's own folder."""
        self._folder = folder / "proxy"
        self._settings = KernelSettings()
        self._process: subprocess.Popen[bytes] | None = None
        self._told = ""

    def apply(self, intent: Intent) -> None:
        """Have it run as the intent says, or not at all.

        A change is told to the squid that runs: connections and what is under way on them stay,
        and for some 20 ms new connections are refused.
        """
        proxy = intent.proxy
        if not proxy.listeners:
            self.close()
            return
        wanted = squid_configuration(proxy)
        running = self._process is not None and self._process.poll() is None
        if running and wanted == self._told:
            return
        before: Sockets = {}
        self._told = ""
        if running:
            before = self._sockets()
            self._configuration.write_text(wanted)
            assert self._process is not None
            self._process.send_signal(signal.SIGHUP)
        else:
            self.close()
            self._settings.set(_SETTINGS)
            self._start(wanted)
        self._wait(proxy.listeners, before)
        self._told = wanted

    @property
    def _configuration(self) -> Path:
        return self._folder / _CONFIGURATION

    def _start(self, configuration: str) -> None:
        self._folder.mkdir(mode=0o700, exist_ok=True)
        try:
            shutil.chown(self._folder, _USER, _USER)
        except LookupError:
            raise DataPlaneError(f"The web proxy needs the user {_USER}, as Debian has.") from None
        for name in ("cache.log", "squid.out"):
            (self._folder / name).unlink(missing_ok=True)
        self._configuration.write_text(configuration)
        (self._folder / MIXER_FILE).write_text(MIXER)
        # The names are relative, as that user may not enter the folders above this one.
        name = f"gp{secrets.token_hex(8)}"
        self._process = start(
            ["squid", "-N", "-n", name, "-f", _CONFIGURATION],
            self._folder / "squid.out",
            user=_USER,
            group=_USER,
            extra_groups=[],
            cwd=self._folder,
        )
        self._shared_memory = name

    def _wait(self, listeners: tuple[ProxyListener, ...], before: Sockets) -> None:
        """Wait until it listens by its new configuration, with new sockets.

        squid opens them as the last thing it does when it takes a configuration.
        """
        assert self._process is not None
        wanted = {(listener.address, listener.port) for listener in listeners}
        old = set(before.values())
        until = time.monotonic() + _START_S
        while True:
            now = self._sockets()
            if wanted <= {at for at, inode in now.items() if inode not in old}:
                break
            if self._process.poll() is not None or time.monotonic() > until:
                words = self._complaint()
                self.close()
                raise DataPlaneError(f"The web proxy does not start: {words}")
            time.sleep(0.005)
        # squid has these mapped and never looks for them again: so nothing is left of them,
        # however it ends.
        for path in _SHARED_MEMORY.glob(f"{self._shared_memory}-*"):
            path.unlink(missing_ok=True)

    def _complaint(self) -> str:
        """Why it does not start, by its own words."""
        log = self._folder / "cache.log"
        lines = log.read_text(errors="replace").splitlines() if log.exists() else []
        found = [line for line in lines if any(word in line for word in _COMPLAINTS)]
        return found[-1].partition("| ")[2] if found else last_words(self._folder / "squid.out")

    def _sockets(self) -> Sockets:
        assert self._process is not None
        found: Sockets = {}
        for table in ("tcp", "tcp6"):
            try:
                lines = Path(f"/proc/{self._process.pid}/net/{table}").read_text().splitlines()[1:]
            except OSError:  # it has ended
                continue
            for line in lines:
                fields = line.split()
                if fields[3] == _LISTENS:
                    address, port = fields[1].split(":")
                    found[(_address(address), int(port, 16))] = fields[9]
        return found

    def close(self) -> None:
        """End it, and put the settings back."""
        if self._process is not None:
            end(self._process)
            self._process = None
        self._told = ""
        self._settings.restore()


def _address(text: str) -> str:
    """An address of the kernel's tables: 32-bit words in this machine's order."""
    words = [text[at : at + 8] for at in range(0, len(text), 8)]
    packed = b"".join(socket.htonl(int(word, 16)).to_bytes(4) for word in words)
    return str(ipaddress.ip_address(packed))
