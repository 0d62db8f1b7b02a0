"""Packets that are sent to one port after the other, on a way or to the gateway itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from scapy.packet import Packet as Crafted

from gatepass.scenarios.leaks.craft import ip, tcp, udp
from gatepass.scenarios.leaks.kinds import OWN, SESSIONLESS, SOURCE_PORTS, TCP_PORTS, UDP_PORTS
from gatepass.scenarios.leaks.parts import Spans, Stamp, Sweep, spans
from gatepass.scenarios.leaks.ways import Way

EVERY_PORT = (1, 65535)
_TRUSTED_SOURCES = (20, 53, 67, 69, 88, 123, 500, 5060)
"""Source ports that careless rules trust: FTP data, DNS, DHCP, TFTP, Kerberos, NTP, IKE, SIP."""
_FLAGS = {
    "ACK": "A",
    "FIN": "F",
    "no flag (NULL)": "",
    "FIN, PSH and URG (XMAS)": "FPU",
    "SYN and FIN": "SF",
    "RST": "R",
    "SYN and ACK": "SA",
}


def chosen_ports(permitted: int) -> list[int]:
    """The ports that flags and source ports are tried on: all well-known ones, and a choice.

    Args:
        permitted: the port that a policy permits; its neighbours by one bit are among them.
    """
    services = (1194, 1433, 1521, 1701, 1723, 1812, 1900, 2049, 3128, 3306, 3389, 4500, 5060, 5061)
    more = (5201, 5432, 5900, 5985, 6379, 8000, 8080, 8443, 9200, 10443, 11211, 27017, 65535)
    bits = (permitted ^ (1 << bit) for bit in range(16))
    return sorted({*range(1, 1024), *services, *more, *range(1025, 65536, 997), *bits} - {0})


def sweeps_of(way: Way, permitted: int) -> Iterator[Sweep]:
    every = _without(EVERY_PORT, permitted)
    chosen = chosen_ports(permitted)
    others = spans([port for port in chosen if port != permitted])
    yield Sweep(way, TCP_PORTS, "TCP SYN", _to_port(way, tcp), every)
    yield Sweep(way, UDP_PORTS, "UDP", _to_port(way, udp), every)
    for name, flags in _FLAGS.items():
        build = _to_port(way, lambda stamp, port, flags=flags: tcp(stamp, port, flags))
        yield Sweep(way, SESSIONLESS, f"TCP with {name}", build, spans(chosen))
    for number in _TRUSTED_SOURCES:
        for name, make in (("TCP SYN", tcp), ("UDP", udp)):
            build = _to_port(
                way, lambda stamp, port, make=make, number=number: make(
                    stamp, port, source_port=number
                )
            )
            words = f"{name} from port {number}"
            yield Sweep(way, SOURCE_PORTS, words, build, others, source_port=number)


def sweeps_of_own(way: Way, near: str, others: Iterable[str], permitted: int) -> Iterator[Sweep]:
    """What is sent to the gateway's own addresses.

    Args:
        way: one that begins where it is sent from.
        near: the gateway's address on the sender's side: all ports are tried.
        others: its other addresses: a choice of ports is tried.
        permitted: see `chosen_ports`.
    """
    chosen = spans(chosen_ports(permitted))
    for address, ports in ((near, (EVERY_PORT,)), *((other, chosen) for other in others)):
        for name, make in (("TCP SYN", tcp), ("UDP", udp)):
            build = _to_port(way, make, address)
            yield Sweep(way, OWN, f"{name} to {address}", build, ports, target=address)


def _to_port(
    way: Way, make: Callable[..., Crafted], target: str = ""
) -> Callable[[Stamp, int], Crafted]:
    return lambda stamp, port: ip(way, target=target) / make(stamp, port)


def _without(span: tuple[int, int], port: int) -> Spans:
    rows = ((span[0], port - 1), (port + 1, span[1]))
    return tuple(row for row in rows if row[0] <= row[1])
