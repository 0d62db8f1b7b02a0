"""charon, the program that negotiates keys and, where the kernel does not, encrypts."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import vici

from lab.gateway.dataplane.errors import DataPlaneError
from lab.gateway.dataplane.programs.children import end, last_words, start

_PROGRAMS = ("/usr/lib/ipsec/charon", "/usr/libexec/ipsec/charon", "/usr/lib/strongswan/charon")
_SOCKET, _LOG, _OUTPUT = "charon.vici", "charon.log", "charon.out"
TABLE = 220
"""The routing table that it writes to."""

_START_S = 10.0
_ANSWER_S = 10.0

# OpenSSL's ciphers are the fastest by far, so it stands before those that offer the same.
_PLUGINS = (
    "random nonce openssl aes des sha1 sha2 md4 md5 hmac kdf gmp curve25519 "
    "pem pkcs1 x509 pubkey {encrypts}kernel-netlink socket-default vici "
    "eap-identity eap-mschapv2 eap-dynamic attr"
)
# Its routes go where no packet looks for one: routing is the gateway's. What is lost is sent again
# after 2 s, and an end that does not answer is given up after 12 s. Many users may come from one
# address at once, as from behind a NAT.
_CONFIGURATION = """\
charon {{
  load = {plugins}
  install_routes = no
  install_virtual_ip = no
  routing_table = {table}
  routing_table_prio = 40000
  dos_protection = no
  retransmit_timeout = 2
  retransmit_base = 1
  retransmit_tries = 5
  keep_alive = 20
  plugins {{
    vici {{
      socket = unix:///run/charon.vici
    }}
    kernel-libipsec {{
      allow_peer_ts = yes
    }}
    kernel-netlink {{
      roam_events = no
    }}
  }}
  filelog {{
    log {{
      path = /run/charon.log
      default = 0
      ike = 1
      cfg = 1
      knl = 1
      time_format = %Y-%m-%d %H:%M:%S
    }}
  }}
}}
"""


class Charon:
    """One charon for all tunnels of the gateway."""

    def __init__(self, folder: Path) -> None:
        """Args: folder: its own; it sees it as /run, where it writes the file with its pid."""
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def running(self) -> bool:
        """Whether it runs."""
        return self._process is not None and self._process.poll() is None

    def run(self, encrypts: bool) -> None:
        """Start it and wait until it answers.

        Args:
            encrypts: whether it encrypts by itself.

        Raises:
            DataPlaneError: it is not installed or does not start.
        """
        self.stop()
        program = next((path for path in _PROGRAMS if os.access(path, os.X_OK)), None)
        if program is None:
            raise DataPlaneError(
                "IPsec needs strongSwan's charon, which is missing; install the package "
                "strongswan-charon."
            )
        self._folder.mkdir(mode=0o700, exist_ok=True)
        for name in (_SOCKET, _LOG, _OUTPUT, "charon.pid"):
            (self._folder / name).unlink(missing_ok=True)
        plugins = _PLUGINS.format(encrypts="kernel-libipsec " if encrypts else "")
        configuration = self._folder / "strongswan.conf"
        configuration.write_text(_CONFIGURATION.format(plugins=plugins, table=TABLE))
        # From a copy, as Debian's AppArmor profile would not let it read this folder.
        shutil.copy(program, self._folder / "charon")
        script = 'mount --bind "$1" /run && exec /run/charon'
        self._process = start(
            ["unshare", "--mount", "sh", "-c", script, "sh", str(self._folder)],
            self._folder / _OUTPUT,
            env={**os.environ, "STRONGSWAN_CONF": "/run/strongswan.conf"},
        )
        self._wait()

    def _wait(self) -> None:
        assert self._process is not None
        until = time.monotonic() + _START_S
        while True:
            try:
                self.session().version()
                return
            except (OSError, vici.exception.SessionException):
                pass
            if self._process.poll() is not None or time.monotonic() > until:
                words = last_words(self._folder / _OUTPUT) or last_words(self._folder / _LOG)
                self.stop()
                raise DataPlaneError(f"charon does not start: {words or 'it says nothing'}")
            time.sleep(0.005)

    def session(self) -> vici.Session:
        """A new connection to it.

        Raises:
            OSError: it does not listen.
        """
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(_ANSWER_S)
        try:
            connection.connect(str(self._folder / _SOCKET))
        except OSError:
            connection.close()
            raise
        return vici.Session(connection)

    def stop(self) -> None:
        """End it; its keys are gone with it."""
        if self._process is not None:
            end(self._process)
            self._process = None
