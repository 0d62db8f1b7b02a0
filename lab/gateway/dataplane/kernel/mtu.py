"""The MTU of a port, where a fault makes it smaller."""

from __future__ import annotations

from pyroute2 import IPRoute

from lab.gateway.dataplane.intent.model import Intent

_PORT = "port1"
"""Where the lab attaches its server."""


class PortMtu:
    """The part that sets it; it is what it was once the fault is gone."""

    share = ()

    def __init__(self) -> None:
        self._before = 0

    def apply(self, intent: Intent) -> None:
        """Have the port carry what the intent says."""
        wanted = intent.session_faults.mtu or self._before
        if not wanted:
            return
        with IPRoute() as ipr:
            for link in ipr.get_links(ifname=_PORT):
                self._before = self._before or link.get_attr("IFLA_MTU")
                ipr.link("set", index=link["index"], mtu=wanted)

    def close(self) -> None:
        """Have it as it was."""
        self.apply(Intent())
