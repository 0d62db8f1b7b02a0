"""dnsmasq's configuration for one DHCP server, and the leases that it keeps. Pure."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lab.gateway.dataplane.intent.dhcp import BLOCK, RESERVED, DhcpHost, DhcpServer

LEASES, PID = "leases", "pid"

# No DNS. It asks nobody whether an address is free before it offers it: that takes it seconds.
# As root, since a process that changes its user is forgotten as what ends with its parent.
_ALWAYS = """\
port=0
no-hosts
no-resolv
no-ping
quiet-dhcp
user=root
log-facility=-
bind-interfaces
except-interface=lo
dhcp-authoritative
dhcp-lease-max=65536
"""
_ROUTER, _NAME_SERVERS, _DOMAIN, _TIME_SERVERS, _WINS_SERVERS = 3, 6, 15, 42, 44  # RFC 2132


@dataclass(frozen=True)
class Lease:
    """An address that a host has.

    Attributes:
        interface: where the host is.
        address, mac: of the host.
        name: what it calls itself; empty for nothing.
        expires: in seconds since the epoch.
    """

    interface: str
    address: str
    mac: str
    name: str
    expires: int


def dnsmasq_configuration(server: DhcpServer, folder: Path) -> str:
    """The whole configuration file.

    Args:
        server: what to serve.
        folder: for its files.
    """
    # What has a tag is given out before what has none; each host has the interface's name as one.
    preferred = f"tag:{server.interface}," if server.beyond else ""
    lines = [
        *_ALWAYS.splitlines(),
        f"interface={server.interface}",
        f"dhcp-leasefile={folder / LEASES}",
        f"pid-file={folder / PID}",
        *(_range(server, span, preferred) for span in server.ranges),
        *(_range(server, span, "") for span in server.beyond),
        *(f"dhcp-option={code},{value}" for code, value in _options(server)),
        # Without these it would tell of itself.
        *([] if server.router else [f"dhcp-option={_ROUTER}"]),
        *map(_host, server.hosts),
    ]
    if not server.serves_unlisted:
        lines.append("dhcp-ignore=tag:!known")
    return "\n".join(lines) + "\n"


def _range(server: DhcpServer, span: tuple[int, int], tag: str) -> str:
    first, last = map(ipaddress.IPv4Address, span)
    return f"dhcp-range={tag}{first},{last},{server.network.netmask},{server.lease_s}"


def _options(server: DhcpServer) -> Iterator[tuple[int, str]]:
    for code, values in (
        (_ROUTER, (server.router,)),
        (_NAME_SERVERS, server.name_servers),
        (_DOMAIN, (server.domain,)),
        (_TIME_SERVERS, server.time_servers),
        (_WINS_SERVERS, server.wins_servers),
    ):
        if any(values):
            yield code, ",".join(values)


def _host(host: DhcpHost) -> str:
    what = {BLOCK: "ignore", RESERVED: host.address}.get(host.action, "set:listed")
    return f"dhcp-host={','.join(host.macs)},{what}"


def leases_in(text: str, interface: str) -> Iterator[Lease]:
    """The leases that a file of dnsmasq holds.

    Args:
        text: of the file: in each line when it expires, hardware address, address, name and more.
        interface: that they are of.
    """
    for line in text.splitlines():
        fields = line.split(" ")
        if len(fields) >= 4 and fields[0].isdigit():
            expires, mac, address, name = fields[:4]
            yield Lease(interface, address, mac, name.replace("*", ""), int(expires))
