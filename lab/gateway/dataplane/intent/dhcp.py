"""Compiles the DHCP servers: what each gives out on its interface, and to whom. Pure."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.gateway.dataplane.intent.each import Config, Each
from lab.gateway.dataplane.intent.ranges import (
    EVERY_ADDRESS,
    Spans,
    complement,
    subtract,
    union,
)
from lab.gateway.dataplane.intent.values import Port

Row = Mapping[str, Any]
ASSIGN, BLOCK, RESERVED = "assign", "block", "reserved"
_NONE = "0.0.0.0"


@dataclass(frozen=True, slots=True)
class DhcpHost:
    """An entry of a server's list of hosts.

    Attributes:
        macs: the hardware addresses that it is for; more than one is a fault.
        action: `ASSIGN` any address, `BLOCK`, or `RESERVED` for the address.
        address: that is reserved; empty for none.
    """

    macs: tuple[str, ...]
    action: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class DhcpServer:
    """What one interface's hosts are given.

    Attributes:
        interface: where it listens.
        address: the interface's own, with its prefix length.
        ranges: addresses that it gives out.
        router, name_servers, domain, time_servers, wins_servers: what it tells; empty for nothing.
        lease_s: how long an address may be kept.
        hosts: its list of hosts.
        serves_unlisted: whether hosts that are not on it get an address as well.
        beyond: addresses that it gives out when no other is left; a fault.
    """

    interface: str
    address: str
    ranges: Spans = ()
    router: str = ""
    name_servers: tuple[str, ...] = ()
    domain: str = ""
    time_servers: tuple[str, ...] = ()
    wins_servers: tuple[str, ...] = ()
    lease_s: int = 604_800
    hosts: tuple[DhcpHost, ...] = ()
    serves_unlisted: bool = True
    beyond: Spans = ()

    @property
    def network(self) -> ipaddress.IPv4Network:
        """The interface's."""
        return ipaddress.IPv4Interface(self.address).network


def compile_dhcp(config: Config, ports: Sequence[Port], each: Each) -> tuple[DhcpServer, ...]:
    """Compile the servers that anybody can ask.

    Nobody stands behind a loopback interface, so that nothing has to listen there, however many
    there are.

    Args:
        config: CMDB path -> rows.
        ports: the gateway's interfaces.
        each: compiles the rows.
    """
    physical = {
        row["name"]
        for row in config.get("system/interface", ())
        if row.get("type", "physical") == "physical"
    }
    addresses = {
        port.name: text
        for port in ports
        if port.up and port.name in physical
        for text in port.addresses
        if ":" not in text
    }
    return tuple(
        each(
            "system.dhcp/server",
            lambda row: _server(row, addresses[row["interface"]]),
            only=lambda row: row.get("status") != "disable" and row["interface"] in addresses,
        )
    )


def _server(row: Row, address: str) -> DhcpServer:
    own = address.partition("/")[0]
    return DhcpServer(
        interface=row["interface"],
        address=address,
        ranges=_ranges(row, ipaddress.IPv4Interface(address).network),
        router=next(_known(row, "default-gateway"), ""),
        name_servers=_servers(row, "dns", own),
        domain=str(row.get("domain") or ""),
        time_servers=_servers(row, "ntp", own),
        wins_servers=tuple(_known(row, "wins-server1", "wins-server2")),
        lease_s=int(row.get("lease-time") or 604_800),
        hosts=tuple(map(_host, row.get("reserved-address") or ())),
        serves_unlisted=row.get("mac-acl-default-action", ASSIGN) == ASSIGN,
    )


def _ranges(row: Row, network: ipaddress.IPv4Network) -> Spans:
    """What it gives out; addresses of another network than the interface's reach nobody there."""
    first, last = int(network.network_address), int(network.broadcast_address)
    hosts: Spans = ((first + 1, last - 1),) if network.num_addresses > 2 else ()
    without = union((*complement(hosts, EVERY_ADDRESS[4]), *_spans(row, "exclude-range")))
    return subtract(union(_spans(row, "ip-range")), without, EVERY_ADDRESS[4])


def _spans(row: Row, name: str) -> Iterator[tuple[int, int]]:
    for one in row.get(name) or ():
        first, last = (int(ipaddress.IPv4Address(one[end])) for end in ("start-ip", "end-ip"))
        yield first, last


def _servers(row: Row, kind: str, own: str) -> tuple[str, ...]:
    """The servers of a kind that hosts are told of: those named, or the gateway itself."""
    if row.get(f"{kind}-service") == "local":
        return (own,)
    return tuple(_known(row, *(f"{kind}-server{number}" for number in range(1, 5))))


def _known(row: Row, *names: str) -> Iterator[str]:
    for name in names:
        value = str(row.get(name) or _NONE)
        if value != _NONE:
            yield value


def _host(one: Row) -> DhcpHost:
    action = one.get("action", RESERVED)
    return DhcpHost((one["mac"],), action, one["ip"] if action == RESERVED else "")
