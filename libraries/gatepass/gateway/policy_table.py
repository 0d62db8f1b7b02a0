"""Which policy of the gateway decides about a packet, by its configuration alone.

What a firewall should do follows from its rule set as it is written; what it does is seen in the
traffic. This is the first half, so that the second can be held against it. FortiOS goes through its
policies from the first to the last, and the first that matches decides; behind all of them is the
implicit deny, policy 0 (FortiOS Administration Guide, "Firewall policies").

Some criteria cannot be told from the configuration alone (names that DNS resolves, countries,
logged in users, schedules). A policy with one of them *may* match: then nobody is blamed for the
packet.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gatepass.gateway.fortigate import FortiGate, Refused

Row = Mapping[str, Any]
Span = tuple[int, int]
TCP, UDP, SCTP, UDP_LITE, ICMP, ICMP6 = 6, 17, 132, 136, 1, 58
PORT_RANGES = {
    TCP: "tcp-portrange",
    UDP: "udp-portrange",
    SCTP: "sctp-portrange",
    UDP_LITE: "udplite-portrange",  # from 7.6.0 on
}
"""Attributes of a service by protocol."""
_UNCLEAR_WHERE_SET = (
    *("users", "groups", "fsso-groups", "internet-service-name", "internet-service-src-name"),
    *("internet-service6-name", "internet-service6-src-name", "ztna-ems-tag", "src-vendor-mac"),
)
_MOST_NESTED = 16
_TABLES = (
    *("firewall/policy", "firewall/address", "firewall/address6", "firewall/addrgrp"),
    *("firewall/addrgrp6", "firewall/vip", "firewall.service/custom", "firewall.service/group"),
    "system/zone",
)


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


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a packet.

    Attributes:
        policyid: of the policy that decides; 0 for the implicit deny.
        accept: whether it lets the packet pass.
        unclear: policies before it that let the packet pass if they match, which cannot be told.
    """

    policyid: int
    accept: bool
    unclear: tuple[int, ...] = ()


class PolicyTable:
    """A rule set as it was read.

    Args:
        tables: CMDB path -> rows, policies in the order of evaluation; what is left out is empty.

    Attributes:
        zones: name of a zone -> names of its interfaces.
    """

    def __init__(self, tables: Mapping[str, Sequence[Row]]) -> None:
        self._tables = tables
        self._named = {
            path: {str(row.get("name")): row for row in tables.get(path, ())} for path in _TABLES
        }
        self.zones = {
            str(row.get("name")): {str(one.get("interface-name")) for one in row["interface"]}
            for row in tables.get("system/zone", ())
            if row.get("interface")
        }
        self._spans: dict[tuple[int, str], tuple[Span, ...] | None] = {}
        self._services: dict[str, tuple[Row, ...] | None] = {}

    @classmethod
    def read(cls, gateway: FortiGate) -> PolicyTable:
        """Read all that policies are made of; a table that a model lacks is empty.

        Raises:
            Refused: one may not be read, so that nothing can be said of the policies.
        """
        return cls({path: gateway.rows_if_any(path) for path in _TABLES})

    def without(self, mark: str) -> PolicyTable:
        """The same without the policies of a run, whose names begin with its mark."""
        own = [row for row in self.policies if not str(row.get("name") or "").startswith(mark)]
        return PolicyTable({**self._tables, "firewall/policy": own})

    @property
    def policies(self) -> Sequence[Row]:
        """The rows, in the order of evaluation."""
        return self._tables.get("firewall/policy", ())

    def decide(self, packet: Packet) -> Decision:
        """Which policy decides about a packet."""
        unclear = []
        for row in self.policies:
            matches = self._matches(row, packet)
            accepts = row.get("action", "deny") in ("accept", "ipsec")
            if matches:
                return Decision(int(row["policyid"]), accepts, tuple(unclear))
            if matches is None and accepts:
                unclear.append(int(row["policyid"]))
        return Decision(0, False, tuple(unclear))

    # -- one policy --------------------------------------------------------------------------

    def _matches(self, row: Row, packet: Packet) -> bool | None:
        """Whether a policy matches; None where that cannot be told."""
        if row.get("status", "enable") != "enable":
            return False
        version = ipaddress.ip_address(packet.source).version
        unclear = False
        for looked in (
            lambda: self._interface(row.get("srcintf"), packet.arrives),
            lambda: self._interface(row.get("dstintf"), packet.leaves),
            lambda: self._address(row, "srcaddr", version, packet.source),
            lambda: self._address(row, "dstaddr", version, packet.target),
            lambda: self._service(row, packet),
        ):
            matches = looked()
            if matches is False:
                return False
            unclear = unclear or matches is None
        scheduled = row.get("schedule", "always") in ("always", "", None)
        by_more = any(row.get(key) for key in _UNCLEAR_WHERE_SET)
        return None if unclear or by_more or not scheduled else True

    def _interface(self, value: object, port: str) -> bool | None:
        found = names(value)
        if "any" in found or port in found:
            return True
        return any(port in self.zones.get(name, ()) for name in found)

    def _address(self, row: Row, key: str, version: int, address: str) -> bool | None:
        suffix = "" if version == 4 else "6"
        members = names(row.get(key + suffix))
        if not members:
            return False
        number, found = int(ipaddress.ip_address(address)), False
        unclear = False
        for name in members:
            spans = self.addresses(version, name)
            if spans is None:
                unclear = True
            elif any(low <= number <= high for low, high in spans):
                found = True
        if unclear and not found:
            return None
        return found != (row.get(f"{key}{suffix}-negate") == "enable")

    def _service(self, row: Row, packet: Packet) -> bool | None:
        found = unclear = False
        for name in names(row.get("service")):
            services = self.services(name)
            if services is None:
                unclear = True
            elif any(_serves(service, packet) for service in services):
                found = True
        if unclear and not found:
            return None
        return found != (row.get("service-negate") == "enable")

    def is_virtual(self, name: str) -> bool:
        """Whether a name is one of a virtual address."""
        return name in self._named["firewall/vip"]

    # -- objects -----------------------------------------------------------------------------

    def addresses(self, version: int, name: str) -> tuple[Span, ...] | None:
        """The addresses of an object or group; None where the configuration does not say them."""
        key = (version, name)
        if key not in self._spans:
            self._spans[key] = self._resolve(version, name, 0)
        return self._spans[key]

    def _resolve(self, version: int, name: str, depth: int) -> tuple[Span, ...] | None:
        suffix = "" if version == 4 else "6"
        group = self._named[f"firewall/addrgrp{suffix}"].get(name)
        if group is not None:
            if depth > _MOST_NESTED or group.get("exclude") == "enable":
                return None
            parts = [self._resolve(version, one, depth + 1) for one in names(group.get("member"))]
            return None if None in parts else tuple(span for part in parts for span in part or ())
        row = self._named[f"firewall/address{suffix}"].get(name)
        if row is not None:
            return address_spans(version, row)
        vip = self._named["firewall/vip"].get(name) if version == 4 else None
        if vip is not None:
            return _virtual(vip)
        return EVERY[version] if name == "all" else () if name == "none" else None

    def services(self, name: str, depth: int = 0) -> tuple[Row, ...] | None:
        """The services of a name; None where it is none that is known."""
        if name not in self._services:
            group = self._named["firewall.service/group"].get(name)
            custom = self._named["firewall.service/custom"].get(name)
            if group is not None and depth <= _MOST_NESTED:
                parts = [self.services(one, depth + 1) for one in names(group.get("member"))]
                joined = tuple(row for part in parts for row in part or ())
                self._services[name] = None if None in parts else joined
            elif custom is not None:
                self._services[name] = (custom,)
            else:
                self._services[name] = ({"protocol": "ALL"},) if name == "ALL" else None
        return self._services[name]


