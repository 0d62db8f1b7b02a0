"""What policies leave for those behind them, and so which can never be met."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from gatepass.gateway.address_objects import EVERY, names
from gatepass.gateway.boxes import Box, Span, TooMany, complement, overlap, without
from gatepass.gateway.policy_services import is_narrowed, service_boxes
from gatepass.gateway.policy_table import PolicyTable
from gatepass.gateway.schedules import ALWAYS
from gatepass.gateway.virtual_addresses import external

Row = Mapping[str, Any]
_NOT_SHOWN = (
    "it depends on names, virtual addresses or something else that the configuration does not show "
    "as addresses and ports"
)
_IN_PART = "the gateway shows only a part of it"
_MOST_BOXES = 5_000
OF_IPV6 = 2**128
"""Added to addresses of IPv6 in a box, so that none is one of IPv4."""


class Shadows:
    """Which policies can never be met, because those before them match all that they match.

    Args:
        table: the rule set.
        rows: its policies that are switched on.

    Attributes:
        ports: name of an interface -> its number in boxes; one more stands for all others.
        unread: policy -> why it could not be held against those before it.
        left: policy -> the boxes that those before it leave: interfaces where a packet arrives and
            leaves, source, target (`OF_IPV6`), protocol, target port or ICMP type, source port.
    """

    def __init__(self, table: PolicyTable, rows: Sequence[Row]) -> None:
        self._table = table
        self._lapsed = {**table.lapsed, **dict.fromkeys(ALWAYS, False)}
        self.ports = _interfaces(table, rows)
        self.left: dict[int, list[Box]] = {}
        self._before: list[tuple[Row, list[Box]]] = []
        self.unread: dict[int, str] = {}

    def of(self, row: Row) -> str:
        """Why a policy can never be met; empty where it can, or where that cannot be told.

        To be asked in the order of the policies, once each.
        """
        criteria, schedule = self._table.criteria(row), row.get("schedule")
        if criteria.untold:
            self.unread[int(row["policyid"])] = _IN_PART
            return ""
        if schedule not in self._lapsed:
            self.unread[int(row["policyid"])] = f"there is no schedule “{schedule}” to be read"
            return ""
        if self._lapsed[schedule]:
            return f"is never met: the time of its schedule “{schedule}” is over, or never comes"
        if criteria.expired:
            return f"is never met: it expired on {criteria.expires:%Y-%m-%d}"
        goes_by_others = criteria.unknown or row.get("match-vip-only") == "enable"
        boxes = None if goes_by_others else self._boxes(row)
        if boxes is None:
            self.unread[int(row["policyid"])] = (
                f"it depends on “{criteria.unknown[0]}”, which Gatepass does not know"
                if criteria.unknown
                else _NOT_SHOWN
            )
            return ""
        reason = ""
        try:
            reason = self._shadowed(row, boxes) if boxes else "matches nothing: it has no address"
        except TooMany:
            self.unread[int(row["policyid"])] = "it overlaps too many others in too many ways"
        if criteria.explained and schedule in ALWAYS and not self._is_bound(row):
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
            if not left and self._may_meet_published(row, covering):
                self.unread[int(row["policyid"])] = _NOT_SHOWN
                return ""
            if not left:
                return _told(row, covering)
        self.left[int(row["policyid"])] = left
        return ""

    def _may_meet_published(self, row: Row, covering: Sequence[Row]) -> bool:
        """Whether it denies what virtual addresses lead on, which those before let go by."""
        if row.get("action", "deny") != "deny" or row.get("match-vip") != "enable":
            return False
        if all(
            one.get("action", "deny") == "deny" and one.get("match-vip") == "enable"
            for one in covering
        ):
            return False
        targets = spans_of(self._table, row, "dstaddr", 4) or []
        spans = [external(vip) for vip in self._table.published[4].values()]
        return any(
            span is None or any(overlap((span,), (one,)) for one in targets) for span in spans
        )

    def _is_bound(self, row: Row) -> bool:
        """Whether a service of a policy's is for some addresses or applications alone."""
        services = (self._table.services(name) or () for name in names(row.get("service")))
        return any(is_narrowed(one) for rows in services for one in rows)

    def _boxes(self, row: Row) -> list[Box] | None:
        """All that a policy matches at most; None where its configuration does not say it."""
        if self._table.criteria(row).replaced:
            return None
        services = [self._table.services(name) for name in names(row.get("service"))]
        if None in services or row.get("service-negate") == "enable":
            return None
        matched = {box for rows in services for one in rows or () for box in service_boxes(one)}
        found: list[Box] = []
        for version, suffix in ((4, ""), (6, "6")):
            ends = [
                spans_of(self._table, row, f"{key}{suffix}", version)
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
            shift = 0 if version == 4 else OF_IPV6
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
            return [(0, len(self.ports))]
        members = self._table.zones.get(name) or {name}
        return [(self.ports[one],) * 2 for one in sorted(members)]


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


def spans_of(table: PolicyTable, row: Row, key: str, version: int) -> list[Span] | None:
    """Addresses of a policy's key; None where the configuration does not say them."""
    found: list[Span] = []
    for name in names(row.get(key)):
        if table.is_virtual(name, version):
            return None  # FortiOS translates before it looks at policies that do not name it
        spans = table.addresses(version, name)
        if spans is None:
            return None
        found += spans
    if found and row.get(f"{key}-negate") == "enable":
        return complement(found, EVERY[version][0])
    return found
