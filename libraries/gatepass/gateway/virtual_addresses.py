"""Where virtual addresses lead what is sent to them.

FortiOS translates the destination before it goes through its policies. What was translated meets
the policies that name the virtual address, and denials with `match-vip`; no other policy that
accepts meets it (Fortinet Community, "Firewall does not block incoming (WAN to LAN) connection even
though deny policy", and the CLI Reference of `match-vip`).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gatepass.gateway.packet import SCTP, TCP, UDP, Packet
from gatepass.gateway.policy_criteria import says_nothing

Row = Mapping[str, Any]
_FORWARDED = {"tcp": TCP, "udp": UDP, "sctp": SCTP}
_ADDRESS = {4: ipaddress.IPv4Address, 6: ipaddress.IPv6Address}
_EXPLAINED = (None, "", "static-nat")
_NOT_EXPLAINED_WHERE_SET = ("extaddr", "service", "nat46", "nat64")


@dataclass(frozen=True, slots=True)
class Led:
    """Where a virtual address leads a packet.

    Attributes:
        name: of the virtual address.
        target: the address behind it; None where the configuration does not say it.
        port: the port behind it; None likewise.
        certain: whether it surely leads the packet there.
    """

    name: str
    target: str | None
    port: int | None
    certain: bool


def may_answer(row: Row, target: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether a virtual address of ``firewall/vip`` may be that of a target.

    Args:
        row: of ``firewall/vip``, for IPv6 of ``firewall/vip6``.
        target: where a packet is sent.
    """
    if row.get("status", "enable") != "enable":
        return False
    span = external(row)
    return row.get("type") != "dns-translation" and (
        span is None or span[0] <= int(target) <= span[1]
    )


def led(
    row: Row, packet: Packet, interface: Callable[[str, str], bool | None]
) -> Led | None:
    """Where a virtual address leads a packet; None where it does not.

    Args:
        row: of ``firewall/vip`` or ``vip6``, one that may answer for the packet's target.
        packet: as it arrives.
        interface: whether a name is that of an interface, or of a zone that has it.
    """
    name = str(row.get("extintf") or "any")
    here = True if name == "any" else interface(name, packet.arrives)
    from_here = _from_here(row, packet)
    span = external(row)
    if here is False or from_here is False:
        return None
    if span is None:
        return Led(str(row.get("name")), None, None, certain=False)
    certain = bool(here and from_here) and row.get("type") in _EXPLAINED
    certain = certain and all(says_nothing(row.get(key)) for key in _NOT_EXPLAINED_WHERE_SET)
    port: int | None = packet.target_port
    if row.get("portforward") == "enable":
        if _FORWARDED.get(str(row.get("protocol") or "tcp")) != packet.protocol:
            return None
        open_, mapped = _ports(row.get("extport")), _ports(row.get("mappedport"))
        if open_ and not open_[0] <= packet.target_port <= open_[1]:
            return None
        certain = certain and open_ is not None
        port = mapped[0] + packet.target_port - open_[0] if open_ and mapped else None
    place = int(ipaddress.ip_address(packet.target)) - span[0]
    return Led(str(row.get("name")), _behind(row, place), port, certain)


def external(row: Row) -> tuple[int, int] | None:
    """The addresses that are published; None where the configuration does not say them."""
    return _span(row.get("extip"))


def _from_here(row: Row, packet: Packet) -> bool | None:
    """Whether a virtual address is for where a packet comes from."""
    arriving = [str(one.get("interface-name")) for one in row.get("srcintf-filter") or ()]
    if arriving and packet.arrives not in arriving:
        return None
    ranges = [str(one.get("range") or "") for one in row.get("src-filter") or ()]
    spans = [_span(text) for text in ranges]
    source = int(ipaddress.ip_address(packet.source))
    if not ranges or any(span and span[0] <= source <= span[1] for span in spans):
        return True
    return None if None in spans else False


def _behind(row: Row, place: int) -> str | None:
    mapped = row.get("mappedip")
    if not isinstance(mapped, str):  # of IPv4 it is a list of one
        first = next(iter(mapped or ()), {})
        mapped = first.get("range") if isinstance(first, Mapping) else None
    span = _span(mapped)
    version = 6 if ":" in str(mapped) else 4
    return str(_ADDRESS[version](span[0] + place)) if span else None


def _span(text: object) -> tuple[int, int] | None:
    """``198.18.1.5``, ``198.18.1.5-198.18.1.9`` or a network; None for anything else."""
    first, _, last = str(text or "").partition("-")
    try:
        if "/" in first:
            network = ipaddress.ip_network(first, strict=False)
            return int(network.network_address), int(network.broadcast_address)
        low, high = (int(ipaddress.ip_address(one)) for one in (first, last or first))
    except ValueError:
        return None
    return (low, high) if high else None  # 0.0.0.0 is whatever address the interface has


def _ports(text: object) -> tuple[int, int] | None:
    low, _, high = str(text or "").partition("-")
    return (int(low), int(high or low)) if low.isdigit() and (high or low).isdigit() else None
