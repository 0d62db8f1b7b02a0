"""config router: static routes."""

from __future__ import annotations

from lab.gateway.errors import missing
from lab.gateway.schema import values
from lab.gateway.schema.model import (
    Row,
    Table,
    View,
    attributes,
    integer,
    option,
    parsed,
    reference,
    string,
    toggle,
)


def _check_static(row: Row, view: View) -> None:
    if row["blackhole"] == "disable" and not row["device"]:
        raise missing("device")


STATIC = Table(
    "router/static",
    attributes(
        integer("seq-num"),
        toggle("status", "enable"),
        parsed("dst", "ipv4-classnet", values.ipv4_network, "0.0.0.0 0.0.0.0"),
        parsed("src", "ipv4-classnet", values.ipv4_network, "0.0.0.0 0.0.0.0"),
        parsed("gateway", "ipv4-address", values.ipv4_address, "0.0.0.0"),
        parsed("preferred-source", "ipv4-address", values.ipv4_address, "0.0.0.0"),
        integer("distance", 1, 255, 10),
        integer("weight", 0, 255),
        integer("priority", 1, 65535, 1),
        reference("device", "system/interface", size=35),
        string("comment", 255),
        toggle("blackhole"),
        toggle("dynamic-gateway"),
        reference("dstaddr", "firewall/address", "firewall/addrgrp"),
        toggle("link-monitor-exempt"),
        integer("tag"),
        integer("vrf", 0, 511),
        option("bfd", "enable", "disable", default="disable"),
    ),
    mkey="seq-num",
    access="netgrp",
    check=_check_static,
    evaluation_limit=3,
)

TABLES = (STATIC,)
