"""A packet, as the gateway meets it."""

from __future__ import annotations

from dataclasses import dataclass

TCP, UDP, SCTP, UDP_LITE, ICMP, ICMP6 = 6, 17, 132, 136, 1, 58
"""IP protocol numbers (IANA, "Assigned Internet Protocol Numbers")."""


@dataclass(frozen=True, slots=True)
class Packet:
    """The first packet of a session, as the gateway meets it.

    Attributes:
        arrives, leaves: names of the gateway's interfaces.
        source, target: IP addresses, both of one version.
        protocol: IP protocol number.
        target_port: where the protocol has ports.
        source_port: the same.
        icmp_type: of ICMP.
    """

    arrives: str
    leaves: str
    source: str
    target: str
    protocol: int
    target_port: int = 0
    source_port: int = 0
    icmp_type: int = 0
