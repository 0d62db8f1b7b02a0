"""Service objects and groups of the configuration as matches on protocol and ports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lab.gateway.dataplane.intent.addresses import names
from lab.gateway.dataplane.intent.ranges import EVERY_PORT, Spans, contains, union

ICMP, TCP, UDP, ICMP6, SCTP, UDP_LITE = 1, 6, 17, 58, 132, 136
_HIGHEST_ICMP_TYPE = 255
WITH_PORTS = {TCP: "tcp", UDP: "udp", SCTP: "sctp", UDP_LITE: "udplite"}


@dataclass(frozen=True, slots=True)
class Match:
    """Packets of one kind.

    Attributes:
        protocol: IP protocol number; None for any.
        dst: destination ports; every port where the protocol has none.
        src: source ports.
        icmp_type: ICMP type; None for any.
        icmp_code: ICMP code; None for any.
    """

    protocol: int | None = None
    dst: Spans = EVERY_PORT
    src: Spans = EVERY_PORT
    icmp_type: int | None = None
    icmp_code: int | None = None

    def covers(self, protocol: int, destport: int | None) -> bool:
        """Whether a packet of this protocol to this port can match (an unknown port can)."""
        if self.protocol is None:
            return True
        if self.protocol != protocol:
            return False
        return protocol not in WITH_PORTS or destport is None or contains(self.dst, destport)


def ports(text: str) -> list[tuple[Spans, Spans]]:
    """Destination and source ports of a port range attribute.

    Args:
        text: destinations with optional sources, for example ``80 8000-8080:1024-65535``.
    """
    found = []
    for item in text.split():
        dst, _, src = item.partition(":")
        found.append((_span(dst), _span(src) if src and src not in ("0", "0-0") else EVERY_PORT))
    return found


def _span(text: str) -> Spans:
    low, _, high = text.partition("-")
    return ((int(low), int(high or low)),)


class ServiceBook:
    """Resolves names of services and service groups."""

    def __init__(self, services: Iterable[Mapping], groups: Iterable[Mapping] = ()) -> None:
        self._services = {row["name"]: row for row in services}
        self._groups = {row["name"]: row for row in groups}
        self._has_timers = any(row.get("udp-idle-timer") for row in self._services.values())
        self._lists: dict[tuple[str, ...], tuple[Match, ...]] = {}

    def resolve(self, members: Sequence[str]) -> tuple[Match, ...]:
        """The fewest matches that a policy's list of names stands for."""
        key = tuple(members)
        if key not in self._lists:
            self._lists[key] = _joined(
                match for name in members for match in self._named(name, frozenset())
            )
        return self._lists[key]

    def udp_idle(self, members: Sequence[str]) -> tuple[tuple[Match, int], ...]:
        """The UDP services among these names that end when idle for a time of their own, and it.

        In seconds (`udp-idle-timer`).
        """
        if not self._has_timers:  # which is asked for every policy
            return ()
        return tuple(
            (match, int(row["udp-idle-timer"]))
            for name in members
            for row in self._rows(name, frozenset())
            if row.get("udp-idle-timer")
            for match in _matches(row)
            if match.protocol == UDP
        )

    def _rows(self, name: str, inside: frozenset[str]) -> Iterable[Mapping]:
        if name in self._services:
            yield self._services[name]
        elif name in self._groups and name not in inside:
            for member in names(self._groups[name].get("member")):
                yield from self._rows(member, inside | {name})

    def _named(self, name: str, inside: frozenset[str]) -> Iterable[Match]:
        if name in inside:
            return
        if name in self._groups:
            for member in names(self._groups[name].get("member")):
                yield from self._named(member, inside | {name})
        elif name in self._services:
            yield from _matches(self._services[name])
        elif name == "ALL":
            yield Match()


def _matches(row: Mapping) -> Iterable[Match]:
    of_applications = row.get("app-service-type", "disable") != "disable"
    if row.get("iprange") not in (None, "", "0.0.0.0") or row.get("fqdn") or of_applications:
        return  # for some addresses, names or applications alone, of which no packet here is
    protocol = str(row.get("protocol", "TCP"))
    # a service of the web proxy names what is spoken through it; its ports are TCP's
    if protocol.startswith("TCP") or row.get("proxy") == "enable":
        for number, key in WITH_PORTS.items():
            for dst, src in ports(str(row.get(f"{key}-portrange") or "")):
                yield Match(number, dst, src)
    elif protocol in ("ICMP", "ICMP6"):
        kind, code = (_number(row.get(key)) for key in ("icmptype", "icmpcode"))
        if kind is not None and kind > _HIGHEST_ICMP_TYPE:
            return  # no packet has it
        yield Match(ICMP if protocol == "ICMP" else ICMP6, icmp_type=kind, icmp_code=code)
    elif protocol == "IP":
        yield Match(int(row.get("protocol-number") or 0) or None)


def _number(value: object) -> int | None:
    return None if value in (None, "") else int(value)  # type: ignore[call-overload]


def _joined(matches: Iterable[Match]) -> tuple[Match, ...]:
    """One match for all ports of a protocol that have no source range: fewer rules."""
    joined: dict[int, Spans] = {}
    others: dict[Match, None] = {}
    for match in matches:
        if match.protocol is None:
            return (match,)
        if match.protocol in WITH_PORTS and match.src == EVERY_PORT:
            joined[match.protocol] = union((*joined.get(match.protocol, ()), *match.dst))
        else:
            others[match] = None
    return (*(Match(protocol, dst) for protocol, dst in joined.items()), *others)
