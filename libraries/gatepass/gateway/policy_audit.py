"""What is wrong with a rule set as it is written, policy by policy.

Nothing is sent: what a policy does is found out by traffic. Here is looked for what no traffic
shows, or only by chance (Wool 2004, "A quantitative study of firewall configuration errors", counts
rules such as these in rule sets that were in use).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from gatepass.gateway.boxes import Box, Span, TooMany, complement, without
from gatepass.gateway.policy_table import (
    EVERY,
    ICMP,
    ICMP6,
    SCTP,
    TCP,
    UDP,
    PolicyTable,
    names,
)

Row = Mapping[str, Any]
SHADOWED, OPEN, UNLOGGED, UNINSPECTED = "shadowed", "open", "unlogged", "uninspected"

INSPECTING = {
    "av-profile": "antivirus",
    "webfilter-profile": "web filter",
    "ips-sensor": "intrusion prevention",
    "application-list": "application control",
}
"""What a policy has to name where security services were bought, and what a reader calls it."""
TLS_INSPECTION = "ssl-ssh-profile"
_LOOKS_AT_NOTHING = ("", "no-inspection")
_EVERY_PORT: Span = (0, 65535)
_EVERY_PROTOCOL: Span = (0, 255)
_PORTRANGES = {TCP: "tcp-portrange", UDP: "udp-portrange", SCTP: "sctp-portrange"}
_NARROWED_BY = ("users", "groups", "fsso-groups", "ztna-ems-tag", "src-vendor-mac")
"""What makes a policy match less than its addresses and services say."""
_ALWAYS = ("always", "", None)
_IN_PLACE_OF_ADDRESSES = (
    *("internet-service", "internet-service-src", "internet-service6", "internet-service6-src"),
)
_MOST_BOXES = 5_000


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with one policy.

    Attributes:
        policyid: of the policy.
        name: of the policy; may be empty.
        kind: SHADOWED, OPEN, UNLOGGED or UNINSPECTED.
        reason: why, as the rest of a sentence that begins with the policy.
    """

    policyid: int
    name: str
    kind: str
    reason: str

    @property
    def sentence(self) -> str:
        """The finding as a sentence."""
        return f"Policy {self.policyid}{f' “{self.name}”' if self.name else ''} {self.reason}."


@dataclass(frozen=True)
class Audit:
    """What came of reading a rule set.

    Attributes:
        looked_at: numbers of the policies that are switched on.
        findings: in the order of the policies.
        unread: policy -> why it could not be held against those before it.
    """

    looked_at: tuple[int, ...]
    findings: tuple[Finding, ...]
    unread: Mapping[int, str]

    def of(self, kind: str) -> tuple[Finding, ...]:
        """The findings of one kind."""
        return tuple(one for one in self.findings if one.kind == kind)


def audit(
    table: PolicyTable,
    inspected: bool,
    profile_groups: Iterable[Row] = (),
    lapsed: Mapping[str, bool] | None = None,
) -> Audit:
    """Read a rule set, policy by policy.

    Args:
        table: as it was read from the gateway.
        inspected: whether security services were bought, so that each policy has to inspect.
        profile_groups: rows of ``firewall/profile-group``.
        lapsed: for each schedule, but `always`, whether its time is over or never comes.
    """
    rows = [row for row in table.policies if row.get("status", "enable") == "enable"]
    groups = {str(row.get("name")): row for row in profile_groups}
    shadows = _Shadows(table, rows, lapsed or {})
    findings = []
    for row in rows:
        looked = {SHADOWED: shadows.of(row)}
        if row.get("action") == "accept":
            looked[OPEN] = _open(table, row)
            looked[UNLOGGED] = _unlogged(row)
            looked[UNINSPECTED] = _uninspected(row, groups) if inspected else ""
        findings += [
            Finding(int(row["policyid"]), str(row.get("name") or ""), kind, reason)
            for kind, reason in looked.items()
            if reason
        ]
    numbers = tuple(int(row["policyid"]) for row in rows)
    return Audit(numbers, tuple(findings), shadows.unread)


# -- what one policy says of itself ----------------------------------------------------------


