"""Behind which port of the gateway the two ends of a flow stand, and which endpoint is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gatepass.base.errors import NotProven
from gatepass.gateway.routing import RoutingTable
from gatepass.inputs.flows import Flow
from gatepass.scenarios.leaks.ways import Side


@dataclass(frozen=True)
class Place:
    """Where an address is.

    Attributes:
        side: the endpoint that stands in for it.
        address: of the host.
        router: the next hop from the gateway to it; empty where it is on the gateway's network.
    """

    side: Side
    address: str
    router: str


@dataclass(frozen=True)
class Placed:
    """A flow whose two ends an endpoint can stand in for.

    Attributes:
        number: of the flow in the order, from 0 on.
        flow: itself.
        source, target: its ends; the target's is where it arrives.
    """

    number: int
    flow: Flow
    source: Place
    target: Place

    @property
    def places(self) -> tuple[Place, Place]:
        """Both ends."""
        return self.source, self.target


class Places:
    """Finds them.

    Args:
        sides: the gateway's ports that an endpoint stands behind.
        routes: the gateway's.
        own: the gateway's own addresses.
    """

    def __init__(self, sides: Sequence[Side], routes: RoutingTable, own: frozenset[str]) -> None:
        self._sides = {side.port: side for side in sides}
        self._routes = routes
        self._own = own

    def of(self, number: int, flow: Flow) -> Placed:
        """Both ends of a flow.

        Raises:
            NotProven: no endpoint can stand in for one of them.
        """
        at = str(flow.at[0])
        if at in self._own:
            raise NotProven(
                f"{at} is the gateway's own address. Of a published server, name where it arrives "
                "(seen_at); what the gateway itself answers is seen by the scan for leaks."
            )
        source, target = self._place(flow.source, flow.version), self._place(at, flow.version)
        if source.side is target.side:
            raise NotProven(
                f"{flow.source} and {at} are both behind the gateway's port {source.side.port}, "
                "where one endpoint stands: nothing of it would have to pass the gateway."
            )
        return Placed(number, flow, source, target)

    def _place(self, address: str, version: int) -> Place:
        hop = self._routes.lookup(address)
        side = self._sides.get(hop.interface)
        if side is None:
            raise NotProven(
                f"the gateway reaches {address} by its port {hop.interface}, behind which the "
                "testbed names no endpoint."
            )
        if version not in side.links:
            raise NotProven(f"the testbed names no IPv{version} address of the {side.name}.")
        link = side.links[version]
        if address in {text.partition("/")[0] for text in link.networks}:
            raise NotProven(
                f"{address} is the {side.name}'s own address on the testbed. Name another of that "
                "network, which it can stand in for."
            )
        return Place(side, address, hop.router)
