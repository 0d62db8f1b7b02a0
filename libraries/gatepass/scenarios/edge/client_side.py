"""Behind the client's port: who stands there, which addresses are free, and which do not belong."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from gatepass.base.errors import NotProven
from gatepass.endpoint.forged import free_addresses
from gatepass.endpoint.shell import Shell
from gatepass.gateway.fortigate import FortiGate
from gatepass.gateway.host_filters import INTERFACE
from gatepass.gateway.routing import Network, RoutingTable
from gatepass.inputs.testbed import Testbed
from gatepass.scenarios.leaks.ways import Link, addresses_of, links_of

WANTED = 2
"""Free addresses."""
_CANDIDATES = 16
_DOCUMENTATION = ipaddress.ip_network("203.0.113.0/24")
"""That no host has (RFC 5737), where no route leads by the server's port but one to everything."""
_BOGUS = tuple(map(ipaddress.ip_network, ("192.0.2.0/24", "100.64.0.0/10")))
"""Sources that no network has, or none that is the customer's own (RFC 5737, RFC 6598)."""


class ClientSide:
    """Where the client stands, and the server for it. All of it is found out once, when needed.

    Args:
        gateway: the device.
        testbed: that names endpoints and ports.
        client, server: the endpoints.

    Attributes:
        port: the gateway's interface on the client's side.
        client, server: see above.
        address, far_address: of client and server.
        probe_port: of the server.

    Raises (all that is found out):
        NotProven: it cannot be, or is not as it has to be.
    """

    def __init__(
        self, gateway: FortiGate, testbed: Testbed, client: Shell, server: Shell
    ) -> None:
        self._gateway = gateway
        self.client, self.server = client, server
        self.port = testbed.gateway.client_port
        self._server_port = testbed.gateway.server_port
        self.address = testbed.endpoints.client.address
        self.far_address = testbed.endpoints.server.address
        self.probe_port = testbed.endpoints.server.probe_port

    @cached_property
    def link(self) -> Link:
        """The client's way to the server, whose next hop is the gateway itself."""
        link = links_of(self.client, [self.far_address])[self.far_address]
        if link.hop not in self._own:
            raise NotProven(
                f"the client reaches {self.far_address} by {link.hop}, which is not the gateway's "
                f"port {self.port}: behind a router all hosts have the router's hardware address. "
                "Connect the client to that port without a router."
            )
        return link

    @cached_property
    def link_back(self) -> Link:
        """The server's way to the client."""
        return links_of(self.server, [self.address])[self.address]

    @cached_property
    def free(self) -> list[str]:
        """Addresses of the client's network that nobody has, `WANTED` or more."""
        network = self.link.network(self.address)
        candidates = last_hosts(network, {self.address, *self._own})
        found = free_addresses(self.client, self.link.interface, candidates) if candidates else []
        if len(found) < WANTED:
            raise NotProven(
                f"of the last {len(candidates)} addresses of {network} {len(found)} are free, and "
                f"{WANTED} are needed for hosts that pretend to be others."
            )
        return found

    @cached_property
    def foreign(self) -> list[str]:
        """Addresses that the gateway has no route to by the client's port.

        One of the server's network, one behind it, and some that no host has.
        """
        routes = RoutingTable.read(self._gateway)
        far = self.link_back.network(self.far_address)
        routed = routes.through(self._server_port, 4)
        beyond = [*(one for one in routed if not one.overlaps(far)), _DOCUMENTATION]
        used = {text for row in self._interfaces.values() for text in addresses_of(row)[4]}
        here = routes.through(self.port, 4)
        found = []
        for networks in ([far], beyond, *([one] for one in _BOGUS)):
            hosts = (_first_host(network, {self.far_address, *used}) for network in networks)
            new = (text for text in hosts if text and text not in found)
            found += [text for text in new if not _within(text, here)][:1]
        if not found:
            raise NotProven(
                f"the gateway has a route by its port {self.port} to every address behind its "
                "other ports, so none of them would be borrowed there. Connect the client to a "
                "port that no default route leads out of."
            )
        return found

    @cached_property
    def _interfaces(self) -> dict[str, Mapping[str, Any]]:
        return {str(row.get("name")): row for row in self._gateway.rows(INTERFACE)}

    @property
    def _own(self) -> list[str]:
        """The gateway's addresses on that port."""
        return addresses_of(self._interfaces.get(self.port, {}))[4]


def last_hosts(network: Network, without: set[str]) -> list[str]:
    """The last addresses of a network that a host can have, the very last one first."""
    last = int(network.broadcast_address) - 1
    first = max(last - _CANDIDATES - len(without), int(network.network_address) + 1)
    found = (str(ipaddress.ip_address(number)) for number in range(last, first - 1, -1))
    return [text for text in found if text not in without][:_CANDIDATES]


def _first_host(network: Network, without: set[str]) -> str:
    """The first address of a network that a host can have; empty where it has none."""
    for number in range(1, min(network.num_addresses - 1, len(without) + 2)):
        if (text := str(network.network_address + number)) not in without:
            return text
    return ""


def _within(text: str, networks: Sequence[Network]) -> bool:
    return any(ipaddress.ip_address(text) in network for network in networks)
