"""The one IPv4 packet that the server makes by itself."""

from __future__ import annotations

import struct

_DONT_FRAGMENT = 0x4000
_HEAD = struct.Struct("!BBHHHBBH4s4s")
_ICMP, _UNREACHABLE, _FRAGMENTATION_NEEDED = 1, 3, 4
_TTL = 64


def folded(data: bytes) -> int:
    """The one's complement sum of 16-bit words (RFC 1071)."""
    data += b"\0" * (len(data) % 2)
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total & 0xFFFF) + (total >> 16)
    return (total + (total >> 16)) & 0xFFFF


def checksum(data: bytes) -> int:
    """The Internet checksum (RFC 1071)."""
    return ~folded(data) & 0xFFFF


def fragmentation_needed(packet: bytes, mtu: int) -> bytes | None:
    """What tells the sender of an IPv4 packet how long one may be (RFC 1191).

    Returns:
        None where the sender does not want to know.
    """
    if not int.from_bytes(packet[6:8]) & _DONT_FRAGMENT or packet[9] == _ICMP:
        return None
    begin = packet[: (packet[0] & 0x0F) * 4 + 8]
    body = struct.pack("!BBHHH", _UNREACHABLE, _FRAGMENTATION_NEEDED, 0, 0, mtu) + begin
    body = body[:2] + checksum(body).to_bytes(2) + body[4:]
    source, dest = packet[16:20], packet[12:16]
    fields = (0x45, 0, _HEAD.size + len(body), 0, 0, _TTL, _ICMP)
    head = _HEAD.pack(*fields, 0, source, dest)
    return _HEAD.pack(*fields, checksum(head), source, dest) + body
