"""What the gateway's address objects stand for."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping
from typing import Any

Row = Mapping[str, Any]
Span = tuple[int, int]
EVERY: dict[int, tuple[Span, ...]] = {4: ((0, 2**32 - 1),), 6: ((0, 2**128 - 1),)}


def names(value: object) -> list[str]:
    """The names of a list of members, as the API writes it."""
    if not isinstance(value, Iterable) or isinstance(value, str):
        return []
    return [str(one.get("name")) for one in value if isinstance(one, Mapping) and one.get("name")]


def address_spans(version: int, row: Row) -> tuple[Span, ...] | None:
    """First and last address of an object; None where the configuration does not say them.

    Args:
        version: 4 or 6.
        row: of ``firewall/address`` or ``firewall/address6``.
    """
    kind = row.get("type", "ipmask" if version == 4 else "ipprefix")
    try:
        if kind == "iprange":
            ends = (ipaddress.ip_address(str(row[key])) for key in ("start-ip", "end-ip"))
            low, high = map(int, ends)
            return ((low, high),)
        if kind in ("ipmask", "interface-subnet"):
            return (_network("/".join(str(row["subnet"]).split())),)
        if kind == "ipprefix":
            return (_network(str(row["ip6"])),)
    except (KeyError, ValueError):
        return None
    return None


def _network(text: str) -> Span:
    network = ipaddress.ip_network(text, strict=False)
    return int(network.network_address), int(network.broadcast_address)
