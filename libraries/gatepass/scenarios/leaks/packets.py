"""The packets of a scan, made by hand with scapy: what each kind of check sends on one way.

Every packet bears its `Stamp` (`parts`): TCP as sequence and acknowledgement number, all else in
what it carries, so often that each fragment has it whole. None of them is what the policies of the
scan permit; what a policy of the customer permits is held against the rule set later.

Sources: RFC 793 and 9293 (flags), RFC 1858 and 3128 (tiny and overlapping fragments), RFC 5722
(overlapping fragments of IPv6), RFC 5095 (routing header 0), RFC 6890 (addresses of special
purpose), RFC 2827 (forged sources), RFC 7126 (options of IPv4).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterable, Iterator

from scapy.layers.inet import (
    ICMP,
    IP,
    IPOption_LSRR,
    IPOption_Router_Alert,
    IPOption_RR,
    IPOption_Security,
    IPOption_SSRR,
    IPOption_Stream_Id,
    IPOption_Timestamp,
)
from scapy.layers.inet6 import (
    HBHOptUnknown,
    ICMPv6Unknown,
    IPv6,
    IPv6ExtHdrDestOpt,
    IPv6ExtHdrFragment,
    IPv6ExtHdrHopByHop,
    IPv6ExtHdrRouting,
    RouterAlert,
)
from scapy.layers.l2 import GRE
from scapy.layers.sctp import SCTP, SCTPChunkInit
from scapy.packet import Packet as Crafted
from scapy.packet import Raw

from gatepass.scenarios.leaks.craft import FTP_ACTIVE, FTP_PASSIVE, RTP, echo, ip, tcp, udp
from gatepass.scenarios.leaks.kinds import (
    ADDRESSES,
    FRAGMENTS,
    HELPERS,
    ICMP_TYPES,
    KINDS,
    NEIGHBOURS,
    OPTIONS,
    PROTOCOLS,
    SOURCES,
)
from gatepass.scenarios.leaks.parts import CONTROL_PORT, SCAN_PORT, Build, Handful, Part, Stamp
from gatepass.scenarios.leaks.sweeps import sweeps_of
from gatepass.scenarios.leaks.template import Template
from gatepass.scenarios.leaks.ways import Way

_CLOSED, _CLOSED_TOO = 9, 13
"""Ports (discard, daytime) that no policy of the scan permits."""
_MULTICAST = {
    4: ("224.0.0.1", "224.0.0.5", "224.0.1.1", "239.255.255.250", "239.1.2.3"),
    6: ("ff02::1", "ff05::2", "ff08::101", "ff0e::1"),
}
_SPECIAL = {
    4: (
        *("0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "127.0.0.1", "169.254.1.1"),
        *("172.16.0.1", "192.0.2.1", "192.168.0.1", "198.51.100.1", "203.0.113.1"),
        *("224.0.0.1", "240.0.0.1", "255.255.255.255"),
    ),
    6: (
        *("::", "::1", "::ffff:127.0.0.1", "64:ff9b::1", "100::1", "2001:db8::1", "2002:7f00:1::1"),
        *("fc00::1", "fd00::1", "fe80::1", "ff02::1", "ff0e::1"),
    ),
}
_MOST_HOSTS = 254


def parts_of(way: Way, permitted: int, kinds: Iterable[str] = KINDS) -> list[Part]:
    """What is sent on a way, but for what goes to the gateway itself.

    Args:
        way: between two ports.
        permitted: the TCP and UDP port of the receiver that a policy permits.
        kinds: those that are wanted.
    """
    kinds = set(kinds)
    made: list[Part] = [part for part in sweeps_of(way, permitted) if part.kind in kinds]
    for kind, make in _HANDFULS.items():
        if kind in kinds:
            made.append(Handful(way, kind, tuple(make(way, permitted))))
    return made


Named = Iterator[tuple[str, Build]]


def _protocols(way: Way, permitted: int) -> Named:
    icmp = 1 if way.version == 4 else 58
    field = "proto" if way.version == 4 else "nh"
    for number in range(256):
        if number not in (icmp, 6, 17):
            yield (
                f"IP protocol {number}",
                lambda stamp, number=number: ip(way, **{field: number}) / Raw(bytes(stamp) * 3),
            )
    inner = (way.ends[0], way.ends[1])
    layer = IP if way.version == 4 else IPv6

    def within(stamp: Stamp) -> Crafted:
        return layer(src=inner[0], dst=inner[1]) / udp(stamp, _CLOSED)

    yield "GRE with a packet in it", lambda stamp: ip(way) / GRE() / within(stamp)
    yield "IP in IP with a packet in it", lambda stamp: ip(way) / within(stamp)
    yield (
        "SCTP INIT",
        lambda stamp: ip(way)
        / SCTP(sport=SCAN_PORT, dport=permitted)
        / SCTPChunkInit(init_tag=stamp.mark, a_rwnd=stamp.number),
    )
    for name, number, header in (
        ("ESP", 50, 8), ("AH", 51, 12), ("L2TP", 115, 4), ("UDP-Lite", 136, 8), ("OSPF", 89, 24)
    ):
        yield (
            f"{name} with a header",
            lambda stamp, number=number, header=header: ip(way, **{field: number})
            / Raw(bytes([4]) * header + bytes(stamp) * 3),
        )


def _icmp_types(way: Way, permitted: int) -> Named:
    del permitted
    here, there = way.ends

    def message(stamp: Stamp, kind: int, code: int) -> Crafted:
        body = bytes(stamp) * 2
        errors = (3, 4, 5, 11, 12) if way.version == 4 else (1, 2, 3, 4)
        if kind in errors:  # about a session that nobody has
            quoted = ip(way, source=there, target=here) / udp(stamp, 40998, source_port=40999)
            body = bytes(quoted)
        if way.version == 4:
            return ip(way) / ICMP(type=kind, code=code) / Raw(body)
        return ip(way) / ICMPv6Unknown(type=kind, code=code, msgbody=bytes(4) + body)

    name = "ICMP" if way.version == 4 else "ICMPv6"
    unreachable, codes = (3, 16) if way.version == 4 else (1, 8)
    for kind in range(256):
        for code in range(codes if kind == unreachable else 1):
            yield (
                f"{name} type {kind}" + (f" code {code}" if code else ""),
                lambda stamp, kind=kind, code=code: message(stamp, kind, code),
            )


def _fragments(way: Way, permitted: int) -> Named:
    del permitted

    def piece(
        stamp: Stamp, protocol: int, body: bytes, offset: int, more: bool, group: int
    ) -> Crafted:
        """One fragment; `offset` in units of 8 bytes, `group` tells which belong together."""
        if way.version == 4:
            header = ip(way, proto=protocol, id=0x4000 + group, flags="MF" if more else 0)
            header.frag = offset
            return header / Raw(body)
        fragment = IPv6ExtHdrFragment(nh=protocol, offset=offset, m=int(more), id=0x40000 + group)
        return ip(way) / fragment / Raw(body)

    def whole(stamp: Stamp, protocol: int, port: int) -> bytes:
        made = tcp(stamp, port) if protocol == 6 else udp(stamp, port)
        return bytes(made)[: 24 if protocol == 6 else 8] + bytes(stamp) * 4

    udp_at = {True: "the first fragment", False: "the second fragment"}
    for name, protocol in (("UDP", 17), ("TCP", 6)):
        for first in (True, False):
            yield (
                f"{udp_at[first]} of {name}",
                lambda stamp, first=first, protocol=protocol: piece(
                    stamp,
                    protocol,
                    whole(stamp, protocol, _CLOSED)[:32] if first else bytes(stamp) * 2,
                    0 if first else 4,
                    first,
                    protocol,
                ),
            )
    yield (
        "a first fragment of 8 bytes (tiny)",
        lambda stamp: piece(stamp, 6, whole(stamp, 6, _CLOSED)[:8], 0, True, 30),
    )
    yield (
        "the rest behind a tiny fragment",
        lambda stamp: piece(stamp, 6, whole(stamp, 6, _CLOSED)[8:], 1, False, 30),
    )
    yield (
        "a fragment that overlaps the next",
        lambda stamp: piece(stamp, 17, whole(stamp, 17, _CLOSED), 0, True, 40),
    )
    yield (
        "a fragment that overlaps the one before",
        lambda stamp: piece(stamp, 17, whole(stamp, 17, _CLOSED_TOO), 0, True, 40),
    )
    yield (
        "the end of overlapping fragments",
        lambda stamp: piece(stamp, 17, bytes(stamp) * 2, 2, False, 40),
    )
    yield (
        "a later fragment without a first",
        lambda stamp: piece(stamp, 17, bytes(stamp) * 2, 20, False, 50),
    )
    yield (
        "a fragment that ends behind the longest packet",
        lambda stamp: piece(stamp, 17, bytes(stamp) * 8, 8189, False, 60),
    )
    yield (
        "a first fragment without another",
        lambda stamp: piece(stamp, 17, whole(stamp, 17, _CLOSED), 0, True, 70),
    )
    if way.version == 6:
        yield (
            "a packet in one fragment (atomic)",
            lambda stamp: ip(way) / IPv6ExtHdrFragment(id=80) / udp(stamp, _CLOSED),
        )


def _options(way: Way, permitted: int) -> Named:
    del permitted
    here, there = way.ends
    gateway = way.source.gateway[way.version]
    if way.version == 4:
        options = {
            "a loose source route": IPOption_LSRR(routers=[there]),
            "a strict source route": IPOption_SSRR(routers=[there]),
            "a record of its route": IPOption_RR(routers=["0.0.0.0"] * 3),
            "time stamps": IPOption_Timestamp(),
            "a router alert": IPOption_Router_Alert(),
            "a security label": IPOption_Security(),
            "a stream number": IPOption_Stream_Id(security=1),
        }
        for name, option in options.items():
            yield (
                f"UDP with {name}",
                lambda stamp, option=option: ip(way, options=[option]) / udp(stamp, _CLOSED),
            )
        for name, option in (("loose", IPOption_LSRR), ("strict", IPOption_SSRR)):
            yield (
                f"UDP to the gateway with a {name} source route on from there",
                lambda stamp, option=option: ip(
                    way, target=gateway, options=[option(routers=[there])]
                )
                / udp(stamp, _CLOSED),
            )
        return
    headers = {
        "routing header 0 behind it": IPv6ExtHdrRouting(type=0, addresses=[here], segleft=0),
        "routing header 2": IPv6ExtHdrRouting(type=2, addresses=[here], segleft=0),
        "routing header 4 (segments)": IPv6ExtHdrRouting(type=4, addresses=[here], segleft=0),
        "destination options": IPv6ExtHdrDestOpt(),
        "hop-by-hop options": IPv6ExtHdrHopByHop(),
        "a router alert": IPv6ExtHdrHopByHop(options=[RouterAlert()]),
        "an unknown hop-by-hop option": IPv6ExtHdrHopByHop(options=[HBHOptUnknown(otype=0x1E)]),
    }
    for name, header in headers.items():
        yield f"UDP with {name}", lambda stamp, header=header: (
            ip(way) / header.copy() / udp(stamp, _CLOSED)
        )
    yield (
        "UDP to the gateway with routing header 0 on from there",
        lambda stamp: ip(way, target=gateway)
        / IPv6ExtHdrRouting(type=0, addresses=[there], segleft=1)
        / udp(stamp, _CLOSED),
    )


def other_hosts(way: Way) -> list[str]:
    """The other addresses of the receiver's network: all of a small one, of a large one its first.

    The gateway's own, the network's and the broadcast address are left out.
    """
    network, (_, there) = way.far, way.ends
    taken = {there, way.target.gateway.get(way.version, "")}
    found = []
    for offset in range(1, min(network.num_addresses - (way.version == 4), _MOST_HOSTS + 1)):
        address = str(network.network_address + offset)
        if address not in taken:
            found.append(address)
    return found


def _addresses(way: Way, permitted: int) -> Named:
    yield from _each_protocol(way, permitted, "", other_hosts(way))
    network = way.far
    if way.version == 4:
        broad = [str(network.broadcast_address), str(network.network_address), "255.255.255.255"]
        yield from _each_protocol(way, permitted, "", broad)
    yield from _each_protocol(way, permitted, "", _MULTICAST[way.version])


def _sources(way: Way, permitted: int) -> Named:
    here, there = way.ends
    own = (way.source.gateway.get(way.version), way.target.gateway.get(way.version))
    beside = [str(ipaddress.ip_address(address) + 1) for address in (here, there)]
    forged = [there, *beside, *(address for address in own if address), *_SPECIAL[way.version]]
    if way.version == 4:
        forged += [str(way.near.broadcast_address), str(way.far.broadcast_address)]
    yield from _each_protocol(way, permitted, "forged", dict.fromkeys(forged))


def _neighbours(way: Way, permitted: int) -> Named:
    here, there = way.ends
    width = 32 if way.version == 4 else 128

    def flipped(address: str) -> list[str]:
        value = ipaddress.ip_address(address)
        return [str(type(value)(int(value) ^ (1 << bit))) for bit in range(width)]

    yield from _each_protocol(way, permitted, "forged", flipped(here), echoes=False)
    yield from _each_protocol(way, permitted, "", flipped(there), echoes=False)
    field = "proto" if way.version == 4 else "nh"
    for name, number, make in (("TCP", 6, tcp), ("UDP", 17, udp)):
        for bit in range(16):
            port = permitted ^ (1 << bit)
            if port:
                yield (
                    f"{name} to port {port}",
                    lambda stamp, make=make, port=port: ip(way) / make(stamp, port),
                )
        for bit in range(8):
            other = number ^ (1 << bit)
            if other not in (0, 1, 43, 44, 58, 60):  # they are no payload, or tried as themselves
                yield (
                    f"a {name} header as IP protocol {other}",
                    lambda stamp, make=make, other=other: ip(way, **{field: other})
                    / Raw(bytes(make(stamp, permitted)) + bytes(stamp)),
                )


def _helpers(way: Way, permitted: int) -> Named:
    """What a helper would let in for words on a connection that it has no part in."""
    del permitted
    for words, make, port, source_port in (
        ("an FTP data connection (active)", tcp, FTP_ACTIVE, 20),
        ("an FTP data connection (passive)", tcp, FTP_PASSIVE, SCAN_PORT),
        ("a voice stream of SIP", udp, RTP, RTP),
        ("the control of a voice stream of SIP", udp, RTP + 1, RTP + 1),
        ("an answer of TFTP", udp, CONTROL_PORT, SCAN_PORT),
        ("an answer of TFTP from port 69", udp, CONTROL_PORT, 69),
    ):
        yield (
            f"{words}, to port {port}",
            lambda stamp, make=make, port=port, source_port=source_port: ip(way)
            / make(stamp, port, source_port=source_port),
        )


def _each_protocol(
    way: Way, permitted: int, side: str, addresses: Iterable[str], echoes: bool = True
) -> Named:
    """TCP, UDP and an echo request, to other addresses or from forged ones."""
    templates = {
        "TCP SYN": Template(lambda stamp: ip(way) / tcp(stamp, permitted)),
        "UDP": Template(lambda stamp: ip(way) / udp(stamp, permitted)),
    }
    if echoes:
        templates["echo request"] = Template(lambda stamp: ip(way) / echo(way, stamp))
    for address in addresses:
        where = {"source": address} if side else {"target": address}
        said = f"from {address} (forged)" if side else f"to {address}"
        for name, template in templates.items():
            port = f" port {permitted}" if not side and name != "echo request" else ""
            yield (
                f"{name} {said}{port}",
                lambda stamp, template=template, where=where: template.made(stamp, **where),
            )


_HANDFULS: dict[str, Callable[[Way, int], Named]] = {
    PROTOCOLS: _protocols,
    ICMP_TYPES: _icmp_types,
    FRAGMENTS: _fragments,
    OPTIONS: _options,
    ADDRESSES: _addresses,
    SOURCES: _sources,
    NEIGHBOURS: _neighbours,
    HELPERS: _helpers,
}
