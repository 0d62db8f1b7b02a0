"""What a flow of another protocol of IP than TCP, UDP and ICMP consists of.

A firewall that follows sessions drops what is no packet of its protocol, so headers are as they
should be where a stateful one would look at them.
"""

from __future__ import annotations

from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import GRE
from scapy.layers.sctp import SCTP, SCTPChunkInit
from scapy.packet import Packet, Raw

from gatepass.inputs.flows import Flow

_IN_IP, _GRE, _IPV6_IN_IP, _SCTP = 4, 47, 41, 132
_HEADERS = {50: 8, 51: 12, 89: 24, 115: 4, 136: 8}
"""Length of the header of ESP, AH, OSPF, L2TP and UDP-Lite."""
_PORT = 9


def payload(flow: Flow, mark: str, number: int) -> bytes:
    """What follows the IP header; it says of which flow it is.

    Args:
        flow: of such a protocol.
        mark: eight hexadecimal digits, of all tries.
        number: of the flow.
    """
    protocol, token = int(flow.protocol), f"gatepass-{mark}-{number}-".encode()
    if protocol == _SCTP:
        ports = SCTP(sport=_PORT, dport=_PORT)
        return _built(flow, ports / SCTPChunkInit(init_tag=int(mark, 16), a_rwnd=number))
    if protocol in (_GRE, _IN_IP, _IPV6_IN_IP):
        layer = IPv6 if ":" in flow.source else IP
        within = layer(src=flow.source, dst=flow.target) / UDP(sport=_PORT, dport=_PORT)
        within /= Raw(token)
        return _built(flow, GRE() / within if protocol == _GRE else within)
    return bytes([4]) * _HEADERS.get(protocol, 0) + token


def _built(flow: Flow, layers: Packet) -> bytes:
    """The bytes behind the IP header, with checksums as they are under it."""
    outer = IPv6 if ":" in flow.source else IP
    whole = outer(src=flow.source, dst=flow.target) / layers
    return bytes(whole)[len(outer()) :]
