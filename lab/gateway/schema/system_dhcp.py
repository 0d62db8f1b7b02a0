"""config system dhcp server: the addresses that the gateway gives out on its interfaces."""

from __future__ import annotations

from ipaddress import IPv4Address

from lab.gateway.errors import bad_value, missing
from lab.gateway.schema import values
from lab.gateway.schema.model import (
    Attribute,
    Row,
    Table,
    View,
    attributes,
    child,
    integer,
    option,
    parsed,
    reference,
    string,
    toggle,
)


def _address(name: str) -> Attribute:
    return parsed(name, "ipv4-address", values.ipv4_address, "0.0.0.0")


def _check(row: Row, view: View) -> None:
    for needed in ("interface", "netmask"):
        if row[needed] in ("", "0.0.0.0"):
            raise missing(needed)
    for one in row["ip-range"]:
        for needed in ("start-ip", "end-ip"):
            if one[needed] == "0.0.0.0":
                raise missing(needed)
        if IPv4Address(one["start-ip"]) > IPv4Address(one["end-ip"]):
            raise bad_value("end-ip", one["end-ip"], f"{one['start-ip']} or higher")


SERVER = Table(
    "system.dhcp/server",
    attributes(
        integer("id"),
        toggle("status", "enable"),
        integer("lease-time", 300, 8640000, 604800),
        option("mac-acl-default-action", "assign", "block"),
        option("dns-service", "local", "default", "specify", default="specify"),
        [_address(f"dns-server{number}") for number in range(1, 5)],
        option("ntp-service", "local", "default", "specify", default="specify"),
        [_address(f"ntp-server{number}") for number in range(1, 4)],
        string("domain", 35),
        [_address(f"wins-server{number}") for number in range(1, 3)],
        _address("default-gateway"),
        _address("next-server"),
        _address("netmask"),
        reference("interface", "system/interface", size=15),
        child("ip-range", integer("id"), _address("start-ip"), _address("end-ip")),
        option("timezone-option", "disable", "default", "specify"),
        string("filename", 127),
        option("server-type", "regular", "ipsec"),
        option("ip-mode", "range", "usrgrp"),
        integer("conflicted-ip-timeout", 60, 8640000, 1800),
        child("exclude-range", integer("id"), _address("start-ip"), _address("end-ip")),
        child(
            "reserved-address",
            integer("id"),
            option("type", "mac", "option82"),
            _address("ip"),
            parsed("mac", "mac-address", values.string(17), "00:00:00:00:00:00"),
            option("action", "assign", "block", "reserved", default="reserved"),
            string("description", 255),
        ),
    ),
    mkey="id",
    access="netgrp",
    check=_check,
)

TABLES = (SERVER,)
