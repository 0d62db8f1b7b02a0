"""Interfaces that are no wire: each a bridge without members, which every kernel at hand has."""

from __future__ import annotations

from pyroute2 import IPRoute
from pyroute2.netlink.exceptions import NetlinkError

from lab.gateway.dataplane.errors import DataPlaneError
from lab.gateway.dataplane.intent.model import Intent


class Loopbacks:
    """Makes and removes them; their addresses come with those of all interfaces."""

    share = ()

    def __init__(self) -> None:
        self._made: set[str] = set()

    def apply(self, intent: Intent) -> None:
        """Have the loopback interfaces and VLANs of the intent, and no other."""
        wanted = {port.name for port in intent.ports if port.lonely}
        if wanted == self._made:
            return
        try:
            with IPRoute() as ipr:
                for name in self._made - wanted:
                    _remove(ipr, name)
                for name in wanted - self._made:
                    _remove(ipr, name)  # of an earlier process of this gateway
                    ipr.link("add", ifname=name, kind="bridge")
        except NetlinkError as error:
            self._made = set()
            raise DataPlaneError(f"The kernel refuses a loopback or VLAN: {error}.") from None
        self._made = wanted

    def close(self) -> None:
        """Remove them."""
        self.apply(Intent())


def _remove(ipr: IPRoute, name: str) -> None:
    for index in ipr.link_lookup(ifname=name):
        ipr.link("del", index=index)
