"""config firewall address, address6, addrgrp, addrgrp6."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address
from typing import Any

from lab.gateway.errors import BAD_VALUE, CmdbError, bad_value, missing
from lab.gateway.schema import values
from lab.gateway.schema.geoip_override import country
from lab.gateway.schema.model import (
    Attribute,
    Row,
    Table,
    View,
    attributes,
    integer,
    key_name,
    members,
    option,
    parsed,
    reference,
    string,
    toggle,
    uuid,
)

# Objects that a rule may name side by side must not share a name.
ADDRESSES = ("firewall/address", "firewall/addrgrp", "firewall/vip")
ADDRESSES6 = ("firewall/address6", "firewall/addrgrp6")


def _in_order(row: Row, kind: Any) -> None:
    if row["type"] == "iprange" and kind(row["start-ip"]) > kind(row["end-ip"]):
        raise bad_value("end-ip", row["end-ip"], f"{row['start-ip']} or higher")


def _check_address(row: Row, view: View) -> None:
    _in_order(row, IPv4Address)
    for kind, needed in (("fqdn", "fqdn"), ("geography", "country")):
        if row["type"] == kind and not row[needed]:
            raise missing(needed)


def _check_address6(row: Row, view: View) -> None:
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


def _common() -> list[Attribute]:
    return [string("comment", 255), integer("color", 0, 32), toggle("fabric-object")]


ADDRESS = Table(
    "firewall/address",
    attributes(
        key_name(),
        uuid(),
        parsed("subnet", "ipv4-classnet-any", values.ipv4_network, "0.0.0.0 0.0.0.0"),
        option("type", "ipmask", "iprange", "fqdn", "geography"),
        parsed("start-ip", "ipv4-address-any", values.ipv4_address, "0.0.0.0"),
        parsed("end-ip", "ipv4-address-any", values.ipv4_address, "0.0.0.0"),
        parsed("fqdn", "string", values.fqdn, quoted=True),
        parsed("country", "string", country, quoted=True),
        integer("cache-ttl", 0, 86400),
        reference("associated-interface", "system/interface", size=35, literals=("any",)),
        toggle("allow-routing"),
        _common(),
    ),
    access="fwgrp",
    namespace=("firewall/addrgrp", "firewall/vip"),
    check=_check_address,
    factory=(
        {"name": "none", "subnet": "0.0.0.0 255.255.255.255"},
        {"name": "login.microsoftonline.com", "type": "fqdn", "fqdn": "login.microsoftonline.com"},
        {"name": "login.microsoft.com", "type": "fqdn", "fqdn": "login.microsoft.com"},
        {"name": "login.windows.net", "type": "fqdn", "fqdn": "login.windows.net"},
        {"name": "gmail.com", "type": "fqdn", "fqdn": "gmail.com"},
        {"name": "wildcard.google.com", "type": "fqdn", "fqdn": "*.google.com"},
        {"name": "wildcard.dropbox.com", "type": "fqdn", "fqdn": "*.dropbox.com"},
        {"name": "all"},
        {"name": "FIREWALL_AUTH_PORTAL_ADDRESS"},
        {"name": "FABRIC_DEVICE", "comment": "IPv4 addresses of Fabric Devices."},
        {"name": "SSLVPN_TUNNEL_ADDR1", "type": "iprange", "start-ip": "10.212.134.200",
         "end-ip": "10.212.134.210"},
    ),
)

ADDRESS6 = Table(
    "firewall/address6",
    attributes(
        key_name(),
        uuid(),
        option("type", "ipprefix", "iprange", "fqdn"),
        parsed("ip6", "ipv6-network", values.ipv6_network, "::/0"),
        parsed("start-ip", "ipv6-address", values.ipv6_address, "::"),
        parsed("end-ip", "ipv6-address", values.ipv6_address, "::"),
        parsed("fqdn", "string", values.fqdn, quoted=True),
        integer("cache-ttl", 0, 86400),
        _common(),
    ),
    access="fwgrp",
    namespace=("firewall/addrgrp6",),
    check=_check_address6,
    factory=(
        {"name": "SSLVPN_TUNNEL_IPv6_ADDR1", "ip6": "fdff:ffff::/120"},
        {"name": "all"},
        {"name": "none", "ip6": "::/128"},
    ),
)

ADDRGRP = Table(
    "firewall/addrgrp",
    attributes(
        key_name(),
        option("type", "default", "folder"),
        option("category", "default", "ztna-ems-tag", "ztna-geo-tag"),
        uuid(),
        members("member", "firewall/address", "firewall/addrgrp"),
        toggle("exclude"),
        members("exclude-member", "firewall/address", "firewall/addrgrp"),
        toggle("allow-routing"),
        _common(),
    ),
    access="fwgrp",
    namespace=("firewall/address", "firewall/vip"),
    check=no_loop("firewall/addrgrp"),
    factory=(
        {"name": "G Suite", "member": [{"name": "gmail.com"}, {"name": "wildcard.google.com"}]},
        {"name": "Microsoft Office 365", "member": [
            {"name": "login.microsoftonline.com"}, {"name": "login.microsoft.com"},
            {"name": "login.windows.net"}]},
    ),
)

ADDRGRP6 = Table(
    "firewall/addrgrp6",
    attributes(
        key_name(),
        uuid(),
        members("member", "firewall/address6", "firewall/addrgrp6"),
        toggle("exclude"),
        members("exclude-member", "firewall/address6", "firewall/addrgrp6"),
        _common(),
    ),
    access="fwgrp",
    namespace=("firewall/address6",),
    check=no_loop("firewall/addrgrp6"),
)

TABLES = (ADDRESS, ADDRESS6, ADDRGRP, ADDRGRP6)
