"""config firewall proxy-policy: who may use the explicit web proxy, and what for."""

from __future__ import annotations

from lab.gateway.errors import missing
from lab.gateway.schema.firewall_address import ADDRESSES6
from lab.gateway.schema.model import (
    Row,
    Table,
    View,
    attributes,
    integer,
    members,
    option,
    reference,
    string,
    toggle,
    toggles,
    uuid,
)
from lab.gateway.schema.security_profiles import profiles


def _check(row: Row, view: View) -> None:
    for needed in ("proxy", "dstintf", "service", "schedule"):
        if not row[needed]:
            raise missing(needed)
    if not (row["srcaddr"] or row["srcaddr6"]):
        raise missing("srcaddr")
    if not (row["dstaddr"] or row["dstaddr6"]):
        raise missing("dstaddr")
    if row["proxy"] == "transparent-web" and not row["srcintf"]:
        raise missing("srcintf")


POLICY = Table(
    "firewall/proxy-policy",
    attributes(
        integer("policyid"),
        uuid(),
        string("name"),
        option("proxy", "explicit-web", "transparent-web", "ftp", "ssh", "ssh-tunnel", default=""),
        members("srcintf", "system/interface", literals=("any",)),
        members("dstintf", "system/interface", literals=("any",)),
        members("srcaddr", "firewall/address", "firewall/addrgrp"),
        members("poolname", "firewall/ippool"),
        members("dstaddr", "firewall/address", "firewall/addrgrp"),
        members("service", "firewall.service/custom", "firewall.service/group"),
        toggles("internet-service", "srcaddr-negate", "dstaddr-negate", "service-negate"),
        option("action", "accept", "deny", "redirect", default="deny"),
        toggle("status", "enable"),
        reference("schedule", "firewall.schedule/recurring", size=35),
        option("logtraffic", "all", "utm", "disable", default="utm"),
        integer("session-ttl", 0, 2764800),
        members("srcaddr6", *ADDRESSES6),
        members("dstaddr6", *ADDRESSES6),
        members("groups", "user/group"),
        members("users", "user/local"),
        toggles("http-tunnel-auth", "ssh-policy-redirect", "transparent"),
        option("disclaimer", "disable", "domain", "policy", "user"),
        toggle("utm-status"),
        profiles(),
        toggle("logtraffic-start"),
        toggle("log-http-transaction", since=(7, 6, 0)),
        string("comments", 1023),
        toggle("block-notification"),
        string("redirect-url", 1023),
        toggle("detect-https-in-http-request"),
    ),
    mkey="policyid",
    access="fwgrp",
    movable=True,
    unique=("name",),
    check=_check,
)

TABLES = (POLICY,)
