"""What the names in the gateway's policies stand for: addresses, services, virtual addresses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gatepass.gateway.address_objects import EVERY, Span, address_spans, names

Row = Mapping[str, Any]
_MOST_NESTED = 16
_SUFFIX = {4: "", 6: "6"}
_SERVICE, _SERVICE_GROUP = "firewall.service/custom", "firewall.service/group"
TABLES = (
    *(
        f"firewall/{kind}{suffix}"
        for kind in ("address", "addrgrp", "vip", "vipgrp")
        for suffix in ("", "6")
    ),
    *(_SERVICE, _SERVICE_GROUP),
)
"""All that names in policies are names of."""


def vip_path(version: int) -> str:
    """The table of virtual addresses of an IP version."""
    return f"firewall/vip{_SUFFIX[version]}"


class NamedObjects:
    """The objects and groups that policies name.

    Args:
        tables: CMDB path -> rows; what is left out is empty.
    """

    def __init__(self, tables: Mapping[str, Sequence[Row]]) -> None:
        self._named = {
            path: {str(row.get("name")): row for row in tables.get(path, ())} for path in TABLES
        }
        self._spans: dict[tuple[int, str], tuple[Span, ...] | None] = {}
        self._services: dict[str, tuple[Row, ...] | None] = {}

    def addresses(self, version: int, name: str) -> tuple[Span, ...] | None:
        """The addresses of an object or group; None where the configuration does not say them."""
        key = (version, name)
        if key not in self._spans:
            self._spans[key] = self._resolve(version, name, 0)
        return self._spans[key]

    def _resolve(self, version: int, name: str, depth: int) -> tuple[Span, ...] | None:
        group = self._named[f"firewall/addrgrp{_SUFFIX[version]}"].get(name)
        if group is not None:
            members = group.get("member")
            if depth > _MOST_NESTED or group.get("exclude") == "enable" or members is None:
                return None
            parts = [self._resolve(version, one, depth + 1) for one in names(members)]
            return None if None in parts else tuple(span for part in parts for span in part or ())
        row = self._named[f"firewall/address{_SUFFIX[version]}"].get(name)
        if row is not None:
            return address_spans(version, row)
        return EVERY[version] if name == "all" else () if name == "none" else None

    def services(self, name: str, depth: int = 0) -> tuple[Row, ...] | None:
        """The services of a name; None where it is none that is known."""
        if name not in self._services:
            group, custom = (self._named[path].get(name) for path in (_SERVICE_GROUP, _SERVICE))
            if group is not None and depth <= _MOST_NESTED and group.get("member") is not None:
                parts = [self.services(one, depth + 1) for one in names(group["member"])]
                joined = tuple(row for part in parts for row in part or ())
                self._services[name] = None if None in parts else joined
            elif custom is not None:
                self._services[name] = (custom,)
            else:
                self._services[name] = ({"protocol": "ALL"},) if name == "ALL" else None
        return self._services[name]

    def virtual(self, version: int, name: str) -> frozenset[str] | None:
        """The virtual addresses that a name stands for: none for any other name.

        Returns:
            None for a group that is shown without its members.
        """
        if name in self._named[vip_path(version)]:
            return frozenset({name})
        group = self._named[f"firewall/vipgrp{_SUFFIX[version]}"].get(name)
        if group is None:
            return frozenset()
        return None if group.get("member") is None else frozenset(names(group["member"]))

    def virtual_addresses(self, version: int) -> Mapping[str, Row]:
        """All virtual addresses of an IP version by name."""
        return self._named[vip_path(version)]
