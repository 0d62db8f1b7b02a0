"""The neighbours part: hosts whose hardware address is fixed, whatever ARP says."""

from __future__ import annotations

import socket

from pyroute2 import IPRoute
from pyroute2.netlink.exceptions import NetlinkError

from lab.gateway.dataplane.errors import DataPlaneError
from lab.gateway.dataplane.intent.hosts import Neighbour
from lab.gateway.dataplane.intent.model import Intent

_PERMANENT = 0x80
"""Such an entry is nobody's but the configuration's (include/uapi/linux/neighbour.h)."""


class Neighbours:
    """Fixed entries of the kernel's ARP table."""

    share = ()

    def __init__(self) -> None:
        self._applied: set[Neighbour] | None = None

    def apply(self, intent: Intent) -> None:
        """Have these fixed entries and no others."""
        wanted = set(intent.neighbours)
        if wanted == self._applied:
            return
        self._applied = None
        try:
            with IPRoute() as ipr:
                links = {link["index"]: link.get_attr("IFLA_IFNAME") for link in ipr.get_links()}
                indices = {name: index for index, name in links.items()}
                there = set(_fixed(ipr, links))
                for one in there - wanted:
                    ipr.neigh("del", dst=one.address, ifindex=indices[one.interface])
                for one in (one for one in wanted - there if one.interface in indices):
                    ipr.neigh(
                        "replace",
                        dst=one.address,
                        lladdr=one.mac,
                        ifindex=indices[one.interface],
                        state=_PERMANENT,
                    )
        except NetlinkError as error:
            raise DataPlaneError(f"The kernel refuses an ARP entry: {error}.") from None
        self._applied = wanted

    def close(self) -> None:
        """Remove them."""
        self.apply(Intent())


def _fixed(ipr: IPRoute, links: dict[int, str]) -> list[Neighbour]:
    return [
        Neighbour(links[item["ifindex"]], item.get_attr("NDA_DST"), item.get_attr("NDA_LLADDR"))
        for item in ipr.get_neighbours(family=socket.AF_INET)
        if item["state"] & _PERMANENT
    ]
