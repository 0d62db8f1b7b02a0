"""config firewall shaper and config firewall shaping-policy."""

from __future__ import annotations

from lab.gateway.errors import missing
from lab.gateway.schema import values
from lab.gateway.schema.firewall_address import ADDRESSES6
from lab.gateway.schema.model import (
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

SHAPER_PATH = "firewall.shaper/traffic-shaper"

TRAFFIC_SHAPER = Table(
    SHAPER_PATH,
    attributes(
        key_name(35),
        integer("guaranteed-bandwidth", 0, 80000000),
        integer("maximum-bandwidth", 0, 80000000),
        option("bandwidth-unit", "kbps", "mbps", "gbps"),
        option("priority", "low", "medium", "high", default="high"),
        toggle("per-policy"),
        toggle("diffserv"),
        parsed("diffservcode", "user", values.bits(6), "000000"),
        integer("overhead", 0, 100),
    ),
    access="fwgrp",
    factory=(
        {"name": "high-priority", "maximum-bandwidth": 1048576, "per-policy": "enable"},
        {"name": "medium-priority", "maximum-bandwidth": 1048576, "priority": "medium",
         "per-policy": "enable"},
        {"name": "low-priority", "maximum-bandwidth": 1048576, "priority": "low",
         "per-policy": "enable"},
        {"name": "guarantee-100kbps", "guaranteed-bandwidth": 100, "maximum-bandwidth": 1048576,
         "per-policy": "enable"},
        {"name": "shared-1M-pipe", "maximum-bandwidth": 1024},
    ),
)


def _check_shaping_policy(row: Row, view: View) -> None:
    for needed in ("dstintf", "service"):
        if not row[needed]:
            raise missing(needed)
    suffix = "6" if row["ip-version"] == "6" else ""
    for side in ("srcaddr", "dstaddr"):
        if not row[side + suffix]:
            raise missing(side + suffix)


SHAPING_POLICY = Table(
    "firewall/shaping-policy",
    attributes(
        integer("id"),
        uuid(),
        string("name"),
        string("comment", 255),
        toggle("status", "enable"),
        option("ip-version", "4", "6"),
        option("traffic-type", "forwarding", "local-in", "local-out"),
        members("srcintf", "system/interface", literals=("any",)),
        members("dstintf", "system/interface", literals=("any",)),
        members("srcaddr", "firewall/address", "firewall/addrgrp"),
        members("dstaddr", "firewall/address", "firewall/addrgrp"),
        members("srcaddr6", *ADDRESSES6),
        members("dstaddr6", *ADDRESSES6),
        members("service", "firewall.service/custom", "firewall.service/group"),
        reference("schedule", "firewall.schedule/recurring", size=35),
        parsed("tos-mask", "user", values.hexadecimal(0, 255), "0x00"),
        parsed("tos", "user", values.hexadecimal(0, 255), "0x00"),
        toggle("tos-negate"),
        reference("traffic-shaper", SHAPER_PATH, size=35),
        reference("traffic-shaper-reverse", SHAPER_PATH, size=35),
        integer("class-id"),
        toggle("diffserv-forward"),
        toggle("diffserv-reverse"),
        parsed("diffservcode-forward", "user", values.bits(6), "000000"),
        parsed("diffservcode-rev", "user", values.bits(6), "000000"),
    ),
    mkey="id",
    access="fwgrp",
    movable=True,
    check=_check_shaping_policy,
)

TABLES = (TRAFFIC_SHAPER, SHAPING_POLICY)
