"""config firewall policy: the rules, for IPv4 and IPv6 in one table."""

from __future__ import annotations

from lab.gateway.errors import BAD_VALUE, CmdbError, missing
from lab.gateway.schema import values
from lab.gateway.schema.firewall_address import ADDRESSES, ADDRESSES6
from lab.gateway.schema.firewall_shaper import SHAPER_PATH
from lab.gateway.schema.model import (
    Row,
    Table,
    View,
    attributes,
    integer,
    members,
    option,
    parsed,
    reference,
    string,
    toggle,
    toggles,
    uuid,
)
from lab.gateway.schema.security_profiles import check_feature_sets, profiles


def _check(row: Row, view: View) -> None:
    for needed in ("srcintf", "dstintf", "service", "schedule"):
        if not row[needed]:
            raise missing(needed)
    if not (row["srcaddr"] and row["dstaddr"]) and not (row["srcaddr6"] and row["dstaddr6"]):
        for needed in ("srcaddr", "dstaddr"):
            if not row[needed] and not row[needed + "6"]:
                raise missing(needed)
        raise CmdbError(BAD_VALUE, "Source and destination address must be of one IP version.")
    if row["nat"] == row["ippool"] == "enable" and not (row["poolname"] or row["poolname6"]):
        raise missing("poolname")
    check_feature_sets(row, view)


POLICY = Table(
    "firewall/policy",
    attributes(
        integer("policyid", 0, 4294967294),
        toggle("status", "enable"),
        string("name"),
        uuid(),
        members("srcintf", "system/interface", literals=("any",)),
        members("dstintf", "system/interface", literals=("any",)),
        option("action", "accept", "deny", default="deny"),
        toggle("nat64"),
        toggle("nat46"),
        members("srcaddr", "firewall/address", "firewall/addrgrp"),
        members("dstaddr", *ADDRESSES),
        members("srcaddr6", *ADDRESSES6),
        members("dstaddr6", *ADDRESSES6),
        toggle("internet-service"),
        toggle("internet-service-src"),
        toggle("rtp-nat"),
        toggle("send-deny-packet"),
        option("firewall-session-dirty", "check-all", "check-new"),
        reference("schedule", "firewall.schedule/recurring", size=35),
        toggle("schedule-timeout"),
        members("service", "firewall.service/custom", "firewall.service/group"),
        parsed("tos-mask", "user", values.hexadecimal(0, 255), "0x00"),
        parsed("tos", "user", values.hexadecimal(0, 255), "0x00"),
        toggle("tos-negate"),
        toggle("anti-replay", "enable"),
        option("tcp-session-without-syn", "all", "data-only", "disable", default="disable"),
        toggle("geoip-anycast"),
        toggle("dynamic-shaping"),
        toggle("passive-wan-health-measurement"),
        toggle("utm-status"),
        option("inspection-mode", "proxy", "flow", default="flow"),
        toggle("http-policy-redirect"),
        toggle("ssh-policy-redirect"),
        profiles(),
        option("logtraffic", "all", "utm", "disable", default="utm"),
        toggle("logtraffic-start"),
        toggle("capture-packet"),
        toggle("auto-asic-offload", "enable"),
        toggle("np-acceleration", "enable"),
        toggle("nat"),
        toggle("permit-any-host"),
        toggle("permit-stun-host"),
        toggle("fixedport"),
        toggle("port-preserve", "enable", since=(7, 4, 4)),
        toggle("ippool"),
        members("poolname", "firewall/ippool"),
        members("poolname6", "firewall/ippool6"),
        parsed("session-ttl", "user", values.string(15), "0"),
        integer("vlan-cos-fwd", 0, 255, 255),
        integer("vlan-cos-rev", 0, 255, 255),
        toggles("wccp", "fec"),
        members("groups", "user/group"),
        members("users", "user/local"),
        toggle("disclaimer"),
        toggle("match-vip", "enable"),
        toggle("match-vip-only"),
        toggles("diffserv-copy", "diffserv-forward", "diffserv-reverse"),
        parsed("diffservcode-forward", "user", values.bits(6), "000000"),
        parsed("diffservcode-rev", "user", values.bits(6), "000000"),
        integer("tcp-mss-sender", 0, 65535),
        integer("tcp-mss-receiver", 0, 65535),
        string("comments", 1023),
        reference("traffic-shaper", SHAPER_PATH, size=35),
        reference("traffic-shaper-reverse", SHAPER_PATH, size=35),
        reference("per-ip-shaper", "firewall.shaper/per-ip-shaper", size=35),
        toggle("block-notification"),
        toggles("srcaddr-negate", "srcaddr6-negate", "dstaddr-negate", "dstaddr6-negate",
                "service-negate", "timeout-send-rst", "captive-portal-exempt", "dsri",
                "radius-mac-auth-bypass", "delay-tcp-npu-session"),
        toggle("radius-ip-auth-bypass", since=(7, 6, 0)),
        toggle("app-monitor", since=(7, 6, 1)),
    ),
    mkey="policyid",
    access="fwgrp",
    movable=True,
    unique=("name",),
    check=_check,
    evaluation_limit=3,
)

TABLES = (POLICY,)
