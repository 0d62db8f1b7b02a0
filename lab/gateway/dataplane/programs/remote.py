"""The SSL VPN's parts: its device and server, and the sets of its users' addresses."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyroute2 import IPRoute
from pyroute2.netlink.exceptions import NetlinkError

from lab.gateway.dataplane.errors import DataPlaneError
from lab.gateway.dataplane.intent.model import Intent, sets_of
from lab.gateway.dataplane.intent.remote import SSL_ROOT
from lab.gateway.dataplane.nft import nft
from lab.gateway.dataplane.programs.children import Worker
from lab.sslvpn import tun
from lab.sslvpn.plan import ServerPlan, as_message

# Room for the bursts that reach the device while the server is busy with a user.
_QUEUE_PACKETS = 4000
_EMPTY: Mapping[str, Any] = {
    "sessions": [],
    "connections": 0,
    "most": {"users": 0, "tunnels": 0, "connections": 0},
}


class RemoteAccess:
    """Runs the server of the SSL VPN while there is an address that it answers on."""

    share = ("remote_access",)

    def __init__(self, folder: Path) -> None:
        """Args: folder: the gateway's own folder."""
        command = [sys.executable, "-m", "lab.sslvpn", "--tun", SSL_ROOT]
        command += ["--table", nft.FAMILY_AND_TABLE]
        self._worker = Worker("The SSL VPN's server", command, folder / "sslvpn.log")
        self._has_device = False
        self._plan = ServerPlan()
        self._sets: dict[str, tuple[str, str]] | None = None

    def apply(self, intent: Intent) -> None:
        """Have it serve by the intent, or not at all; sessions that nothing changed for stay."""
        plan = intent.remote_access
        if not plan.listeners or not plan.runs:
            self.close()
            return
        if not self._worker.running:
            self._begin()
        if plan != self._plan:
            self._plan = ServerPlan()
            self._ask({"plan": as_message(plan)})
            self._plan = plan

    def _begin(self) -> None:
        try:
            _make_device()
        except OSError as error:
            raise DataPlaneError(
                f"The SSL VPN's device cannot be made ({error.strerror}); "
                f"the kernel needs TUN and the lab /dev/net/tun."
            ) from None
        except NetlinkError as error:
            raise DataPlaneError(f"The SSL VPN's device cannot be set up: {error}.") from None
        self._has_device = True
        self._plan, self._sets = ServerPlan(), None
        self._worker.start()

    def _ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        answer = json.loads(self._worker.ask(json.dumps(question).encode() + b"\n"))
        if "error" in answer:
            raise DataPlaneError(f"The SSL VPN's server refuses: {answer['error']}.")
        return answer

    def fill(self, sets: dict[str, tuple[str, str]]) -> None:
        """Have the sets of addresses filled, now that they are there."""
        if self._worker.running and sets != self._sets:
            self._ask({"sets": sets})
            self._sets = sets

    def shown(self) -> Mapping[str, Any]:
        """The sessions, as `Server.shown` has them."""
        return self._ask({"show": True}) if self._worker.running else _EMPTY

    def end(self, index: int | None) -> bool:
        """End the session or tunnel of a number, or all; False where there is none."""
        return self._worker.running and bool(self._ask({"end": index})["ended"])

    def close(self) -> None:
        """End the server and take the device away; all sessions end."""
        self._worker.stop()
        self._plan, self._sets = ServerPlan(), None
        if self._has_device:
            tun.remove(SSL_ROOT)
            self._has_device = False


class Members:
    """Has the sets filled after the firewall has made them."""

    share = ()

    def __init__(self, remote: RemoteAccess) -> None:
        self._remote = remote

    def apply(self, intent: Intent) -> None:
        """Name the sets to the server."""
        self._remote.fill(sets_of(intent))

    def close(self) -> None:
        """Nothing of this is in force by itself."""


def _make_device() -> None:
    tun.make(SSL_ROOT)
    with IPRoute() as ipr:
        index = ipr.link_lookup(ifname=SSL_ROOT)[0]
        ipr.link("set", index=index, mtu=tun.MTU, txqlen=_QUEUE_PACKETS, state="up")
