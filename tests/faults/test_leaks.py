"""Leaks of every sort, below everything that the gateway shows: each is found and named by packet.

Those that one kind of packet finds are there together; `benchmarks leaks` meets each by itself with
a whole scan, and `./run.sh test -m long` each with the packets of its kind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from faulty_lab import FaultyLab
from leak_scanner import LeakScanner, scanner_in

from gatepass.scenarios.leaks.findings import listed
from gatepass.scenarios.leaks.kinds import (
    ADDRESSES,
    FRAGMENTS,
    HELPERS,
    ICMP_TYPES,
    NEIGHBOURS,
    OPTIONS,
    PROTOCOLS,
    SESSIONLESS,
    SOURCE_PORTS,
    SOURCES,
    TCP_PORTS,
    UDP_PORTS,
)
from lab.gateway.dataplane.nft.leaks import FORWARD

C_S, S_C, P_C = "client to server over IPv", "server to client over IPv", "peer to client over IPv"
FOUND = {
    "icmp": (ICMP_TYPES, "ICMP type 8, client to server over IPv4"),
    "icmpv6": (ICMP_TYPES, "ICMPv6 type 128, client to server over IPv6"),
    "icmp-timestamp": (ICMP_TYPES, "ICMP type 13, server to client over IPv4"),
    "icmp-unreachable": (ICMP_TYPES, "ICMP type 3 code 4, client to peer over IPv4"),
    "gre": (PROTOCOLS, "GRE with a packet in it, client to server over IPv6"),
    "esp": (PROTOCOLS, "ESP with a header, server to client over IPv4"),
    "ip-in-ip": (PROTOCOLS, "IP in IP with a packet in it, client to server over IPv4"),
    "sctp": (PROTOCOLS, "SCTP INIT, client to server over IPv4"),
    "ospf": (PROTOCOLS, "OSPF with a header, peer to server over IPv4"),
    "protocol-253": (PROTOCOLS, "IP protocol 253, client to server over IPv4"),
    "ssh": (TCP_PORTS, "TCP SYN to port 22, client to server over IPv6"),
    "https": (TCP_PORTS, "TCP SYN to port 443, client to server over IPv4"),
    "tcp-8443": (TCP_PORTS, "TCP SYN to port 8443, server to client over IPv6"),
    "rdp-from-outside": (TCP_PORTS, "TCP SYN to port 3389, server to client over IPv4"),
    "high-tcp-port": (TCP_PORTS, "TCP SYN to port 64999, client to server over IPv4"),
    "dns": (UDP_PORTS, "UDP to port 53, peer to client over IPv4"),
    "snmp": (UDP_PORTS, "UDP to port 161, server to client over IPv4"),
    "high-udp-port": (UDP_PORTS, "UDP to port 60001, client to server over IPv6"),
    "neighbour-port": (NEIGHBOURS, "TCP to port 5300, client to server over IPv4"),
    "from-port-20": (SOURCE_PORTS, "TCP SYN from port 20 to port 1, client to server over IPv4"),
    "from-port-53": (SOURCE_PORTS, "UDP from port 53 to port 1, client to server over IPv4"),
    "from-port-67": (SOURCE_PORTS, "UDP from port 67 to port 1, peer to client over IPv6"),
    "from-port-123": (SOURCE_PORTS, "UDP from port 123 to port 1, server to peer over IPv4"),
    "from-port-500": (SOURCE_PORTS, "UDP from port 500 to port 1, server to client over IPv4"),
    "ack": (SESSIONLESS, "TCP with ACK to port 1, client to server over IPv4"),
    "fin": (SESSIONLESS, "TCP with FIN to port 80, client to server over IPv4"),
    "no-flag": (SESSIONLESS, "TCP with no flag (NULL) to port 80, server to client over IPv6"),
    "xmas": (SESSIONLESS, "TCP with FIN, PSH and URG (XMAS) to port 1, peer to server over IPv4"),
    "syn-fin": (SESSIONLESS, "TCP with SYN and FIN to port 80, client to server over IPv4"),
    "rst": (SESSIONLESS, "TCP with RST to port 1, client to server over IPv4"),
    "fragments": (FRAGMENTS, "the first fragment of UDP, client to server over IPv4"),
    "fragments-ipv6": (FRAGMENTS, "the first fragment of TCP, client to server over IPv6"),
    "record-route": (OPTIONS, "UDP with a record of its route, client to server over IPv4"),
    "router-alert": (OPTIONS, "UDP with a router alert, server to client over IPv4"),
    "routing-header": (OPTIONS, "UDP with routing header 0 behind it, client to server over IPv6"),
    "other-host": (ADDRESSES, "UDP to 198.18.2.77 port 5301, client to server over IPv4"),
    "network-of-server": (ADDRESSES, "echo request to 198.18.2.254, client to server over IPv4"),
    "other-host-ipv6": (
        ADDRESSES,
        "TCP SYN to 2001:2:0:2::b port 5301, client to server over IPv6",
    ),
    "forged-neighbour": (SOURCES, "TCP SYN from 198.18.1.11 (forged), client to server over IPv4"),
    "forged-inside": (SOURCES, "UDP from 198.18.1.11 (forged), server to client over IPv4"),
    "neighbour-source": (
        NEIGHBOURS,
        "TCP SYN from 198.18.1.8 (forged), client to server over IPv4",
    ),
    "third-port": (PROTOCOLS, "IP protocol 100, peer to client over IPv4"),
    "to-third-port": (ICMP_TYPES, "ICMP type 8, server to peer over IPv4"),
    "ipv6-from-third-port": (ICMP_TYPES, "ICMPv6 type 128, peer to client over IPv6"),
    "ftp-data": (
        HELPERS,
        "an FTP data connection (active), to port 40021, server to client over IPv4",
    ),
    "voice": (HELPERS, "a voice stream of SIP, to port 40024, client to server over IPv4"),
}
"""By which kind each leak is found, and one packet that is named; `test_data_plane` has that of
what the gateway itself answers."""


@pytest.fixture(scope="module")
def scanner(lab: FaultyLab) -> Iterator[LeakScanner]:
    """The shared lab with the policies of a scan."""
    with scanner_in(lab) as found:
        yield found
    assert lab.is_as_delivered()


def test_every_leak_is_looked_for() -> None:
    assert set(FOUND) == set(FORWARD)
    assert len(FOUND) >= 40


@pytest.mark.parametrize("kind", [ICMP_TYPES, FRAGMENTS, OPTIONS, HELPERS])
def test_a_sound_gateway_lets_none_through(scanner: LeakScanner, kind: str) -> None:
    findings = scanner.scan([kind], beside_first=True)
    findings.must_be_proven(kind)
    assert not findings.of(kind).leaks and not findings.of(kind).permitted


@pytest.mark.parametrize("kind", sorted({kind for kind, _ in FOUND.values()}))
def test_all_of_a_kind_are_named_by_packet(
    lab: FaultyLab, scanner: LeakScanner, kind: str
) -> None:
    _must_be_found(lab, scanner, kind, [name for name, (own, _) in FOUND.items() if own == kind])


@pytest.mark.long
@pytest.mark.parametrize("name", FOUND)
def test_each_is_named_by_packet(lab: FaultyLab, scanner: LeakScanner, name: str) -> None:
    _must_be_found(lab, scanner, FOUND[name][0], [name])


def _must_be_found(
    lab: FaultyLab, scanner: LeakScanner, kind: str, names: Sequence[str]
) -> None:
    with lab.faulty("leak", of="+".join(names)):
        findings = scanner.scan([kind])
    leaks = findings.of(kind).leaks
    told = set(map(str, leaks))
    missing = [FOUND[name][1] for name in names if FOUND[name][1] not in told]
    assert not missing, listed(leaks)
    assert all(leak.policyid == 0 for leak in leaks)
    assert all(findings.scanned.captures[leak.at.name] for leak in leaks)
