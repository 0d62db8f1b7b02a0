"""What the firewall may be made to let through beside its policies: one narrow leak each. Faults.

Each is as narrow as a real mistake: a rule that trusts a port or a protocol, a helper that listens
everywhere, a filter that looks at one IP version only. They stand before the policies, where
neither configuration nor policy look-up shows them.
"""

from __future__ import annotations

_CLIENT, _SERVER, _PEER = "port2", "port1", "port3"
_IN, _BACK = f'iifname "{_CLIENT}" oifname "{_SERVER}"', f'iifname "{_SERVER}" oifname "{_CLIENT}"'
_V4, _V6 = "meta nfproto ipv4", "meta nfproto ipv6"

FORWARD: dict[str, str] = {
    # protocols
    "icmp": "meta l4proto icmp",
    "icmpv6": "meta l4proto ipv6-icmp",
    "icmp-timestamp": "icmp type timestamp-request",
    "icmp-unreachable": "icmp type destination-unreachable",
    "gre": "meta l4proto 47",
    "esp": "meta l4proto 50",
    "ip-in-ip": "meta l4proto 4",
    "sctp": "meta l4proto 132",
    "ospf": "meta l4proto 89",
    "protocol-253": f"{_V4} meta l4proto 253",
    # ports
    "ssh": "tcp dport 22",
    "https": f"{_IN} {_V4} tcp dport 443",
    "tcp-8443": f"{_BACK} tcp dport 8443",
    "rdp-from-outside": f"{_BACK} {_V4} tcp dport 3389",
    "high-tcp-port": f"{_IN} tcp dport 64999",
    "dns": "udp dport 53",
    "snmp": f"{_BACK} {_V4} udp dport 161",
    "high-udp-port": f"{_IN} {_V6} udp dport 60001",
    "neighbour-port": f"{_V4} tcp dport 5300",
    # source ports
    "from-port-20": "tcp sport 20",
    "from-port-53": "udp sport 53",
    "from-port-67": "udp sport 67",
    "from-port-123": "udp sport 123",
    "from-port-500": f"{_V4} udp sport 500",
    # flags
    "ack": "tcp flags & (fin | syn | rst | ack) == ack",
    "fin": "tcp flags & (fin | syn | rst | ack) == fin",
    "no-flag": "tcp flags & (fin | syn | rst | psh | ack | urg) == 0x0",
    "xmas": "tcp flags & (fin | psh | urg) == (fin | psh | urg)",
    "syn-fin": "tcp flags & (fin | syn) == (fin | syn)",
    "rst": "tcp flags & rst == rst",
    # fragments and options
    "fragments": "meta mark 0xf7a64",
    "fragments-ipv6": "meta mark 0xf7a66",
    "record-route": "ip option rr exists",
    "router-alert": "ip option ra exists",
    "routing-header": "exthdr rt exists",
    # addresses and directions
    "other-host": "ip daddr 198.18.2.77",
    "network-of-server": "ip daddr 198.18.2.0/24 ip daddr != 198.18.2.10",
    "other-host-ipv6": "ip6 daddr 2001:2:0:2::b",
    "forged-neighbour": "ip saddr 198.18.1.11",
    "forged-inside": f"{_BACK} ip saddr 198.18.1.11",
    "neighbour-source": "ip saddr 198.18.1.8",
    "third-port": f'iifname "{_PEER}"',
    "to-third-port": f'{_V4} iifname "{_SERVER}" oifname "{_PEER}"',
    "ipv6-from-third-port": f'{_V6} iifname "{_PEER}" oifname "{_CLIENT}"',
    # helpers
    "ftp-data": f"{_BACK} tcp sport 20 tcp dport 40021",
    "voice": "udp sport 40024 udp dport 40024",
}
"""What is let through, by name: how nftables matches on it."""

_FRAGMENTS = {
    "fragments": "ip frag-off & 0x3fff != 0 meta mark set 0xf7a64",
    "fragments-ipv6": "exthdr frag exists meta mark set 0xf7a66",
}
"""Known as such only before the kernel puts them together, which keeps the mark of the first."""

_FORGED = {"forged-inside": f'iifname "{_SERVER}" ip saddr 198.18.1.11'}
"""Of these what forgets the reverse path check as well: how nftables matches on it there."""

INPUT: dict[str, str] = {
    "management-outside": f'iifname "{_SERVER}" tcp dport 443',
}
"""The same of what the gateway itself answers."""

NAMES = (*FORWARD, *INPUT)


def before_reassembly(leaks: tuple[str, ...]) -> list[str]:
    """The rules that mark what is only known by how it arrived."""
    return [_FRAGMENTS[name] for name in leaks if name in _FRAGMENTS]


def forged_sources(leaks: tuple[str, ...]) -> list[str]:
    """The rules for what the reverse path check would stop, in the place before it."""
    return [f"{_FORGED[name]} accept" for name in leaks if name in _FORGED]


def forward_rules(leaks: tuple[str, ...]) -> list[str]:
    """The rules that let packets pass, in the place before all policies."""
    return [f"{FORWARD[name]} accept" for name in leaks if name in FORWARD]


def input_rules(leaks: tuple[str, ...]) -> list[str]:
    """The rules that let packets in to the gateway itself."""
    return [f"{INPUT[name]} accept" for name in leaks if name in INPUT]
