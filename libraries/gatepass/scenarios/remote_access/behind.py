"""Hosts of networks behind the gateway, which the server stands in for, and the ways to them."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Network

from gatepass.endpoint import host_changes
from gatepass.endpoint.script import script
from gatepass.endpoint.shell import Shell
from gatepass.scenarios.remote_access.configuration import host_of

_NAME = "behind"


def stand_in(server: Shell, networks: Iterable[IPv4Network], users: IPv4Network, hop: str) -> None:
    """Give the server an address in each network, and a way back to the users.

    Args:
        server: the endpoint, with root.
        networks: one of its hosts each.
        users: whose addresses are in this network.
        hop: the gateway's address on the server's side.

    Raises:
        NotProven: the server could not be changed.
    """
    hosts = [host_of(network) for network in networks]
    host_changes.change(
        server,
        _NAME,
        [
            *(script("ip address add {host}/32 dev lo", host=host) for host in hosts),
            script("ip route add {users} via {hop}", users=str(users), hop=hop),
        ],
        [
            *(script("ip address del {host}/32 dev lo", host=host) for host in hosts),
            script("ip route del {users} via {hop}", users=str(users), hop=hop),
        ],
    )


def lead(client: Shell, network: IPv4Network, hop: str) -> None:
    """Give the client a way to a network behind the gateway.

    Args:
        client: the endpoint, with root.
        network: where it leads.
        hop: the gateway's address on the client's side.

    Raises:
        NotProven: the client could not be changed.
    """
    words = {"network": str(network), "hop": hop}
    there = script("ip route add {network} via {hop}", **words)
    host_changes.change(
        client, _NAME, [there], [script("ip route del {network} via {hop}", **words)]
    )