def _open(table: PolicyTable, row: Row) -> str:
    """Why a policy is open to everything; empty where it is not."""
    if any(row.get(key) for key in _NARROWED_BY):
        return ""
    for version, suffix in ((4, ""), (6, "6")):
        ends = [_spans(table, row, f"{key}{suffix}", version) for key in ("srcaddr", "dstaddr")]
        if all(spans is not None and _is_whole(spans, EVERY[version][0]) for spans in ends) and (
            _any_service(table, row)
        ):
            ways = " to ".join(
                " and ".join(names(row.get(key))) or "nowhere" for key in ("srcintf", "dstintf")
            )
            return f"lets any address reach any address by any service over IPv{version} ({ways})"
    return ""


def _any_service(table: PolicyTable, row: Row) -> bool:
    if row.get("service-negate") == "enable":
        return False
    rows = [one for name in names(row.get("service")) for one in table.services(name) or ()]
    return any((_EVERY_PROTOCOL, _EVERY_PORT, _EVERY_PORT) in _service_boxes(one) for one in rows)


def _unlogged(row: Row) -> str:
    """Why nothing is logged of what a policy lets through; empty where something is."""
    logged = row.get("logtraffic", "utm")
    if logged == "disable":
        return "logs nothing of what it lets through (logtraffic is disable)"
    if logged == "utm" and row.get("utm-status", "disable") != "enable":
        return "logs what its profiles find and has no profile, so it logs nothing (logtraffic utm)"
    return ""


def _uninspected(row: Row, groups: Mapping[str, Row]) -> str:
    """Which ordered inspection a policy lacks; empty where it lacks none."""
    if row.get("utm-status", "disable") != "enable":
        return "inspects nothing, although security services were ordered (utm-status is disable)"
    profiles = row
    if row.get("profile-type") == "group":
        profiles = groups.get(str(row.get("profile-group")), {})
    lacking = [what for key, what in INSPECTING.items() if not profiles.get(key)]
    if str(profiles.get(TLS_INSPECTION) or "") in _LOOKS_AT_NOTHING:
        lacking.append("inspection of TLS")
    return f"lets traffic through without {' and '.join(lacking)}" if lacking else ""


# -- what those before a policy leave for it -------------------------------------------------


class _Shadows:
    """Which policies can never be met, because those before them match all that they match."""

    def __init__(
        self, table: PolicyTable, rows: Sequence[Row], lapsed: Mapping[str, bool]
    ) -> None:
        self._table = table
        self._lapsed = {**lapsed, **dict.fromkeys(_ALWAYS, False)}
        self._ports = _interfaces(table, rows)
        self._before: list[tuple[Row, list[Box]]] = []
        self.unread: dict[int, str] = {}

    def of(self, row: Row) -> str:
        """Why a policy can never be met; empty where it can, or where that cannot be told.

        To be asked in the order of the policies, once each.
        """
        schedule = row.get("schedule", "always")
        if schedule not in self._lapsed:
            self.unread[int(row["policyid"])] = f"there is no schedule “{schedule}” to be read"
            return ""
        if self._lapsed[schedule]:
            return f"is never met: the time of its schedule “{schedule}” is over, or never comes"
        boxes = self._boxes(row)
        if boxes is None:
            self.unread[int(row["policyid"])] = (
                "it goes by names, by virtual addresses or by what else its configuration does "
                "not tell as addresses and ports"
            )
            return ""
        reason = ""
        try:
            reason = self._shadowed(row, boxes) if boxes else "matches nothing: it has no address"
        except TooMany:
            self.unread[int(row["policyid"])] = "it overlaps too many others in too many ways"
        narrowed = any(row.get(key) for key in _NARROWED_BY)
        if not narrowed and schedule in _ALWAYS:
            self._before.append((row, boxes))
        return reason

    def _shadowed(self, row: Row, boxes: list[Box]) -> str:
        left, covering = boxes, []
        for before, holes in self._before:
            seen = left
            for hole in holes:
                left = without(left, hole, _MOST_BOXES)
            if left != seen:
                covering.append(before)
            if not left:
                return _told(row, covering)
        return ""

    def _boxes(self, row: Row) -> list[Box] | None:
        """All that a policy matches at most; None where its configuration does not say it."""
        if any(row.get(key) == "enable" for key in _IN_PLACE_OF_ADDRESSES):
            return None
        services = [self._table.services(name) for name in names(row.get("service"))]
        if None in services or row.get("service-negate") == "enable":
            return None
        matched = {box for rows in services for one in rows or () for box in _service_boxes(one)}
        found: list[Box] = []
        for version, suffix in ((4, ""), (6, "6")):
            ends = [
                _spans(self._table, row, f"{key}{suffix}", version)
                for key in ("srcaddr", "dstaddr")
            ]
            if None in ends:
                return None
            parts = (*self._sides(row), *(list(spans or ()) for spans in ends))
            count = len(matched)
            for part in parts:
                count *= len(part)
            if count > _MOST_BOXES:
                return None
            shift = 0 if version == 4 else 2**128  # no address of IPv6 is one of IPv4
            for arrives, leaves, source, target in product(*parts):
                shifted = tuple((low + shift, high + shift) for low, high in (source, target))
                found += [(arrives, leaves, *shifted, *service) for service in matched]
        return _apart(found)

    def _sides(self, row: Row) -> tuple[list[Span], list[Span]]:
        return tuple(
            [
                span
                for name in names(row.get(key))
                for span in self._interface(name)
            ]
            for key in ("srcintf", "dstintf")
        )

    def _interface(self, name: str) -> list[Span]:
        if name == "any":
            return [(0, len(self._ports))]
        members = self._table.zones.get(name, {name})
        return [(self._ports[one],) * 2 for one in sorted(members)]


