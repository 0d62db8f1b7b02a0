"""The ways through the gateway: from each port to each other one, over IPv4 and over IPv6."""

from __future__ import annotations

import ipaddress
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

from gatepass.base.errors import NotProven
from gatepass.endpoint.answers import (
    Address,
    Interface,
    Mac,
    Nothing,
    OwnAddress,
    of_json,
    words_of,
)
from gatepass.endpoint.probe import run_script
from gatepass.endpoint.shell import Shell
from gatepass.inputs.testbed import Host, Testbed

INTERFACES = "system/interface"

@dataclass(frozen=True)
class Link:
    """How an endpoint reaches an address.

    Attributes:
        interface: its name on the endpoint.
        mac: its hardware address.
        hop: the address of the next hop.
        hop_mac: the hardware address of the next hop.
        networks: the interface's own addresses with their prefix lengths.
    """

    interface: Interface | Nothing
    mac: Mac | Nothing
    hop: Address
    hop_mac: Mac | Nothing
    networks: tuple[OwnAddress, ...]

    def network(self, address: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
        """The network of one of its addresses; of that address alone where it has none."""
        found = (ipaddress.ip_interface(text) for text in self.networks)
        wanted = ipaddress.ip_address(address)
        return next(
            (one.network for one in found if one.ip == wanted), ipaddress.ip_network(address)
        )


@dataclass(frozen=True)
class Side:
    """One port of the gateway, and the endpoint behind it.

    Attributes:
        name: of the endpoint.
        port: the gateway's interface.
        addresses: the endpoint's, by IP version.
        links: its way to the gateway, by IP version.
        gateway: the gateway's own addresses on this port, by IP version.
    """

    name: str
    port: str
    addresses: Mapping[int, str]
    links: Mapping[int, Link]
    gateway: Mapping[int, str]

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass(frozen=True)
class Way:
    """From behind one port to behind another, over one IP version."""

    source: Side
    target: Side
    version: int

    def __str__(self) -> str:
        return f"{self.source.name} to {self.target.name} over IPv{self.version}"

    @property
    def link(self) -> Link:
        """The sender's."""
        return self.source.links[self.version]

    @property
    def ends(self) -> tuple[str, str]:
        """The addresses of sender and receiver."""
        return self.source.addresses[self.version], self.target.addresses[self.version]

    @property
    def near(self) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
        """The sender's network."""
        return self.link.network(self.ends[0])

    @property
    def far(self) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
        """The receiver's network."""
        return self.target.links[self.version].network(self.ends[1])


def ways_between(sides: Sequence[Side]) -> list[Way]:
    """Every way between two of them, over every IP version that both have."""
    return [
        Way(source, target, version)
        for version in (4, 6)
        for source, target in permutations(sides, 2)
        if version in source.addresses and version in target.addresses
    ]


def links_of(shell: Shell, addresses: Sequence[str]) -> dict[str, Link]:
    """How an endpoint reaches each of these addresses.

    Raises:
        NotProven: it does not, or not over Ethernet.
    """
    done = run_script(shell, "link.py", addresses, timeout_s=30)
    try:
        told = of_json(dict[str, Link], done.output)
        found = {address: told[address] for address in addresses}
    except (ValueError, KeyError):
        words = words_of(done)
        raise NotProven(f"the {shell.name} does not list its network interfaces: {words}") from None
    for address, link in found.items():
        if not (link.mac and link.hop_mac):
            missing = "no Ethernet interface" if not link.mac else f"no neighbour at {link.hop}"
            raise NotProven(
                f"the {shell.name} has {missing} on its way to {address}, so crafted packets "
                "cannot be sent there. Connect it to the gateway by Ethernet, with no tunnel "
                "between."
            )
    return found


def addresses_of(row: Mapping) -> dict[int, list[str]]:
    """The gateway's own addresses on an interface, by IP version.

    Args:
        row: of ``system/interface``.
    """
    ipv6 = row.get("ipv6") or {}
    texts = [str(row.get("ip") or "").split(" ")[0]]
    texts += [str(one.get("ip") or "").split(" ")[0] for one in row.get("secondaryip") or ()]
    texts += [str(ipv6.get("ip6-address") or "").partition("/")[0]]
    found: dict[int, list[str]] = {4: [], 6: []}
    for text in texts:
        try:
            address = ipaddress.ip_address(text)
        except ValueError:
            continue
        if not address.is_unspecified:
            found[address.version].append(str(address))
    return found


def _side_of(
    shell: Shell, port: str, addresses: Mapping[int, str], others: Mapping[int, str], row: Mapping
) -> Side:
    """A port of the gateway with the endpoint behind it.

    Args:
        shell: the endpoint.
        port: the gateway's interface.
        addresses: the endpoint's, by IP version.
        others: an address behind another port, by IP version.
        row: of ``system/interface``, the port's.

    Raises:
        NotProven: the endpoint reaches the others in another way than by this port.
    """
    links = links_of(shell, list(others.values()))
    own = addresses_of(row)
    for version, address in others.items():
        link = links[address]
        if not own[version]:
            raise NotProven(f"the gateway has no IPv{version} address on its port {port}.")
        # the next hop of IPv6 is often the port's link-local address, which the API does not tell
        local = ipaddress.ip_address(link.hop).is_link_local
        if link.hop not in own[version] and not local:
            raise NotProven(
                f"the {shell.name} reaches {address} by {link.hop}, which is not the gateway's "
                f"port {port} ({', '.join(own[version])}): what a router between them drops could "
                "not be distinguished from what the gateway drops. Connect it to that port "
                "without a router."
            )
    return Side(
        shell.name,
        port,
        {version: addresses[version] for version in others},
        {version: links[address] for version, address in others.items()},
        {version: own[version][0] for version in others},
    )


def sides_of(
    testbed: Testbed, shells: Mapping[str, Shell], rows: Mapping[str, Mapping]
) -> list[Side]:
    """The gateway's ports that an endpoint stands behind.

    Args:
        testbed: that names them.
        shells: the endpoints by name; those that are left out do not count.
        rows: of ``system/interface``, by name.

    Raises:
        NotProven: an endpoint is not connected to its port, or by a router.
    """
    ports, by_port, sides = _ports(testbed), set(), []
    for name in (name for name in testbed.endpoints.named if name in shells):
        if ports[name] in by_port:  # two endpoints behind one port: no packet between them passes
            continue
        by_port.add(ports[name])
        sides.append(side_of(testbed, shells[name], rows, shells))
    return sides


def side_of(
    testbed: Testbed, shell: Shell, rows: Mapping[str, Mapping], among: Container[str]
) -> Side:
    """The gateway's port that one endpoint stands behind.

    Args:
        testbed: that names it.
        shell: the endpoint.
        rows: of ``system/interface``, by name.
        among: the endpoints that count, by name.

    Raises:
        NotProven: it is not connected to its port, or by a router.
    """
    ports, hosts = _ports(testbed), testbed.endpoints.named
    port, host = ports[shell.name], hosts[shell.name]
    others = [other for one, other in hosts.items() if one in among and ports[one] != port]
    if port not in rows:
        raise NotProven(f"the gateway has no port {port}; check the ports in the testbed file.")
    return _side_of(shell, port, _addresses(host), _far(host, others), rows[port])


def _ports(testbed: Testbed) -> dict[str, str]:
    """The gateway's port that each endpoint stands behind."""
    ports = {"client": testbed.gateway.client_port, "server": testbed.gateway.server_port}
    if testbed.endpoints.peer:
        ports["peer"] = testbed.endpoints.peer.gateway_port
    return ports


def _addresses(host: Host) -> dict[int, str]:
    return {4: host.address} | ({6: host.address6} if host.address6 else {})


def _far(host: Host, others: list[Host]) -> dict[int, str]:
    """An address behind another port, of each IP version that both have."""
    found = {4: others[0].address}
    with_ipv6 = next((other.address6 for other in others if other.address6), None)
    return found | ({6: with_ipv6} if host.address6 and with_ipv6 else {})
