"""Where the gateway sends what is for an address, by its routing table."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gatepass.base.errors import NotProven
from gatepass.gateway.answers import Unanswered
from gatepass.gateway.fortigate import FortiGate, Refused

Row = Mapping[str, Any]
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True)
class Hop:
    """A way out of the gateway.

    Attributes:
        interface: by which it goes.
        router: the address of the next hop; empty where the host itself is on that network.
        network: that the route is for.
    """

    interface: str
    router: str
    network: Network


class RoutingTable:
    """The routes that are in use.

    Args:
        rows: as the monitors ``router/ipv4`` and ``router/ipv6`` show them.
        untold: by IP version why its routes are not known, in a sentence.
    """

    def __init__(self, rows: Iterable[Row], untold: Mapping[int, str] | None = None) -> None:
        self._hops = [hop for row in rows if (hop := _hop(row))]
        self._untold = untold or {}

    @classmethod
    def read(cls, gateway: FortiGate) -> RoutingTable:
        """Read them; a table that a model lacks is empty."""
        rows: list[Row] = []
        untold: dict[int, str] = {}
        for version in (4, 6):
            try:
                rows += gateway.monitor(f"router/ipv{version}").get("results") or []
            except Unanswered as unanswered:
                untold[version] = str(unanswered)
            except Refused as refused:
                if refused.status != 404:
                    raise
        return cls(rows, untold)

    def tells(self, version: int) -> bool:
        """Whether the routes of an IP version are known."""
        return version not in self._untold

    def routers(self, version: int) -> set[str]:
        """The addresses of all next hops.

        Raises:
            NotProven: they are not known.
        """
        return {hop.router for hop in self._of(version) if hop.router}

    def through(self, interface: str, version: int) -> list[Network]:
        """The networks that it leads to by an interface, the narrowest first.

        Raises:
            NotProven: they are not known.
        """
        found = {hop.network for hop in self._of(version) if hop.interface == interface}
        return sorted(found, key=lambda network: (-network.prefixlen, network))

    def lookup(self, address: str) -> Hop:
        """The way to an address: of all routes that hold it the narrowest.

        Raises:
            NotProven: there is none, there are several that lead to different ports, or they are
                not known.
        """
        wanted = ipaddress.ip_address(address)
        found = [hop for hop in self._of(wanted.version) if wanted in hop.network]
        narrowest = max((hop.network.prefixlen for hop in found), default=-1)
        ways = [hop for hop in found if hop.network.prefixlen == narrowest]
        if not ways:
            raise NotProven(f"the gateway has no route to {address}.")
        if len({hop.interface for hop in ways}) > 1:
            ports = " and ".join(sorted({hop.interface for hop in ways}))
            raise NotProven(
                f"the gateway has several routes to {address}, by {ports}, so the port behind "
                "which the host is cannot be determined."
            )
        return ways[0]

    def _of(self, version: int) -> list[Hop]:
        if not self.tells(version):
            raise NotProven(f"the gateway's routes are not known: {self._untold[version]}")
        return [hop for hop in self._hops if hop.network.version == version]


def _hop(row: Row) -> Hop | None:
    try:
        network = ipaddress.ip_network(str(row["ip_mask"]), strict=False)
    except (KeyError, ValueError):
        return None
    try:
        hop = ipaddress.ip_address(str(row.get("gateway") or ""))
        router = "" if hop.is_unspecified else str(hop)
    except ValueError:
        router = ""
    return Hop(str(row.get("interface") or ""), router, network)
