"""What the packets of a scan are made of, with scapy: headers that bear their stamp."""

from __future__ import annotations

from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import ICMPv6Unknown, IPv6
from scapy.packet import Packet as Crafted
from scapy.packet import Raw

from gatepass.scenarios.leaks.parts import CONTROL_PORT, SCAN_PORT, Stamp
from gatepass.scenarios.leaks.ways import Way

FTP_ACTIVE, FTP_PASSIVE, RTP = 40021, 40022, 40024
"""Ports that are named to helpers, and that nobody opens."""


def ip(way: Way, source: str = "", target: str = "", **more: object) -> Crafted:
    """The IP header of a packet on a way; other addresses where they are given."""
    here, there = way.ends
    layer = IP if way.version == 4 else IPv6
    return layer(src=source or here, dst=target or there, **more)


def tcp(stamp: Stamp, port: int, flags: str = "S", source_port: int = SCAN_PORT) -> Crafted:
    """A TCP segment whose sequence and acknowledgement numbers are its stamp."""
    return TCP(
        sport=source_port, dport=port, flags=flags, seq=stamp.mark, ack=stamp.number, window=1024
    )


def udp(stamp: Stamp, port: int, source_port: int = SCAN_PORT) -> Crafted:
    """A datagram that carries its stamp."""
    return UDP(sport=source_port, dport=port) / Raw(bytes(stamp))


def echo(way: Way, stamp: Stamp) -> Crafted:
    """An echo request."""
    if way.version == 4:
        return ICMP(type=8) / Raw(bytes(stamp) * 2)
    return ICMPv6Unknown(type=128, code=0, msgbody=bytes(4) + bytes(stamp) * 2)


def control(way: Way, stamp: Stamp, permitted: int) -> Crafted:
    """The permitted datagram; it looks like a TFTP request, which must open nothing (RFC 1350)."""
    asks = b"\0\1" + bytes(stamp) + b"\0octet\0"
    return ip(way) / UDP(sport=CONTROL_PORT, dport=permitted) / Raw(asks)


def words_for_helpers(way: Way) -> str:
    """What is said on a permitted connection: a helper that listens on any port would open ports.

    FTP's PORT, EPRT and 227 (RFC 959, RFC 2428), and an offer of SIP (RFC 3264).
    """
    here, there = way.ends
    family = 1 if way.version == 4 else 2
    comma, passive = here.replace(".", ","), there.replace(".", ",")
    high, low = divmod(FTP_ACTIVE, 256)
    lines = [f"EPRT |{family}|{here}|{FTP_ACTIVE}|", f"229 Entering (|||{FTP_PASSIVE}|)"]
    if way.version == 4:
        lines += [
            f"PORT {comma},{high},{low}",
            f"227 Entering Passive Mode ({passive},{FTP_PASSIVE // 256},{FTP_PASSIVE % 256})",
        ]
    body = f"v=0\r\nc=IN IP{way.version} {here}\r\nm=audio {RTP} RTP/AVP 0\r\n"
    invite = (
        f"INVITE sip:a@{there} SIP/2.0\r\nVia: SIP/2.0/TCP {here}\r\nCSeq: 1 INVITE\r\n"
        f"Content-Type: application/sdp\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    )
    return "\r\n".join([*lines, invite])
