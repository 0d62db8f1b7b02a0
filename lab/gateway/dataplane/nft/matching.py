"""Selectors in nft's notation.

Lists become named sets whose names are made from their content: equal lists share one set, and a
set that is already in the kernel is left alone. Anonymous sets in thousands of rules would make
loading quadratic, because the kernel looks for a free name among all sets each time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from lab.gateway.dataplane.intent.members import Who, set_name
from lab.gateway.dataplane.intent.model import Marking
from lab.gateway.dataplane.intent.ranges import (
    EVERY_ADDRESS,
    EVERY_PORT,
    Spans,
    address_elements,
    port_elements,
)
from lab.gateway.dataplane.intent.services import ICMP, ICMP6, WITH_PORTS, Match
from lab.gateway.dataplane.intent.values import Selector

_FAMILY = {4: "ip", 6: "ip6"}
_NFPROTO = {4: "ipv4", 6: "ipv6"}
_ADDRESS_TYPE = {4: "ipv4_addr", 6: "ipv6_addr"}
_OPPOSITE = {"saddr": "daddr", "daddr": "saddr", "sport": "dport", "dport": "sport"}


def content_name(prefix: str, texts: Iterable[str]) -> str:
    """A name that is the same for the same content, and for no other."""
    digest = hashlib.blake2b("\n".join(texts).encode(), digest_size=10).hexdigest()
    return f"{prefix}_{digest}"


class Matcher:
    """Writes match expressions and collects the sets that they use."""

    def __init__(self) -> None:
        self.sets: dict[str, str] = {}
        self._seen: dict[tuple, list[str]] = {}
        self._set_names: dict[tuple[str, tuple[str, ...]], str] = {}

    def interfaces(self, incoming: tuple[str, ...], outgoing: tuple[str, ...]) -> str:
        """Match on the interfaces of a packet; an empty list is any interface."""
        parts = []
        for key, found in (("iifname", incoming), ("oifname", outgoing)):
            quoted = [f'"{name}"' for name in found]
            if len(quoted) == 1:
                parts.append(f"{key} {quoted[0]}")
            elif quoted:
                parts.append(f"{key} {{ {', '.join(quoted)} }}")
        return " ".join(parts)

    def sessions(self, selector: Selector, reply: bool = False) -> list[str]:
        """Expressions, one a rule, for the packets of the sessions selected.

        Args:
            selector: its interfaces and `except_services` are left to the caller.
            reply: for the packets that come back instead of those that go.
        """
        services = (Match(),) if selector.except_services else selector.services
        found: list[str] = []
        both = all(
            selector.sources.get(version) == selector.dests.get(version) == EVERY_ADDRESS[version]
            for version in (4, 6)
        )
        for version in (4, 6):
            sources, dests = selector.sources.get(version), selector.dests.get(version)
            if sources and dests:
                found += self._variants(version, sources, dests, services, reply, both)
            if both:
                break
        return found

    def marked(self, marking: Marking | None, selector: Selector) -> str:
        """Match on the marking of a packet; comes after what `sessions` says of the selector.

        Args:
            marking: empty for every packet.
            selector: of one IP version, which says where the byte lies.
        """
        if marking is None:
            return ""
        relation = "!=" if marking.negate else "=="
        if 4 in selector.sources:  # the second byte of the header (RFC 791)
            return f"@nh,8,8 & {marking.mask:#04x} {relation} {marking.value:#04x}"
        # the eight bits after the first four (RFC 8200)
        return f"@nh,0,16 & {marking.mask << 4:#06x} {relation} {marking.value << 4:#06x}"

    def members(self, who: tuple[Who, ...] | None) -> list[str]:
        """Expressions, one a rule, for packets from users; one that is empty for anyone."""
        if who is None:
            return [""]
        found = {one: set_name(one) for one in who}
        self.sets |= dict.fromkeys(found.values(), "{ type ipv4_addr; }")
        return [f"ip saddr @{name}" for name in found.values()]

    def services(self, matches: Iterable[Match]) -> list[str]:
        """Expressions for services alone."""
        return [self._service(match, False) for match in matches]

    def translated(self, dest: str, sources: Spans, services: Iterable[Match]) -> list[str]:
        """Expressions for sessions whose destination was translated; `dest` says to which."""
        source = self._address(4, "saddr", sources)
        return [
            " ".join(part for part in (dest, source, self._service(match, False)) if part)
            for match in services
        ]

    def _variants(
        self,
        version: int,
        sources: Spans,
        dests: Spans,
        services: tuple[Match, ...],
        reply: bool,
        both: bool,
    ) -> list[str]:
        key = (version, sources, dests, services, reply, both)
        if key not in self._seen:
            first, second = ("daddr", "saddr") if reply else ("saddr", "daddr")
            addresses = [
                text
                for text in (
                    self._address(version, first, sources),
                    self._address(version, second, dests),
                )
                if text
            ]
            if not addresses and not both:
                addresses = [f"meta nfproto {_NFPROTO[version]}"]
            self._seen[key] = [
                " ".join([*addresses, self._service(match, reply)]).strip() for match in services
            ]
        return self._seen[key]

    def _address(self, version: int, field: str, spans: Spans) -> str:
        if spans == EVERY_ADDRESS[version]:
            return ""
        elements = address_elements(spans, version)
        return f"{_FAMILY[version]} {field} {self._one_of(_ADDRESS_TYPE[version], elements)}"

    def _service(self, match: Match, reply: bool) -> str:
        if match.protocol is None:
            return ""
        if match.protocol in WITH_PORTS:
            return self._ports(WITH_PORTS[match.protocol], match, reply)
        text = f"meta l4proto {match.protocol}"
        if match.protocol in (ICMP, ICMP6) and match.icmp_type is not None and not reply:
            name = "icmp" if match.protocol == ICMP else "icmpv6"
            text = f"{name} type {match.icmp_type}"
            if match.icmp_code is not None:
                text += f" {name} code {match.icmp_code}"
        return text

    def _ports(self, protocol: str, match: Match, reply: bool) -> str:
        parts = []
        for field, spans in (("sport", match.src), ("dport", match.dst)):
            if spans != EVERY_PORT:
                field = _OPPOSITE[field] if reply else field
                elements = port_elements(spans)
                parts.append(f"{protocol} {field} {self._one_of('inet_service', elements)}")
        return " ".join(parts) or f"meta l4proto {protocol}"

    def _one_of(self, kind: str, elements: tuple[str, ...]) -> str:
        if len(elements) == 1:
            return elements[0]
        key = (kind, elements)
        if key not in self._set_names:
            name = content_name("any_of", (kind, *elements))
            self._set_names[key] = name
            self.sets[name] = (
                f"{{ type {kind}; flags interval; elements = {{ {', '.join(elements)} }}; }}"
            )
        return f"@{self._set_names[key]}"
