"""config firewall ippool and config firewall vip."""

from __future__ import annotations

from ipaddress import IPv4Address

from lab.gateway.errors import bad_value, missing
from lab.gateway.schema import values
from lab.gateway.schema.model import (
    Row,
    Table,
    View,
    attributes,
    child,
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


def _check_ippool(row: Row, view: View) -> None:
    for name in ("startip", "endip"):
        if row[name] == "0.0.0.0":
            raise missing(name)
    if IPv4Address(row["startip"]) > IPv4Address(row["endip"]):
        raise bad_value("endip", row["endip"], f"{row['startip']} or higher")


IPPOOL = Table(
    "firewall/ippool",
    attributes(
        key_name(79),
        option("type", "overload", "one-to-one", "fixed-port-range", "port-block-allocation"),
        parsed("startip", "ipv4-address-any", values.ipv4_address, "0.0.0.0"),
        parsed("endip", "ipv4-address-any", values.ipv4_address, "0.0.0.0"),
        integer("startport", 1024, 65535, 5117),
        integer("endport", 1024, 65535, 65533),
        parsed("source-startip", "ipv4-address-any", values.ipv4_address, "0.0.0.0"),
        parsed("source-endip", "ipv4-address-any", values.ipv4_address, "0.0.0.0"),
        integer("block-size", 64, 4096, 128),
        integer("num-blocks-per-user", 1, 128, 8),
        integer("pba-timeout", 3, 86400, 30),
        toggle("permit-any-host"),
        toggle("arp-reply", "enable"),
        reference("arp-intf", "system/interface", size=15),
        reference("associated-interface", "system/interface", size=15),
        string("comments", 255),
        toggle("nat64"),
    ),
    access="fwgrp",
    check=_check_ippool,
)


def _span(value: str) -> int:
    """How many addresses or ports a range holds."""
    first, _, last = value.partition("-")
    if "." in first:
        return int(IPv4Address(last or first)) - int(IPv4Address(first)) + 1
    return int(last or first) - int(first) + 1


def _check_vip(row: Row, view: View) -> None:
    if row["extip"] == "0.0.0.0":
        raise missing("extip")
    if not row["mappedip"]:
        raise missing("mappedip")
    if not row["extintf"]:
        raise missing("extintf")
    mapped = row["mappedip"][0]["range"]
    if row["portforward"] == "disable":
        if _span(row["extip"]) != _span(mapped):
            raise bad_value("mappedip", mapped, f"as many addresses as {row['extip']}")
        return
    for name in ("extport", "mappedport"):
        if row[name] in ("", "0"):
            raise missing(name)
    if _span(row["extport"]) != _span(row["mappedport"]):
        raise bad_value("mappedport", row["mappedport"], f"as many ports as {row['extport']}")


VIP = Table(
    "firewall/vip",
    attributes(
        key_name(79),
        integer("id", 0, 65535),
        uuid(),
        string("comment", 255),
        option("type", "static-nat"),
        child("src-filter", string("range", 79), mkey="range"),
        members("service", "firewall.service/custom", "firewall.service/group"),
        parsed("extip", "user", values.ipv4_range, "0.0.0.0"),
        child("mappedip", parsed("range", "string", values.ipv4_range, quoted=True),
              mkey="range"),
        reference("extintf", "system/interface", size=35, literals=("any",)),
        toggle("arp-reply", "enable"),
        toggle("nat-source-vip"),
        toggle("portforward"),
        toggle("status", "enable"),
        option("protocol", "tcp", "udp", "sctp", "icmp"),
        parsed("extport", "user", values.port_ranges, "0-65535"),
        parsed("mappedport", "user", values.port_ranges, "0-65535"),
        option("portmapping-type", "1-to-1", "m-to-n"),
        integer("color", 0, 32),
    ),
    access="fwgrp",
    namespace=("firewall/address", "firewall/addrgrp"),
    check=_check_vip,
)

TABLES = (IPPOOL, VIP)
