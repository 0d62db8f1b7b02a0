"""The words that a sentence may hold, by kind.

Robot refuses everything else, small and capital letters alike, and `gatepass.run.sentences` has it
do so before anything is contacted.
"""

from typing import Literal

Switch = Literal["enable", "disable"]
Port = Literal["first", "second"]
Direction = Literal["to the server", "to the client"]
WAYS: dict[Direction, str] = {"to the server": "to_server", "to the client": "to_client"}
"""What each direction is called among the phrases."""
Transport = Literal["TCP", "UDP"]
FileProtocol = Literal["HTTP", "FTP"]
WebProtocol = Literal["HTTP", "HTTPS", "FTP"]
Moment = Literal["before", "after"]
Throughput = Literal["stateful", "security services"]

SeenAddress = Literal["client", "gateway"]
"""Whose address the server sees: the client's own, or the gateway's where it translates."""
SeenUser = Literal["tunnel", "gateway"]
"""The same of a user who dials in."""
Inspection = Literal["off", "on", "on by flow", "on by proxy"]
PolicyState = Literal["enabled", "disabled"]
SplitTunnel = Literal["with", "without"]
Published = Literal["port", "address"]
"""What of an outside address leads to a host inside: one port of it, or all of them."""
Trouble = Literal["inspection", "licence", "memory"]
"""What of the gateway is gone, or short."""
Intruder = Literal["a user with a wrong password", "a disabled user", "a user outside the group"]
SessionEnd = Literal["logout", "expiry"]
Packets = Literal[
    "TCP ports",
    "UDP ports",
    "segments without a session",
    "packets from trusted ports",
    "other IP protocols",
    "ICMP messages",
    "fragments",
    "packets with options",
    "packets to neighbours",
    "packets from bogus sources",
    "neighbours by one bit",
    "connections of helpers",
]
PACKETS: dict[Packets, str] = {
    "TCP ports": "tcp_ports",
    "UDP ports": "udp_ports",
    "segments without a session": "sessionless",
    "packets from trusted ports": "source_ports",
    "other IP protocols": "protocols",
    "ICMP messages": "icmp_types",
    "fragments": "fragments",
    "packets with options": "options",
    "packets to neighbours": "addresses",
    "packets from bogus sources": "sources",
    "neighbours by one bit": "neighbours",
    "connections of helpers": "helpers",
}
"""What a scan for leaks sends, and what each kind is called in it."""
PacketSize = Literal["small", "large"]
IpVersion = Literal["IPv4", "IPv6"]
DelayLoad = Literal[
    "at rest", "at half the tier's rate", "at the whole of the tier's rate", "in an overload"
]
DELAY_LOADS: dict[DelayLoad, tuple[str, float]] = {
    "at rest": ("at_rest", 0.0),
    "at half the tier's rate": ("half_rate", 0.5),
    "at the whole of the tier's rate": ("whole_rate", 1.0),
    "in an overload": ("overload", 1.5),
}
"""What probes are sent beside: its name among the phrases, and its share of the tier's rate."""
Flood = Literal[
    "SYN flood", "UDP flood", "ICMP flood", "scan of TCP ports", "scan of UDP ports", "ICMP sweep"
]
FLOODS: dict[Flood, str] = {
    "SYN flood": "tcp_syn_flood",
    "UDP flood": "udp_flood",
    "ICMP flood": "icmp_flood",
    "scan of TCP ports": "tcp_port_scan",
    "scan of UDP ports": "udp_scan",
    "ICMP sweep": "icmp_sweep",
}
"""What a DoS policy holds, and what FortiOS calls each."""
