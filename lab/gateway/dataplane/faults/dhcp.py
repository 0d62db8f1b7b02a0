"""The faults of the DHCP servers; `network.py` says what a fault is."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from lab.gateway.dataplane.intent.dhcp import ASSIGN, BLOCK, RESERVED, DhcpHost, DhcpServer
from lab.gateway.dataplane.intent.model import Intent

Params = Mapping[str, Any]

_SHORTER = 10
_BEYOND = 4


def _servers(change: Callable[[DhcpServer, Params], DhcpServer]) -> Callable:
    def changed(intent: Intent, params: Params) -> Intent:
        return replace(intent, dhcp=tuple(change(server, params) for server in intent.dhcp))

    return changed


def _silent(intent: Intent, params: Params) -> Intent:
    return replace(intent, dhcp=())


def _option_wrong(server: DhcpServer, params: Params) -> DhcpServer:
    wrong: dict[str, Any] = {
        "router": str(server.network.broadcast_address - 1),
        "name-servers": tuple(reversed(server.name_servers)),
        "domain": f"not-{server.domain}",
        "lease-time": server.lease_s // _SHORTER,
    }
    attributes = {"name-servers": "name_servers", "lease-time": "lease_s"}
    chosen = str(params["of"]).split("+")
    return replace(server, **{attributes.get(name, name): wrong[name] for name in chosen})


def _same_address(server: DhcpServer, params: Params) -> DhcpServer:
    """The first two hosts of the list are one to it, so it gives both the same address."""
    listed = [host for host in server.hosts if host.action == ASSIGN]
    if len(listed) < 2 or not server.ranges:
        return server
    first = str(ipaddress.IPv4Address(server.ranges[0][0]))
    macs = tuple(mac for host in listed[:2] for mac in host.macs)
    others = tuple(host for host in server.hosts if host not in listed[:2])
    return replace(server, hosts=(DhcpHost(macs, RESERVED, first), *others))


def _reservation_ignored(server: DhcpServer, params: Params) -> DhcpServer:
    """What is reserved for a host is given to the first one that may have any address."""
    hosts = list(server.hosts)
    kept = [at for at, host in enumerate(hosts) if host.action == RESERVED]
    free = [at for at, host in enumerate(hosts) if host.action == ASSIGN]
    for one, other in zip(kept, free, strict=False):
        address = hosts[one].address
        hosts[one] = replace(hosts[one], action=ASSIGN, address="")
        hosts[other] = replace(hosts[other], action=RESERVED, address=address)
    return replace(server, hosts=tuple(hosts))


def _list_ignored(server: DhcpServer, params: Params) -> DhcpServer:
    hosts = tuple(host for host in server.hosts if host.action != BLOCK)
    return replace(server, hosts=hosts, serves_unlisted=True)


def _beyond_range(server: DhcpServer, params: Params) -> DhcpServer:
    """When no address is left, it takes some before the first one."""
    if not server.ranges:
        return server
    first = server.ranges[0][0]
    return replace(server, beyond=((first - _BEYOND, first - 1),))


DHCP_FAULTS: dict[str, Callable[[Intent, Params], Intent]] = {
    "dhcp-reservation-ignored": _servers(_reservation_ignored),
    "dhcp-same-address": _servers(_same_address),
    "dhcp-option-wrong": _servers(_option_wrong),
    "dhcp-list-ignored": _servers(_list_ignored),
    "dhcp-beyond-range": _servers(_beyond_range),
    "dhcp-silent": _silent,
}
