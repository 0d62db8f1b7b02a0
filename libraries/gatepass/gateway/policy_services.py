"""What a service of the gateway matches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gatepass.gateway.boxes import Box, Span
from gatepass.gateway.packet import ICMP, ICMP6, SCTP, TCP, UDP, UDP_LITE, Packet
from gatepass.gateway.policy_criteria import says_nothing

Row = Mapping[str, Any]
PORT_RANGES = {
    TCP: "tcp-portrange",
    UDP: "udp-portrange",
    SCTP: "sctp-portrange",
    UDP_LITE: "udplite-portrange",  # from 7.6.0 on
}
"""Attributes of a service by protocol."""
EVERY_PORT: Span = (0, 65535)
_EVERY_PROTOCOL: Span = (0, 255)
ANY_SERVICE: Box = (_EVERY_PROTOCOL, EVERY_PORT, EVERY_PORT)
"""What a service is of a box: protocol, target port (of ICMP the type), source port."""
_PROTOCOLS = ("ALL", "IP", "ICMP", "ICMP6", "TCP/UDP/SCTP", "TCP/UDP/UDP-Lite/SCTP")
_NARROWING = ("iprange", "fqdn", "app-service-type", "application", "app-category", "proxy")


def is_narrowed(service: Row) -> bool:
    """Whether a service is for some addresses, applications or a proxy alone."""
    unknown = str(service.get("protocol") or "untold") not in _PROTOCOLS
    return unknown or any(not says_nothing(service.get(key)) for key in _NARROWING)


def serves(service: Row, packet: Packet) -> bool | None:
    """Whether a service is for a packet; None where that cannot be told."""
    if not _fits(service, packet):
        return False
    return None if is_narrowed(service) else True


def service_boxes(service: Row) -> list[Box]:
    """Protocol, target port (of ICMP its type) and source port of a service, at most."""
    protocol = str(service.get("protocol", ""))
    number = int(service.get("protocol-number") or 0)
    if protocol == "ALL" or (protocol == "IP" and number == 0) or protocol not in _PROTOCOLS:
        return [ANY_SERVICE]
    if protocol == "IP":
        return [((number, number), EVERY_PORT, EVERY_PORT)]
    if protocol in ("ICMP", "ICMP6"):
        number = ICMP if protocol == "ICMP" else ICMP6
        kind = str(service.get("icmptype") or "")
        types = (int(kind), int(kind)) if kind.isdigit() else EVERY_PORT
        return [((number, number), types, EVERY_PORT)]
    boxes: list[Box] = []
    for number, key in PORT_RANGES.items():
        for text in str(service.get(key) or "").split():
            targets, _, sources = text.partition(":")
            all_sources = sources in ("", "0", "0-0")
            ends = _range(targets), EVERY_PORT if all_sources else _range(sources)
            boxes.append(((number, number), *ends))
    return boxes


def _fits(service: Row, packet: Packet) -> bool:
    """Whether protocol and ports of a packet are a service's."""
    protocol = str(service.get("protocol", ""))
    if protocol == "ALL" or protocol not in _PROTOCOLS:
        return True
    if protocol == "IP":
        return int(service.get("protocol-number") or 0) in (0, packet.protocol)
    if protocol in ("ICMP", "ICMP6"):
        wanted = service.get("icmptype")
        mine = packet.protocol == (ICMP if protocol == "ICMP" else ICMP6)
        return mine and (wanted in (None, "") or int(str(wanted)) == packet.icmp_type)
    ranges = str(service.get(PORT_RANGES.get(packet.protocol, "-")) or "")
    return any(_in_range(one, packet) for one in ranges.split())


def _in_range(text: str, packet: Packet) -> bool:
    """Whether ports fit one range of a service: ``80``, ``8000-8080``, ``53:1024-65535``."""
    targets, _, sources = text.partition(":")
    return _within(targets, packet.target_port) and (
        sources in ("", "0", "0-0") or _within(sources, packet.source_port)
    )


def _within(text: str, port: int) -> bool:
    low, _, high = text.partition("-")
    return low.isdigit() and int(low) <= port <= int(high or low)


def _range(text: str) -> Span:
    low, _, high = text.partition("-")
    return int(low), int(high or low)
