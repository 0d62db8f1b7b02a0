"""The lab's nodes, wires and addresses. Every lab has the same: namespaces keep them apart.

All addresses are of the benchmarking ranges, 198.18.0.0/15 (RFC 2544) and 2001:2::/48 (RFC 5180).
"""

from dataclasses import dataclass, field

CONTROL = "control"
"""Where whoever tests works: the machine itself, in the lab's management network."""
NODES = (CONTROL, "client", "server", "peer", "gateway")
ENDPOINTS = ("client", "server", "peer")
"""`peer` stands for the other office of a site-to-site VPN: its gateway and its host in one."""

CONTROL_BRIDGE = "ctl"
CONTROL_ADDRESS = "198.18.0.1"
GATEWAY_ADDRESS = "198.18.0.2"
ENDPOINT_CONTROL = {"client": "198.18.0.11", "server": "198.18.0.12", "peer": "198.18.0.13"}
ENDPOINT_DATA = {"client": "198.18.1.10", "server": "198.18.2.10", "peer": "198.18.4.10"}
ENDPOINT_DATA6 = {
    "client": "2001:2:0:1::10",
    "server": "2001:2:0:2::10",
    "peer": "2001:2:0:4::10",
}
ENDPOINT_DIRECT = {"client": "198.18.3.10", "server": "198.18.3.20"}
ENDPOINT_DIRECT6 = {"client": "2001:2:0:3::10", "server": "2001:2:0:3::20"}
"""The ends of the wire beside the gateway; the other endpoints have none."""

CLIENT_PORT = "port2"
SERVER_PORT = "port1"
PEER_PORT = "port3"
SSH_PORT = 22
IPERF3_PORT = 5201

DATA_NETWORKS = ("198.18.0.0/15", "2001:2::/48")
"""What an endpoint reaches through the gateway, where no wire of its own leads there."""

_NETWORKS = (("client", CLIENT_PORT, 1), ("server", SERVER_PORT, 2), ("peer", PEER_PORT, 4))
"""Of each endpoint the gateway's port, and the third number of the addresses on that wire."""


@dataclass(frozen=True)
class Interface:
    """One end of a wire: where it is plugged in, its name there and its addresses."""

    node: str
    name: str
    addresses: tuple[str, ...] = ()


@dataclass(frozen=True)
class Wire:
    """A veth pair."""

    one: Interface
    other: Interface


@dataclass(frozen=True)
class Route:
    """A route that a node has beside those of its own interfaces."""

    node: str
    destination: str
    gateway: str


@dataclass(frozen=True)
class Topology:
    """All wires and routes of a lab; the ends in `control` without address join its bridge."""

    wires: tuple[Wire, ...]
    routes: tuple[Route, ...] = field(default=())


def topology() -> Topology:
    """The wiring that every lab has."""
    control = {
        "gateway": Interface("gateway", "mgmt", (f"{GATEWAY_ADDRESS}/24",)),
        **{
            node: Interface(node, "ctl", (f"{address}/24",))
            for node, address in ENDPOINT_CONTROL.items()
        },
    }
    wires = [Wire(Interface("control", node), end) for node, end in control.items()]
    v4, v6 = DATA_NETWORKS
    routes = []
    for node, port, net in _NETWORKS:
        addresses = (f"198.18.{net}.1/24", f"2001:2:0:{net}::1/64")
        own = (f"{ENDPOINT_DATA[node]}/24", f"{ENDPOINT_DATA6[node]}/64")
        wires.append(Wire(Interface("gateway", port, addresses), Interface(node, "data", own)))
        routes.append(Route(node, v4, f"198.18.{net}.1"))
        routes.append(Route(node, v6, f"2001:2:0:{net}::1"))
    beside = (
        Interface(node, "direct", (f"{ENDPOINT_DIRECT[node]}/24", f"{ENDPOINT_DIRECT6[node]}/64"))
        for node in ENDPOINT_DIRECT
    )
    wires.append(Wire(*beside))
    return Topology(tuple(wires), tuple(routes))


def host_names() -> str:
    """The lab's `/etc/hosts`: every node by its control address, endpoints also by the others."""
    lines = ["127.0.0.1 localhost", "::1 localhost", f"{CONTROL_ADDRESS} control"]
    lines.append(f"{GATEWAY_ADDRESS} gateway")
    for node in ENDPOINTS:
        lines.append(f"{ENDPOINT_CONTROL[node]} {node}")
        lines.append(f"{ENDPOINT_DATA[node]} {node}-data")
        lines.append(f"{ENDPOINT_DATA6[node]} {node}-data")
    lines += [f"{address} {node}-direct" for node, address in ENDPOINT_DIRECT.items()]
    return "\n".join(lines) + "\n"
