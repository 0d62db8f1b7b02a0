"""TCP, UDP and ICMP frames, each of a session of its own."""

from __future__ import annotations

from scapy.layers.inet import ICMP, IP
from scapy.packet import Packet as Crafted
from scapy.packet import Raw

from gatepass.scenarios.floods.kinds import TCP, UDP
from gatepass.scenarios.leaks import craft
from gatepass.scenarios.leaks.frames import template
from gatepass.scenarios.leaks.parts import SCAN_PORT, Stamp
from gatepass.scenarios.leaks.ways import Link

_PORT = 1000
"""Of the target, where the source's port is what varies."""


def frame(
    protocol: str,
    mark: int,
    ends: tuple[str, str],
    link: Link,
    by_target: bool,
    port: int | None = None,
) -> dict:
    """A frame as the endpoint's program reads it, with the place of what varies.

    That makes each a session of its own: the target's port or the source's; of ICMP it is the
    identifier of the echo request (RFC 792).

    Args:
        protocol: tcp, udp or icmp.
        mark: by which it is known.
        ends: from where to where.
        link: the sender's, to the gateway.
        by_target: whether the target's port varies, and not the source's.
        port: the one that does not vary; always the same unless given.
    """
    fixed = port or (SCAN_PORT if by_target else _PORT)
    ports = (0, fixed) if by_target else (fixed, 0)
    packet = IP(src=ends[0], dst=ends[1]) / _message(protocol, mark, ports)
    made = template(bytes(packet), mark, link)
    at = 4 if protocol not in (TCP, UDP) else 2 if by_target else 0
    return made | {"port_at": made["transport"] + at}


def _message(protocol: str, mark: int, ports: tuple[int, int]) -> Crafted:
    stamp = Stamp(mark, 0)
    if protocol == TCP:
        return craft.tcp(stamp, ports[0], source_port=ports[1])
    if protocol == UDP:
        return craft.udp(stamp, ports[0], source_port=ports[1])
    return ICMP(type=8, id=0, seq=1) / Raw(bytes(stamp))
