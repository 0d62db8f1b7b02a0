"""Address objects and groups of the configuration as spans of addresses."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from socket import AF_INET, inet_pton

from lab.gateway.dataplane.intent.countries import Geography
from lab.gateway.dataplane.intent.ranges import (
    EVERY_ADDRESS,
    NOTHING,
    Spans,
    complement,
    subtract,
    union,
)


def names(value: object) -> tuple[str, ...]:
    """The names in a reference list such as ``[{"name": "all"}]``."""
    if not value:
        return ()
    if isinstance(value, str):
        return tuple(value.split())
    return tuple([item["name"] for item in value])  # type: ignore[attr-defined]


@lru_cache(maxsize=65536)
def network(text: str) -> tuple[int, int]:
    """First and last address of ``10.0.0.0 255.0.0.0``, ``10.0.0.0/8`` or ``2001:db8::/32``."""
    address, _, mask = text.partition(" ")
    if mask:  # the usual form, and ipaddress takes ten times as long over it
        low, bits = (int.from_bytes(inet_pton(AF_INET, part)) for part in (address, mask.strip()))
        host_bits = bits ^ 0xFFFFFFFF
        if host_bits & (host_bits + 1):
            raise ValueError(f"the mask {mask}")
        return low & bits, low | host_bits
    found = ipaddress.ip_network(text, strict=False)
    return int(found.network_address), int(found.broadcast_address)


def address_range(text: str) -> tuple[int, int]:
    """First and last address of ``10.0.0.5`` or ``10.0.0.5-10.0.0.9``."""
    first, _, last = text.replace(" ", "").partition("-")
    return int(ipaddress.ip_address(first)), int(ipaddress.ip_address(last or first))


class AddressBook:
    """Resolves names of addresses and groups of one IP version.

    A name that the gateway cannot resolve to addresses (an FQDN that no resolver knows, a dynamic
    object without members) matches nothing, as on the device.
    """

    def __init__(
        self,
        version: int,
        addresses: Iterable[Mapping],
        groups: Iterable[Mapping] = (),
        overrides: Iterable[Mapping] = (),
    ) -> None:
        self.version = version
        self._geography = Geography(version, overrides)
        self._addresses = {row["name"]: row for row in addresses}
        self._groups = {row["name"]: row for row in groups}
        self._resolved: dict[str, Spans] = {"all": EVERY_ADDRESS[version]}
        self._lists: dict[tuple[tuple[str, ...], bool], Spans] = {}

    def resolve(self, members: Sequence[str], negate: bool = False) -> Spans:
        """The spans that a policy's list of names stands for."""
        key = (tuple(members), negate)
        if key not in self._lists:
            spans = union(span for name in members for span in self._named(name))
            if negate:
                spans = complement(spans, EVERY_ADDRESS[self.version])
            self._lists[key] = spans
        return self._lists[key]

    def _named(self, name: str) -> Spans:
        if name not in self._resolved:
            self._resolved[name] = NOTHING  # ends a group that contains itself
            if name in self._groups:
                self._resolved[name] = self._group(self._groups[name])
            elif name in self._addresses:
                self._resolved[name] = self._address(self._addresses[name])
        return self._resolved[name]

    def _group(self, row: Mapping) -> Spans:
        spans = union(span for name in names(row.get("member")) for span in self._named(name))
        if row.get("exclude") == "enable":
            left_out = names(row.get("exclude-member"))
            without = union(span for name in left_out for span in self._named(name))
            spans = subtract(spans, without, EVERY_ADDRESS[self.version])
        return spans

    def _address(self, row: Mapping) -> Spans:
        kind = row.get("type", "ipmask" if self.version == 4 else "ipprefix")
        try:
            if kind in ("ipmask", "interface-subnet"):
                return (network(row["subnet"]),)
            if kind == "ipprefix":
                return (network(row["ip6"]),)
            if kind == "iprange":
                first, last = (ipaddress.ip_address(row[key]) for key in ("start-ip", "end-ip"))
                return ((int(first), int(last)),) if first <= last else NOTHING
            if kind == "geography":
                return self._geography.country(str(row["country"]))
        except (KeyError, ValueError, OSError):
            return NOTHING
        return NOTHING
