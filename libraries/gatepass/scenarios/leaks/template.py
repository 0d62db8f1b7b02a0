"""One crafted packet turned into many that differ by number and addresses alone.

Crafting is slow, and a scan has thousands of packets that are alike. Checksums are brought up to
date by what has changed (RFC 1624) instead of being made anew.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable

from gatepass.scenarios.leaks.parts import Stamp

_IPV4, _IPV6 = 20, 40
_SUM_AT = {6: 16, 17: 6, 58: 2, 1: 2}
"""Where the checksum stands, by protocol."""
_WITHOUT_ADDRESSES = 1
"""ICMP: the only one of them whose checksum leaves the addresses out."""


class Template:
    """A packet with a plain IP header.

    Args:
        craft: makes it from a stamp; asked once for each sender.
    """

    def __init__(self, craft: Callable[[Stamp], object]) -> None:
        self._craft = craft
        self._crafted: dict[int, tuple[bytes, list[int]]] = {}

    def made(self, stamp: Stamp, source: str = "", target: str = "") -> bytes:
        """The packet with this stamp, and with other addresses where they are given."""
        if stamp.mark not in self._crafted:
            first = Stamp(stamp.mark, 0)
            raw, wanted = bytes(self._craft(first)), bytes(first)
            places, at = [], raw.find(wanted)
            while at >= 0:
                places.append(at + 4)
                at = raw.find(wanted, at + 8)
            self._crafted[stamp.mark] = raw, places
        raw, places = self._crafted[stamp.mark]
        packet = bytearray(raw)
        ipv4 = raw[0] >> 4 == 4
        changed = 0
        for at in places:
            packet[at : at + 4] = stamp.number.to_bytes(4, "big")
            changed += _words(packet[at : at + 4])
        addresses = 0
        size, first_at = (4, 12) if ipv4 else (16, 8)
        for at, text in ((first_at, source), (first_at + size, target)):
            if text:
                before = _words(packet[at : at + size])
                packet[at : at + size] = ipaddress.ip_address(text).packed
                addresses += _words(packet[at : at + size]) - before
        protocol = raw[9] if ipv4 else raw[6]
        if ipv4:
            _add(packet, 10, addresses)
        counted = 0 if protocol == _WITHOUT_ADDRESSES else addresses
        _add(packet, (_IPV4 if ipv4 else _IPV6) + _SUM_AT[protocol], changed + counted)
        return bytes(packet)


def _words(data: bytes | bytearray) -> int:
    """The sum of the 16-bit words."""
    return sum(data[at] << 8 | data[at + 1] for at in range(0, len(data), 2))


def _add(packet: bytearray, at: int, change: int) -> None:
    """Bring the checksum at a place up to date: what it covers has grown by this sum."""
    total = 0xFFFF - int.from_bytes(packet[at : at + 2], "big") + change
    packet[at : at + 2] = (0xFFFF - total % 0xFFFF).to_bytes(2, "big")
