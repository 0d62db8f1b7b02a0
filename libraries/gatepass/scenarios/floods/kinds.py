"""What a DoS policy holds against a threshold, one kind of packet and one sort of host each."""

from __future__ import annotations

from dataclasses import dataclass

TCP, UDP, ICMP = "tcp", "udp", "icmp"
PROTOCOLS = (TCP, UDP, ICMP)
TARGET, SOURCE = "target", "source"
FLOOD, TO_ANOTHER, FROM_ANOTHER = "flood", "to another", "from another"
"""A flood from one host to one host; what the same host sends to another one, and what another one
sends to the same."""


@dataclass(frozen=True)
class Flood:
    """One anomaly of FortiOS that goes by packets a second.

    Attributes:
        anomaly: as FortiOS calls it.
        protocol: of its packets.
        held_by: whose packets are counted: those to one target, or from one source.
    """

    anomaly: str
    protocol: str
    held_by: str


# Fortinet, FortiOS administration guide, DoS protection: what each anomaly counts.
FLOODS = (
    Flood("tcp_syn_flood", TCP, TARGET),
    Flood("udp_flood", UDP, TARGET),
    Flood("icmp_flood", ICMP, TARGET),
    Flood("tcp_port_scan", TCP, SOURCE),
    Flood("udp_scan", UDP, SOURCE),
    Flood("icmp_sweep", ICMP, SOURCE),
)
SESSIONS = "tcp_src_session"
"""The anomaly that goes by connections of one source at the same time."""
