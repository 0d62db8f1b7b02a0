"""The lab's geography: which of its addresses lie in which country.

There is no FortiGuard here to say where an address is, so the networks of the lab are countries.
"""

from __future__ import annotations

import ipaddress

from .ranges import NOTHING, Spans, union

COUNTRIES = {
    "FI": ("198.18.1.0/24", "2001:2:0:1::/64"),  # the client's network
    "SE": ("198.18.2.0/24", "2001:2:0:2::/64"),  # the server's network
    "NO": ("198.19.0.0/17",),
    "DE": ("198.19.128.0/17",),
}


def country(code: str, version: int) -> Spans:
    """The addresses of a country; none for one that the lab does not have."""
    networks = (ipaddress.ip_network(text) for text in COUNTRIES.get(code.upper(), ()))
    found = [network for network in networks if network.version == version]
    if not found:
        return NOTHING
    return union((int(network[0]), int(network[-1])) for network in found)