def look_up_packet(gateway: FortiGate, packet: Packet) -> dict:
    """What the gateway itself says decides about a packet of TCP or UDP; empty where it does not
    say.

    Returns:
        `policy_id` and `policy_action`, as the monitor ``firewall/policy-lookup`` names them.
    """
    try:
        return gateway.monitor(
            "firewall/policy-lookup",
            srcintf=packet.arrives,
            sourceip=packet.source,
            protocol="TCP" if packet.protocol == TCP else "UDP",
            dest=packet.target,
            destport=packet.target_port,
        ).get("results", {})
    except Refused:
        return {}


EVERY: dict[int, tuple[Span, ...]] = {4: ((0, 2**32 - 1),), 6: ((0, 2**128 - 1),)}


def names(value: object) -> list[str]:
    """The names of a list of members, as the API writes it."""
    if not isinstance(value, Iterable) or isinstance(value, str):
        return []
    return [str(one.get("name")) for one in value if isinstance(one, Mapping) and one.get("name")]


def address_spans(version: int, row: Row) -> tuple[Span, ...] | None:
    """First and last address of an object; None where the configuration does not say them.

    Args:
        version: 4 or 6.
        row: of ``firewall/address`` or ``firewall/address6``.
    """
    kind = row.get("type", "ipmask" if version == 4 else "ipprefix")
    try:
        if kind == "iprange":
            ends = (ipaddress.ip_address(str(row[key])) for key in ("start-ip", "end-ip"))
            low, high = map(int, ends)
            return ((low, high),)
        if kind in ("ipmask", "interface-subnet"):
            return (_network("/".join(str(row["subnet"]).split())),)
        if kind == "ipprefix":
            return (_network(str(row["ip6"])),)
    except (KeyError, ValueError):
        return None
    return None


def _network(text: str) -> Span:
    network = ipaddress.ip_network(text, strict=False)
    return int(network.network_address), int(network.broadcast_address)


def _virtual(vip: Row) -> tuple[Span, ...] | None:
    """The addresses that a virtual address answers for; packets are sent to these.

    None where it forwards ports: the policy's service is then about other ports than those sent to.
    """
    if vip.get("portforward") == "enable":
        return None
    first, _, last = str(vip.get("extip") or "").partition("-")
    try:
        return ((int(ipaddress.ip_address(first)), int(ipaddress.ip_address(last or first))),)
    except ValueError:
        return None


def _serves(service: Row, packet: Packet) -> bool:
    protocol = str(service.get("protocol", ""))
    if protocol == "ALL":
        return True
    if protocol == "IP":
        return int(service.get("protocol-number") or 0) in (0, packet.protocol)
    if protocol in ("ICMP", "ICMP6"):
        wanted = service.get("icmptype")
        mine = packet.protocol == (ICMP if protocol == "ICMP" else ICMP6)
        return mine and (wanted in (None, "") or int(str(wanted)) == packet.icmp_type)
    ranges = str(service.get(PORT_RANGES.get(packet.protocol, "-")) or "")
    return any(_in_range(one, packet) for one in ranges.split())


def _in_range(text: str, packet: Packet) -> bool:
    """Whether ports fit one range of a service: ``80``, ``8000-8080``, ``53:1024-65535``."""
    targets, _, sources = text.partition(":")
    return _within(targets, packet.target_port) and (
        sources in ("", "0", "0-0") or _within(sources, packet.source_port)
    )


def _within(text: str, port: int) -> bool:
    low, _, high = text.partition("-")
    return low.isdigit() and int(low) <= port <= int(high or low)
