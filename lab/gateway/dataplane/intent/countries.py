"""The lab's geography: which of its addresses lie in which country.

There is no FortiGuard here to say where an address is, so the networks of the lab are countries.
As on the device, an override takes addresses out of their country and puts them into another.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping

from lab.gateway.dataplane.intent.ranges import EVERY_ADDRESS, NOTHING, Spans, subtract, union

OVERRIDES = "system/geoip-override"
COUNTRIES = {
    "FI": ("198.18.1.0/24", "2001:2:0:1::/64"),  # the client's network
    "SE": ("198.18.2.0/24", "2001:2:0:2::/64"),  # the server's network
    "NO": ("198.19.0.0/17",),
    "DE": ("198.19.128.0/17",),
}


class Geography:
    """Where the addresses of one IP version lie.

    Args:
        version: 4 or 6.
        overrides: rows of the table `OVERRIDES`.
    """

    def __init__(self, version: int, overrides: Iterable[Mapping] = ()) -> None:
        self._version = version
        key = "ip-range" if version == 4 else "ip6-range"
        self._overrides = {
            str(row.get("country-id", "")): union(
                tuple(int(ipaddress.ip_address(span[end])) for end in ("start-ip", "end-ip"))
                for span in row.get(key) or ()
            )
            for row in overrides
        }

    def country(self, code: str) -> Spans:
        """The addresses of a country; none for one that the lab does not have."""
        networks = (ipaddress.ip_network(text) for text in COUNTRIES.get(code.upper(), ()))
        known = union(
            (int(network[0]), int(network[-1]))
            for network in networks
            if network.version == self._version
        )
        moved = union(span for spans in self._overrides.values() for span in spans)
        left = subtract(known, moved, EVERY_ADDRESS[self._version])
        return union((*left, *self._overrides.get(code.upper(), NOTHING)))
