"""Addresses of a network that nobody uses, as far as the gateway's configuration tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from ipaddress import IPv4Address, IPv4Network
from itertools import islice

from gatepass.base.errors import NotProven
from gatepass.gateway.fortigate import FortiGate
from gatepass.scenarios.leaks.ways import addresses_of

VIP, POOL = "firewall/vip", "firewall/ippool"
Span = tuple[IPv4Address, IPv4Address]

_WHOLE, _UNSET = "0-65535", "0.0.0.0"


def used(gateway: FortiGate, interfaces: Iterable[Mapping]) -> list[Span]:
    """The addresses that the configuration has a use for: the first and last of each row of them.

    They are the gateway's own, those that it translates or gives out, and its next hops.

    Args:
        gateway: the device.
        interfaces: rows of ``system/interface``.
    """
    found = [(text, text) for row in interfaces for text in addresses_of(row)[4]]
    found += [_ends(str(row.get("extip"))) for row in gateway.rows_if_any(VIP)]
    found += [
        (str(row.get("startip")), str(row.get("endip"))) for row in gateway.rows_if_any(POOL)
    ]
    found += [
        (str(span.get("start-ip")), str(span.get("end-ip")))
        for row in gateway.rows_if_any("system.dhcp/server")
        for span in row.get("ip-range") or ()
    ]
    hops = [str(row.get("gateway")) for row in gateway.rows_if_any("router/static")]
    return list(spans([*found, *((hop, hop) for hop in hops)]))


def _ends(text: str) -> tuple[str, str]:
    first, _, last = text.partition("-")
    return first, last or first


def spans(texts: Iterable[tuple[str, str]]) -> Iterator[Span]:
    """The IPv4 addresses among first and last ones that are written down."""
    for first, last in texts:
        try:
            yield IPv4Address(first), IPv4Address(last)
        except ValueError:  # unset, or of another version
            continue


def candidates(network: IPv4Network, taken: Sequence[Span], most: int) -> list[str]:
    """Addresses of a network that may be free, the highest first; whoever is there has to be asked.

    Args:
        network: of an endpoint.
        taken: addresses that are not asked for.
        most: how many.
    """
    last = int(network.broadcast_address) - 1
    numbers = range(last, int(network.network_address), -1)
    free = (
        str(address)
        for address in map(IPv4Address, numbers)
        if not any(low <= address <= high for low, high in taken)
    )
    return list(islice(free, most))


def neighbours(addresses: Sequence[str]) -> tuple[str, str]:
    """Two of them that follow each other, the lower one first.

    Raises:
        NotProven: there are no such two.
    """
    there = {IPv4Address(text) for text in addresses}
    for address in sorted(there, reverse=True):
        if address - 1 in there:
            return str(address - 1), str(address)
    raise NotProven(
        "no two free addresses behind the gateway's outer port follow each other, as a pool of two "
        "needs them. Free some of that network."
    )


def forwards(row: Mapping, address: str, ports: range) -> bool:
    """Whether a virtual address of the configuration translates any of these ports of an address.

    Args:
        row: of ``firewall/vip``.
        address: of the gateway.
        ports: a row of TCP or UDP ports.
    """
    external = str(row.get("extip"))
    # 0.0.0.0 is the address of the interface, whichever that is
    if external != _UNSET and not any(
        low <= IPv4Address(address) <= high for low, high in spans([_ends(external)])
    ):
        return False
    if row.get("portforward") != "enable":
        return True
    first, last = _ends(str(row.get("extport") or _WHOLE))
    return int(first) < ports.stop and ports.start <= int(last)