def _interfaces(table: PolicyTable, rows: Sequence[Row]) -> dict[str, int]:
    named = {
        name for row in rows for key in ("srcintf", "dstintf") for name in names(row.get(key))
    }
    named |= {one for members in table.zones.values() for one in members}
    return {name: number for number, name in enumerate(sorted(named))}


def _apart(boxes: Iterable[Box]) -> list[Box]:
    """The same, none overlapping another."""
    found: list[Box] = []
    for box in boxes:
        new = [box]
        for known in found:
            new = without(new, known)
            if not new:
                break
        found += new
    return found


def _told(row: Row, covering: Sequence[Row]) -> str:
    """Who leaves a policy nothing, and what comes of it."""
    ids = [f"{one['policyid']}" for one in covering]
    who = f"policy {ids[0]} before it matches"
    if len(ids) > 1:
        who = f"policies {', '.join(ids[:-1])} and {ids[-1]} before it match"
    action = row.get("action", "deny")
    others = {one.get("action", "deny") for one in covering} - {action}
    effect = ""
    if others:
        effect = (
            ", so that what it should block passes"
            if action == "deny"
            else ", so that what it should let through is blocked"
        )
    return f"is never met: {who} all that it matches{effect}"


def _spans(table: PolicyTable, row: Row, key: str, version: int) -> list[Span] | None:
    """Addresses of a policy's key; None where the configuration does not say them."""
    found: list[Span] = []
    for name in names(row.get(key)):
        if version == 4 and table.is_virtual(name):
            return None  # FortiOS translates before it looks at policies that do not name it
        spans = table.addresses(version, name)
        if spans is None:
            return None
        found += spans
    if found and row.get(f"{key}-negate") == "enable":
        return complement(found, EVERY[version][0])
    return found


def _is_whole(spans: Sequence[Span], whole: Span) -> bool:
    return bool(spans) and not complement(spans, whole)


def _service_boxes(service: Row) -> list[Box]:
    """Protocol, target port (of ICMP its type) and source port of a service."""
    protocol = str(service.get("protocol", "TCP/UDP/SCTP"))
    number = int(service.get("protocol-number") or 0)
    if protocol == "ALL" or (protocol == "IP" and number == 0):
        return [(_EVERY_PROTOCOL, _EVERY_PORT, _EVERY_PORT)]
    if protocol == "IP":
        return [((number, number), _EVERY_PORT, _EVERY_PORT)]
    if protocol in ("ICMP", "ICMP6"):
        number = ICMP if protocol == "ICMP" else ICMP6
        kind = str(service.get("icmptype") or "")
        types = (int(kind), int(kind)) if kind.isdigit() else _EVERY_PORT
        return [((number, number), types, _EVERY_PORT)]
    boxes: list[Box] = []
    for number, key in _PORTRANGES.items():
        for text in str(service.get(key) or "").split():
            targets, _, sources = text.partition(":")
            all_sources = sources in ("", "0", "0-0")
            ends = _range(targets), _EVERY_PORT if all_sources else _range(sources)
            boxes.append(((number, number), *ends))
    return boxes


def _range(text: str) -> Span:
    low, _, high = text.partition("-")
    return int(low), int(high or low)
