"""Which policy of the gateway decides about a packet, by its configuration alone.

What a firewall should do follows from its rule set as it is written; what it does is seen in the
traffic. This is the first half, so that the second can be held against it. FortiOS goes through its
policies from the first to the last, and the first that matches decides; behind all of them is the
implicit deny, policy 0 (FortiOS Administration Guide, "Firewall policies").

Some criteria cannot be told from the configuration alone (names that DNS resolves, countries,
logged in users, schedules, Internet services, …; see `policy_criteria`). A policy with one of them
*may* match: then nobody is blamed for the packet.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from gatepass.gateway.address_objects import EVERY, Span, address_spans, names
from gatepass.gateway.declared import Declared
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.packet import TCP, Packet
from gatepass.gateway.policy_criteria import Criteria, criteria_of, has_unknown
from gatepass.gateway.policy_services import serves
from gatepass.gateway.virtual_addresses import Led, led, may_answer

Row = Mapping[str, Any]
_MOST_NESTED = 16
_ACTIONS = ("accept", "ipsec", "deny")
_ALWAYS = ("always", "", None)
_POLICY = "firewall/policy"
_SDWAN, _INTERFACE = "system/sdwan", "system/interface"
_FIRST_ZONE = "virtual-wan-link"
"""The SD-WAN zone of members that name none."""
_TABLES = (
    *("firewall/policy", "firewall/address", "firewall/address6", "firewall/addrgrp"),
    *("firewall/addrgrp6", "firewall/vip", "firewall.service/custom", "firewall.service/group"),
    "system/zone",
)


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a packet.

    Attributes:
        policyid: of the policy that decides; 0 for the implicit deny.
        accept: whether it lets the packet pass.
        unclear: policies before it that let the packet pass if they match, which cannot be told.
        may_deny: policies before it that block the packet if they match, which cannot be told
            either. Two decisions are compared without.
    """

    policyid: int
    accept: bool
    unclear: tuple[int, ...] = ()
    may_deny: tuple[int, ...] = field(default=(), compare=False)


