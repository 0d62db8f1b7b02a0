"""The inspection part: the inspector, its virus scanner, and the routes to its sockets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyroute2 import IPRoute
from pyroute2.netlink.exceptions import NetlinkError

from lab.gateway.dataplane.errors import DataPlaneError
from lab.gateway.dataplane.intent.model import Intent
from lab.gateway.dataplane.kernel.commands import KernelSettings
from lab.gateway.dataplane.programs.children import ClamdProcess, Hogs, InspectorProcess
from lab.inspector.marks import CLIENT_LEG, KIND, slots

_TABLE = 4750
_MAIN, _RTN_LOCAL, _SCOPE_HOST = 254, 2, 254
_OWN_PREFERENCE, _DIVERT_PREFERENCE = 90, 91

_SETTINGS = {
    # A socket that takes in a session tells by its mark which policy let it in.
    "ipv4/tcp_fwmark_accept": "1",
    # Second halves have the client's address. They take their ports below those that a client of
    # the lab chooses from, as the session table could not tell two halves with one port apart.
    "ipv4/ip_local_port_range": "1024 10239",
    "ipv4/tcp_tw_reuse": "1",
    # The kernel drops what it is about to forward if it has found a socket for it early: that of
    # an inspected session which is over, once the client takes its port for one that is not.
    "ipv4/ip_early_demux": "0",
}


class Inspection:
    """Runs the inspector while a policy is inspected, and tells it the plan.

    Attributes:
        ports: where it listens, for IPv4 and IPv6.
    """

    share = ()

    def __init__(self, folder: Path) -> None:
        self._settings = KernelSettings()
        self._clamd = ClamdProcess(folder / "clamd")
        self._inspector = InspectorProcess(self._clamd.socket, folder / "security.jsonl")
        self._hogs = Hogs(folder / "hogs.log")
        self._prepared = False
        self.ports = (1, 1)

    def apply(self, intent: Intent) -> None:
        """Start what is needed, and tell the inspector what each policy has inspected."""
        self._take_processors(intent.inspector.busy)
        inspecting = intent.inspecting
        if inspecting and not self._prepared:
            self._settings.set(_SETTINGS)
            _divert("add")
            self._prepared = True
        if not intent.inspector.runs:
            self._inspector.stop()
            self._clamd.stop()
            return
        if inspecting:
            if any("antivirus" in found.profiles for found in inspecting.values()):
                self._clamd.run(signatures=intent.inspector.signatures)
            self.ports = self._inspector.run()
        if self._inspector.running:
            self._inspector.tell(_plan(intent))

    def _take_processors(self, taken: bool) -> None:
        if taken:
            self._hogs.run()
        else:
            self._hogs.stop()

    def close(self) -> None:
        """End the processes, remove routes and settings."""
        self._hogs.stop()
        self._inspector.stop()
        self._clamd.stop()
        if self._prepared:
            _divert("del")
            self._settings.restore()
            self._prepared = False


def _plan(intent: Intent) -> dict[str, Any]:
    inspecting, how = intent.inspecting, intent.inspector
    nat = {policy.id for policy in intent.in_force if policy.nat}
    return {
        "policies": {
            slot: inspecting[number].as_policy(number, number in nat)
            for number, slot in slots(list(inspecting)).items()
        },
        "log": how.logs,
        "altered": how.alters,
        "mbps": how.mbps,
        "object_ms": how.object_ms,
        "block_all": how.blocks_all,
    }


def _divert(command: str) -> None:
    """Add or remove what leads marked packets from outside to sockets of this machine."""
    own = {"priority": _OWN_PREFERENCE, "iifname": "lo", "table": _MAIN}
    divert = {
        "priority": _DIVERT_PREFERENCE,
        "fwmark": CLIENT_LEG,
        "fwmask": KIND,
        "table": _TABLE,
    }
    try:
        with IPRoute() as ipr:
            loopback = ipr.link_lookup(ifname="lo")[0]
            ipr.link("set", index=loopback, state="up")
            for family, everything in ((2, "0.0.0.0/0"), (10, "::/0")):
                if command == "add":
                    _remove_left(ipr, family)
                for rule in (own, divert):
                    ipr.rule(command, family=family, **rule)
                verb = "replace" if command == "add" else "del"
                ipr.route(
                    verb,
                    family=family,
                    dst=everything,
                    oif=loopback,
                    table=_TABLE,
                    type=_RTN_LOCAL,
                    scope=_SCOPE_HOST if family == 2 else 0,
                )
    except NetlinkError as error:
        raise DataPlaneError(f"The kernel refuses a rule of routing: {error}.") from None


def _remove_left(ipr: IPRoute, family: int) -> None:
    """Remove the rules that an earlier process of this gateway left."""
    for rule in ipr.get_rules(family=family):
        preference = rule.get_attr("FRA_PRIORITY")
        if preference in (_OWN_PREFERENCE, _DIVERT_PREFERENCE):
            ipr.rule("del", family=family, priority=preference)
