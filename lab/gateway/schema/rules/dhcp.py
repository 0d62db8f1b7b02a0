"""Rules about DHCP servers; what this gateway does not do is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Interface

from lab.gateway.errors import bad_value, missing, not_here
from lab.gateway.schema.model import Row, View
from lab.gateway.schema.rules.registry import check

INTERFACES = "system/interface"
_NONE = "0.0.0.0"
_DOMAIN = re.compile(r"[A-Za-z0-9._-]*")

_DONE = {
    "dns-service": ("local", "specify"),
    "ntp-service": ("local", "specify"),
    "timezone-option": ("disable",),
    "server-type": ("regular",),
    "ip-mode": ("range",),
    "next-server": (_NONE,),
    "filename": ("",),
    "conflicted-ip-timeout": (1800,),
}
"""Of each attribute that not all is done of, what is."""


@check("system.dhcp/server")
def _server(row: Row, view: View) -> None:
    for needed in ("interface", "netmask"):
        if row[needed] in ("", _NONE):
            raise missing(needed)
    for attribute, known in _DONE.items():
        if row[attribute] not in known:
            raise not_here(attribute, row[attribute])
    if not _DOMAIN.fullmatch(row["domain"]):
        raise bad_value("domain", row["domain"], "a name of letters, digits, dots and hyphens")
    _check_ranges(row)
    _check_hosts(row)
    _check_network(row, view)


def _check_ranges(row: Row) -> None:
    for one in (*row["ip-range"], *row["exclude-range"]):
        for needed in ("start-ip", "end-ip"):
            if one[needed] == _NONE:
                raise missing(needed)
        if IPv4Address(one["start-ip"]) > IPv4Address(one["end-ip"]):
            raise bad_value("end-ip", one["end-ip"], f"{one['start-ip']} or higher")


def _check_hosts(row: Row) -> None:
    seen = set()
    for one in row["reserved-address"]:
        if one["type"] != "mac":
            raise not_here("reserved-address type", one["type"])
        if one["mac"] == "00:00:00:00:00:00":
            raise missing("mac")
        if one["action"] == "reserved" and one["ip"] == _NONE:
            raise missing("ip")
        for found in {one["mac"], one["ip"]} - {_NONE}:
            if found in seen:
                raise bad_value("reserved-address", found, "each host and address once")
            seen.add(found)


def _check_network(row: Row, view: View) -> None:
    """What is given out lies in the network of the interface."""
    interface = view.find(INTERFACES, row["interface"])
    if interface is None:  # a configuration is being read
        return
    if interface["type"] == "tunnel":
        raise not_here("DHCP server on the tunnel", row["interface"])
    own = IPv4Interface("/".join(interface["ip"].split()))
    if own.ip.is_unspecified:
        raise bad_value("interface", row["interface"], "an interface that has an address")
    if str(own.netmask) != row["netmask"]:
        raise bad_value("netmask", row["netmask"], f"{own.netmask}, the interface's")
    for name, text in _given_out(row):
        if IPv4Address(text) not in own.network:
            raise bad_value(name, text, f"an address of {own.network}, the interface's network")


def _given_out(row: Row) -> Iterator[tuple[str, str]]:
    for one in row["ip-range"]:
        yield "start-ip", one["start-ip"]
        yield "end-ip", one["end-ip"]
    for one in row["reserved-address"]:
        if one["action"] == "reserved":
            yield "ip", one["ip"]

