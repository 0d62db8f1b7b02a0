"""Addresses of a network that nobody has, for as long as hosts of a run need some."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from ipaddress import IPv4Address, IPv4Network

from gatepass.base.errors import NotProven

MOST_LOOKED_AT = 1024
"""Of a large network its last addresses, as its first are given to hosts more often."""
_MOST_RANGES = 8

Range = tuple[IPv4Address, IPv4Address]


def candidates(network: IPv4Network, own: Collection[str]) -> list[IPv4Address]:
    """The addresses of a network that may be free.

    Args:
        network: where the hosts are to be.
        own: addresses that are known to be in use.
    """
    last = int(network.broadcast_address) - 1
    first = max(int(network.network_address) + 1, last - MOST_LOOKED_AT + 1)
    found = map(IPv4Address, range(first, last + 1))
    return [address for address in found if str(address) not in own]


def chosen(free: Iterable[IPv4Address], count: int) -> list[IPv4Address]:
    """So many of the free addresses, in as few ranges as can be, in their order.

    Raises:
        NotProven: there are not so many, or too scattered.
    """
    runs: list[list[IPv4Address]] = []
    for address in sorted(free):
        if runs and runs[-1][-1] + 1 == address:
            runs[-1].append(address)
        else:
            runs.append([address])
    found: list[IPv4Address] = []
    for run in sorted(runs, key=len, reverse=True)[:_MOST_RANGES]:
        found += run[-(count - len(found)) :]
        if len(found) == count:
            return sorted(found)
    raise NotProven(
        f"{count} free addresses are needed in the client's network, and of those looked at "
        f"{len(found)} lie close together. Connect the client in a larger or emptier network."
    )


def ranges_of(addresses: Sequence[IPv4Address]) -> list[Range]:
    """Sorted addresses as first and last of each run."""
    found: list[Range] = []
    for address in addresses:
        if found and found[-1][1] + 1 == address:
            found[-1] = (found[-1][0], address)
        else:
            found.append((address, address))
    return found