class PolicyTable:
    """A rule set as it was read.

    Args:
        tables: CMDB path -> rows, policies in the order of evaluation; what is left out is empty,
            but ``system/sdwan``: left out, it could not be read, and a name that is not among
            ``system/interface`` may be that of an SD-WAN zone.
        now: by which policies expire, with its time zone; by default the machine's clock.
        declared: what the device tells of its policies' attributes.

    Attributes:
        zones: name of a zone, or SD-WAN zone, -> names of its interfaces.
    """

    def __init__(
        self,
        tables: Mapping[str, Sequence[Row]],
        now: datetime | None = None,
        declared: Declared | None = None,
    ) -> None:
        self._tables = tables
        self._now = now or datetime.now(UTC)
        self._declared = declared
        self._named = {
            path: {str(row.get("name")): row for row in tables.get(path, ())} for path in _TABLES
        }
        self.zones = {
            str(row.get("name")): {str(one.get("interface-name")) for one in row["interface"]}
            for row in tables.get("system/zone", ())
            if row.get("interface")
        }
        self._disabled_zones: set[str] = set()
        for row in tables.get(_SDWAN) or ():
            zones = _sdwan_zones(row)
            if row.get("status") == "enable":
                self.zones |= zones
            else:
                self._disabled_zones |= zones.keys()
        self._ports = {str(row.get("name")) for row in tables.get(_INTERFACE) or ()}
        self._criteria: dict[int, Criteria] = {}
        self._spans: dict[tuple[int, str], tuple[Span, ...] | None] = {}
        self._services: dict[str, tuple[Row, ...] | None] = {}
        self._answering: dict[str, list[Row]] = {}

    @classmethod
    def read(cls, gateway: FortiGate) -> PolicyTable:
        """Read all that policies are made of; a table that a model lacks is empty.

        Raises:
            Refused: one may not be read, so that nothing can be said of the policies.
        """
        tables = {path: gateway.rows_if_any(path) for path in _TABLES}
        try:
            tables[_SDWAN] = gateway.rows_if_any(_SDWAN)
        except Refused:
            tables[_INTERFACE] = gateway.rows_if_any(_INTERFACE)
        unknown = any(has_unknown(row) for row in tables[_POLICY])
        return cls(
            tables,
            datetime.fromtimestamp(gateway.answered_s, UTC) if gateway.answered_s else None,
            gateway.declared(_POLICY) if unknown else None,
        )

    def without(self, mark: str) -> PolicyTable:
        """The same without the policies of a run, whose names begin with its mark."""
        own = [row for row in self.policies if not str(row.get("name") or "").startswith(mark)]
        return PolicyTable({**self._tables, _POLICY: own}, self._now, self._declared)

    @property
    def policies(self) -> Sequence[Row]:
        """The rows, in the order of evaluation."""
        return self._tables.get(_POLICY, ())

    def criteria(self, row: Row) -> Criteria:
        """What a policy goes by besides interfaces, addresses, services and schedule."""
        number = int(row["policyid"])
        if number not in self._criteria:
            self._criteria[number] = criteria_of(row, self._now, self._declared)
        return self._criteria[number]

    def decide(self, packet: Packet) -> Decision:
        """Which policy decides about a packet."""
        unclear, may_deny = [], []
        led_to = self._led_to(packet)
        for row in self.policies:
            matches = self._matches(row, packet, led_to)
            action = row.get("action", "deny")
            if matches and action in _ACTIONS:
                accepts = action != "deny"
                return Decision(int(row["policyid"]), accepts, tuple(unclear), tuple(may_deny))
            if matches is not False:
                (may_deny if action == "deny" else unclear).append(int(row["policyid"]))
        return Decision(0, False, tuple(unclear), tuple(may_deny))

    # -- one policy --------------------------------------------------------------------------

    def _matches(self, row: Row, packet: Packet, led_to: Sequence[Led | None]) -> bool | None:
        """Whether a policy matches; None where that cannot be told."""
        if row.get("status", "enable") != "enable":
            return False
        criteria = self.criteria(row)
        if criteria.expired:
            return False
        unclear = not criteria.explained or row.get("schedule", "always") not in _ALWAYS
        for looked in (
            lambda: self._interface(row.get("srcintf"), packet.arrives),
            lambda: self._interface(row.get("dstintf"), packet.leaves),
            lambda: self._address(row, "srcaddr", packet.source),
            lambda: _same(self._ends(row, packet, way) for way in led_to),
        ):
            matches = looked()
            if matches is False:
                return False
            unclear = unclear or matches is None
        return None if unclear else True

    def _interface(self, value: object, port: str) -> bool | None:
        return _any(self._is_of(name, port) for name in names(value))

    def _is_of(self, name: str, port: str) -> bool | None:
        """Whether a name is an interface's, or that of a zone which has it."""
        if name in ("any", port):
            return True
        if name in self.zones:
            return port in self.zones[name]
        is_known = self._tables.get(_SDWAN) is not None or name in self._ports
        return False if is_known and name not in self._disabled_zones else None

    def _ends(self, row: Row, packet: Packet, way: Led | None) -> bool | None:
        """Whether target and service match, if a virtual address leads it this way or none does."""
        virtual = way is not None
        reached = self._published_to(row, packet, way) if virtual else self._target(row, packet)
        if reached is False:
            return False
        port = way.port if way else packet.target_port
        served = None if port is None else self._service(row, replace(packet, target_port=port))
        return served if reached else (False if served is False else None)

    def _target(self, row: Row, packet: Packet) -> bool | None:
        """Whether a packet goes to a policy's addresses by itself."""
        if row.get("match-vip-only") == "enable" and row.get("action", "deny") == "deny":
            return False
        return self._address(row, "dstaddr", packet.target)

    def _published_to(self, row: Row, packet: Packet, way: Led) -> bool | None:
        """Whether a policy is met by what a virtual address leads elsewhere."""
        members = names(row.get("dstaddr"))
        if way.name in members:
            return None if row.get("dstaddr-negate") == "enable" else True
        if any(self.addresses(4, name) is None for name in members if not self.is_virtual(name)):
            return None
        if row.get("action", "deny") != "deny":
            return False
        met, only = row.get("match-vip"), row.get("match-vip-only") == "enable"
        if met == "disable" and not only:
            return False
        at = [packet.target, *([way.target] if way.target else [])]
        matches = _same(self._address(row, "dstaddr", one) for one in at)
        known = met is not None and way.target is not None
        return matches if known or matches is False else None

    def _address(self, row: Row, key: str, address: str) -> bool | None:
        parsed = ipaddress.ip_address(address)
        key += "" if parsed.version == 4 else "6"
        criteria = self.criteria(row)
        if key in criteria.replaced:
            return None
        members = [
            name for name in names(row.get(key))
            if key != "dstaddr" or not self.is_virtual(name)  # met only by what it leads
        ]
        if not members:
            return None if criteria.unknown and not row.get(key) else False
        within = _any(
            None if spans is None else any(low <= int(parsed) <= high for low, high in spans)
            for spans in (self.addresses(parsed.version, name) for name in members)
        )
        return None if within is None else within != (row.get(f"{key}-negate") == "enable")

    def _service(self, row: Row, packet: Packet) -> bool | None:
        criteria = self.criteria(row)
        if "service" in criteria.replaced:
            return None
        members = names(row.get("service"))
        if not members:
            return None if criteria.unknown else False
        served = _any(
            None if services is None else _any(serves(service, packet) for service in services)
            for services in map(self.services, members)
        )
        return None if served is None else served != (row.get("service-negate") == "enable")

    # -- virtual addresses -------------------------------------------------------------------

    def _led_to(self, packet: Packet) -> list[Led | None]:
        """All ways that a packet may take: led by virtual addresses, or (None) by none."""
        if packet.target not in self._answering:
            target = ipaddress.ip_address(packet.target)
            self._answering[packet.target] = [
                row for row in self._tables.get("firewall/vip", ()) if may_answer(row, target)
            ]
        ways = (led(row, packet, self._is_of) for row in self._answering[packet.target])
        found = [way for way in ways if way]
        certain = len(found) == 1 and found[0].certain and found[0].name in self.published
        return found if certain else [*found, None]

    @cached_property
    def published(self) -> dict[str, Row]:
        """The virtual addresses that policies name; it is not sure that others are in force."""
        named = {
            name
            for row in self.policies
            if row.get("status", "enable") == "enable"
            for name in names(row.get("dstaddr"))
        }
        virtual = self._named["firewall/vip"]
        return {name: virtual[name] for name in sorted(named & virtual.keys())}

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


def _sdwan_zones(row: Row) -> dict[str, set[str]]:
    """The zones of ``system/sdwan`` with their interfaces."""
    zones: dict[str, set[str]] = {str(one.get("name")): set() for one in row.get("zone") or ()}
    for one in row.get("members") or ():
        zone = str(one.get("zone") or _FIRST_ZONE)
        zones.setdefault(zone, set()).add(str(one.get("interface")))
    return zones


def _any(found: Iterable[bool | None]) -> bool | None:
    """Whether one is true; None where that depends on what cannot be told."""
    unclear = False
    for one in found:
        if one:
            return True
        unclear = unclear or one is None
    return None if unclear else False


def _same(found: Iterable[bool | None]) -> bool | None:
    """What all are; None where they differ."""
    different = set(found)
    return different.pop() if len(different) == 1 else None
