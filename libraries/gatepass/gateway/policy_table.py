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
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from gatepass.gateway.address_objects import names
from gatepass.gateway.declared import Declared
from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.named_objects import TABLES, NamedObjects, vip_path
from gatepass.gateway.packet import Packet
from gatepass.gateway.policy_criteria import Criteria, criteria_of, has_unknown, is_on
from gatepass.gateway.policy_services import serves
from gatepass.gateway.schedules import ALWAYS, SCHEDULES, lapsed
from gatepass.gateway.shown import must_be_whole
from gatepass.gateway.virtual_addresses import Led, led, may_answer

Row = Mapping[str, Any]
_ACTIONS = ("accept", "ipsec", "deny")
_POLICY = "firewall/policy"
_SDWAN, _INTERFACE = "system/sdwan", "system/interface"
_FIRST_ZONE = "virtual-wan-link"
"""The SD-WAN zone of members that name none."""
_TABLES = (_POLICY, "system/zone", *TABLES)
_KEY = {4: "dstaddr", 6: "dstaddr6"}


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
            ``system/interface`` may be that of an SD-WAN zone. A row without an attribute that
            every device shows was shown in part: nothing is taken in its place.
        now: by which policies expire, with its time zone; by default the machine's clock.
        declared: what the device tells of its policies' attributes.

    Attributes:
        zones: name of a zone, or SD-WAN zone, -> names of its interfaces.
        lapsed: schedule -> whether its time is over, or never comes; none that cannot be read.
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
        named = NamedObjects(tables)
        self.addresses, self.services = named.addresses, named.services
        self.virtual, self._virtual_addresses = named.virtual, named.virtual_addresses
        self.lapsed = lapsed(lambda path: tables.get(path) or (), self._now)
        self.zones: dict[str, set[str]] = {}
        self._unclear_zones: set[str] = set()
        for row in tables.get("system/zone", ()):
            if row.get("interface") is None:
                self._unclear_zones.add(str(row.get("name")))
            elif row["interface"]:
                members = {str(one.get("interface-name")) for one in row["interface"]}
                self.zones[str(row.get("name"))] = members
        for row in tables.get(_SDWAN) or ():
            zones = _sdwan_zones(row)
            if row.get("status") == "enable" and row.get("members") is not None:
                self.zones |= zones
            else:
                self._unclear_zones |= zones.keys()
        self._ports = {str(row.get("name")) for row in tables.get(_INTERFACE) or ()}
        self._criteria: dict[int, Criteria] = {}
        self._answering: dict[str, list[Row]] = {}

    @classmethod
    def read(cls, gateway: FortiGate) -> PolicyTable:
        """Read all that policies are made of; a table that a model lacks is empty.

        Raises:
            Refused: one may not be read, or not whole, so that nothing can be said of the policies.
        """
        tables = {path: gateway.rows_if_any(path) for path in _TABLES}
        for path, rows in tables.items():
            must_be_whole(path, rows)
        for path in (_SDWAN, *SCHEDULES):
            with suppress(Refused):
                tables[path] = gateway.rows_if_any(path)
        if _SDWAN not in tables:
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
            action = row.get("action")
            if matches and action in _ACTIONS:
                accepts = action != "deny"
                return Decision(int(row["policyid"]), accepts, tuple(unclear), tuple(may_deny))
            if matches is not False:
                (may_deny if action == "deny" else unclear).append(int(row["policyid"]))
        return Decision(0, False, tuple(unclear), tuple(may_deny))

    # -- one policy --------------------------------------------------------------------------

    def _matches(self, row: Row, packet: Packet, led_to: Sequence[Led | None]) -> bool | None:
        """Whether a policy matches; None where that cannot be told."""
        if not is_on(row):
            return False
        criteria = self.criteria(row)
        schedule = row.get("schedule")
        if criteria.expired or self.lapsed.get(str(schedule)):
            return False
        unclear = not criteria.explained or schedule not in ALWAYS
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
        return None if value is None else _any(self._is_of(name, port) for name in names(value))

    def _is_of(self, name: str, port: str) -> bool | None:
        """Whether a name is an interface's, or that of a zone which has it."""
        if name in ("any", port):
            return True
        if name in self.zones:
            return port in self.zones[name]
        is_known = self._tables.get(_SDWAN) is not None or name in self._ports
        return False if is_known and name not in self._unclear_zones else None

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
        if row.get("match-vip-only") == "enable" and row.get("action") == "deny":
            return False
        return self._address(row, "dstaddr", packet.target)

    def _published_to(self, row: Row, packet: Packet, way: Led) -> bool | None:
        """Whether a policy is met by what a virtual address leads elsewhere."""
        version = ipaddress.ip_address(packet.target).version
        key = _KEY[version]
        members = names(row.get(key))
        virtual = {name: self.virtual(version, name) for name in members}
        if any(way.name in (one or ()) for one in virtual.values()):
            return None if row.get(f"{key}-negate") == "enable" else True
        if row.get(key) is None or None in virtual.values() or any(
            self.addresses(version, name) is None for name in members if not virtual[name]
        ):
            return None
        if row.get("action") in ("accept", "ipsec"):
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
        if key in criteria.replaced or key in criteria.untold:
            return None
        members = [
            name for name in names(row.get(key))
            if not (key == _KEY[parsed.version] and self.is_virtual(name, parsed.version))
        ]  # what is virtual is met only by what it leads
        if not members:
            return None if criteria.unknown and not row.get(key) else False
        within = _any(
            None if spans is None else any(low <= int(parsed) <= high for low, high in spans)
            for spans in (self.addresses(parsed.version, name) for name in members)
        )
        return None if within is None else within != (row.get(f"{key}-negate") == "enable")

    def _service(self, row: Row, packet: Packet) -> bool | None:
        criteria = self.criteria(row)
        if "service" in criteria.replaced or "service" in criteria.untold:
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
        target = ipaddress.ip_address(packet.target)
        if packet.target not in self._answering:
            rows = self._tables.get(vip_path(target.version), ())
            self._answering[packet.target] = [row for row in rows if may_answer(row, target)]
        ways = (led(row, packet, self._is_of) for row in self._answering[packet.target])
        found = [way for way in ways if way]
        certain = (
            len(found) == 1
            and found[0].certain
            and found[0].name in self.published[target.version]
        )
        return found if certain else [*found, None]

    @cached_property
    def published(self) -> dict[int, dict[str, Row]]:
        """By IP version the virtual addresses that policies name, themselves or by a group; it is
        not sure that others are in force."""
        found: dict[int, dict[str, Row]] = {}
        for version, key in _KEY.items():
            named = {
                one
                for row in self.policies
                if is_on(row)
                for name in names(row.get(key))
                for one in self.virtual(version, name) or ()
            }
            virtual = self._virtual_addresses(version)
            found[version] = {name: virtual[name] for name in sorted(named & virtual.keys())}
        return found

    def is_virtual(self, name: str, version: int = 4) -> bool:
        """Whether a name is one of a virtual address, or of a group of such."""
        return self.virtual(version, name) != frozenset()


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
