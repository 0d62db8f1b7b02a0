"""IP packets in Ethernet frames, and frames that get their number and port at the endpoint."""

from __future__ import annotations

from gatepass.scenarios.leaks.ways import Link

_SUM_AT = {1: 2, 6: 16, 17: 6}
"""Where ICMP, TCP and UDP have their checksum."""


def framed(packet: bytes, link: Link) -> bytes:
    """An IP packet in an Ethernet frame to the next hop, or to the group that it is for."""
    ipv4 = packet[0] >> 4 == 4
    to = _group_mac(packet[16:20] if ipv4 else packet[24:40]) or bytes.fromhex(
        link.hop_mac.replace(":", "")
    )
    own = bytes.fromhex(link.mac.replace(":", ""))
    return to + own + (b"\x08\x00" if ipv4 else b"\x86\xdd") + packet


def template(packet: bytes, mark: int, link: Link) -> dict:
    """A frame whose number and port are written in at the endpoint."""
    frame = framed(packet, link)
    ipv4 = packet[0] >> 4 == 4
    transport = 14 + (20 if ipv4 else 40)
    sum_at = transport + _SUM_AT[packet[9 if ipv4 else 6]]
    return {
        "frame": frame.hex(),
        "transport": transport,
        "id_at": frame.index(mark.to_bytes(4, "big"), transport) + 4,
        "sum_at": sum_at,
        "sum": 0xFFFF - int.from_bytes(frame[sum_at : sum_at + 2], "big"),
    }


def _group_mac(target: bytes) -> bytes:
    """The hardware address of a multicast or broadcast address; empty for one host's."""
    if target == b"\xff" * 4:
        return b"\xff" * 6
    if len(target) == 16:
        return b"\x33\x33" + target[12:] if target[0] == 0xFF else b""
    if 224 <= target[0] < 240:  # RFC 1112, 6.4
        return b"\x01\x00\x5e" + bytes([target[1] & 127]) + target[2:]
    return b""
