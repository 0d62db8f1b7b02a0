"""Rules about addresses, services, users, networks and what else policies are made of."""

from __future__ import annotations

import re
from collections.abc import Collection
from ipaddress import IPv4Address, IPv6Address
from typing import Any

from lab.gateway.errors import BAD_VALUE, TABLE_FULL, CmdbError, bad_value, missing
from lab.gateway.schema import values
from lab.gateway.schema.model import Row, View
from lab.gateway.schema.parsers import OWN_CODES
from lab.gateway.schema.rules.identities import must_be_one
from lab.gateway.schema.rules.modes import must_not_name_members
from lab.gateway.schema.rules.registry import check, complete

_OF_PROXIES = ("HTTP", "FTP", "CONNECT", "SOCKS-TCP", "SOCKS-UDP", "ALL")
"""Protocols of services that are a proxy's."""
_MOST_TRANSLATED = 1024
_PORTS = re.compile(r"\d+(-\d+)?")


def _in_order(row: Row, kind: Any) -> None:
    if row["type"] == "iprange" and kind(row["start-ip"]) > kind(row["end-ip"]):
        raise bad_value("end-ip", row["end-ip"], f"{row['start-ip']} or higher")


@check("firewall/address")
def _address(row: Row, view: View) -> None:
    _in_order(row, IPv4Address)
    for kind, needed in (("fqdn", "fqdn"), ("geography", "country")):
        if row["type"] == kind and not row[needed]:
            raise missing(needed)


@check("firewall/address6")
def _address6(row: Row, view: View) -> None:
    _in_order(row, IPv6Address)
    if row["type"] == "fqdn" and not row["fqdn"]:
        raise missing("fqdn")


def no_loop(path: str) -> Any:
    """A check that a group contains itself neither directly nor through other groups."""

    def check(row: Row, view: View) -> None:
        if not row["member"]:
            raise missing("member")
        waiting, seen = [m["name"] for m in row["member"]], set()
        while waiting:
            name = waiting.pop()
            if name == row["name"]:
                raise CmdbError(BAD_VALUE, f'Group "{name}" would contain itself.')
            group = view.find(path, name) if name not in seen else None
            seen.add(name)
            if group:
                waiting.extend(m["name"] for m in group["member"])

    return check


for _path in ("firewall/addrgrp", "firewall/addrgrp6", "firewall.service/group"):
    check(_path)(no_loop(_path))


@check("firewall.service/custom")
def _service(row: Row, view: View) -> None:
    ranges = [name for name in row if name.endswith("-portrange")]
    if row["protocol"].startswith("TCP/UDP/") and not any(row[name] for name in ranges):
        raise missing(" or ".join(ranges))
    if row["proxy"] == "disable" and row["protocol"] in _OF_PROXIES:
        raise bad_value("protocol", row["protocol"], "what needs no proxy enable")


@check("firewall/shaping-policy")
def _shaping_policy(row: Row, view: View) -> None:
    for needed in ("dstintf", "service"):
        if not row[needed]:
            raise missing(needed)
    suffix = "6" if row["ip-version"] == "6" else ""
    for side in ("srcaddr", "dstaddr"):
        if not row[side + suffix]:
            raise missing(side + suffix)
    must_not_name_members(row, view)


@check("firewall/ippool")
def _ippool(row: Row, view: View) -> None:
    if row["type"] != "overload":
        raise CmdbError(
            BAD_VALUE, f"The lab's gateway has no pool of type {row['type']}; use overload."
        )
    for name in ("startip", "endip"):
        if row[name] == "0.0.0.0":
            raise missing(name)
    if IPv4Address(row["startip"]) > IPv4Address(row["endip"]):
        raise bad_value("endip", row["endip"], f"{row['startip']} or higher")


def _span(value: str) -> int:
    """How many addresses or ports a range holds."""
    first, _, last = value.partition("-")
    if "." in first:
        return int(IPv4Address(last or first)) - int(IPv4Address(first)) + 1
    return int(last or first) - int(first) + 1


@check("firewall/vip")
def _vip(row: Row, view: View) -> None:
    if row["extip"] == "0.0.0.0":
        raise missing("extip")
    if not row["mappedip"]:
        raise missing("mappedip")
    if not row["extintf"]:
        raise missing("extintf")
    if len(row["mappedip"]) > 1:
        raise bad_value("mappedip", len(row["mappedip"]), "one range of addresses")
    if _span(row["extip"]) > _MOST_TRANSLATED:
        raise bad_value("extip", row["extip"], f"{_MOST_TRANSLATED} addresses at most")
    for one in row["src-filter"]:
        _check_source(one["range"])
    mapped = row["mappedip"][0]["range"]
    if row["portforward"] == "disable":
        if _span(row["extip"]) != _span(mapped):
            raise bad_value("mappedip", mapped, f"as many addresses as {row['extip']}")
        return
    for name in ("extport", "mappedport"):
        if row[name] in ("", "0"):
            raise missing(name)
        if not _PORTS.fullmatch(row[name]):
            raise bad_value(name, row[name], "PORT or LOW-HIGH")
    if _span(row["extport"]) != _span(row["mappedport"]):
        raise bad_value("mappedport", row["mappedport"], f"as many ports as {row['extport']}")


def _check_source(text: str) -> None:
    """A source is an address, a range or a network."""
    try:
        values.ipv4_range("src-filter", text)
    except CmdbError:
        values.ipv4_network("src-filter", text)


def _free(taken: Collection[str]) -> str:
    for code in OWN_CODES:
        if code not in taken:
            return code
    raise CmdbError(TABLE_FULL, "No code is left for a country of one's own.")


@complete("system/geoip-override")
def _with_code(row: Row, view: View) -> Row:
    if not row["country-id"]:
        row["country-id"] = _free(view.taken("system/geoip-override", "country-id"))
    return row


@check("system/geoip-override")
def _geoip(row: Row, view: View) -> None:
    for key, kind in (("ip-range", IPv4Address), ("ip6-range", IPv6Address)):
        for span in row[key]:
            if kind(span["start-ip"]) > kind(span["end-ip"]):
                raise bad_value("end-ip", span["end-ip"], f"{span['start-ip']} or higher")


@check("user/local")
def _user(row: Row, view: View) -> None:
    if row["type"] == "password" and not row["passwd"]:
        raise missing("passwd")
    if row["type"] != "password":
        raise CmdbError(BAD_VALUE, f'There is no server of type "{row["type"]}" here.')
    must_be_one("name", row["name"])


@check("router/static")
def _route(row: Row, view: View) -> None:
    if row["blackhole"] == "disable" and not row["device"]:
        raise missing("device")
