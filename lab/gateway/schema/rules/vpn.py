"""Rules about tunnels and remote access; what this gateway does not do is refused."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Any

from lab.gateway.errors import BAD_VALUE, CmdbError, bad_value, missing, not_here
from lab.gateway.schema.model import Companion, Row, View
from lab.gateway.schema.rules.identities import must_be_one
from lab.gateway.schema.rules.interfaces import must_be_a_link
from lab.gateway.schema.rules.registry import about, check

INTERFACES = "system/interface"
NO_ADDRESS = "0.0.0.0"


def tunnel_interface(row: Mapping[str, Any]) -> dict[str, Any]:
    """The interface that belongs to a row of phase1-interface."""
    return {"name": row["name"], "type": "tunnel", "interface": row["interface"]}


about("vpn.ipsec/phase1-interface", companion=Companion(INTERFACES, tunnel_interface))
about(
    INTERFACES,
    may_come=lambda row: row["type"] in ("loopback", "vlan"),
    is_companion=lambda row: row["type"] == "tunnel",
)


@check("vpn.ipsec/phase1-interface")
def _phase1(row: Row, view: View) -> None:
    must_be_a_link(row["name"])
    for needed in ("interface", "proposal", "dhgrp", "psksecret"):
        if not row[needed]:
            raise missing(needed)
    for attribute, known in (
        ("type", ("static", "dynamic")),
        ("ip-version", ("4",)),
        ("authmethod", ("psk",)),
        ("mode", ("main",)),
        ("peertype", ("any", "one", "peer")),
        ("encapsulation", ("none",)),
    ):
        if row[attribute] not in known:
            raise not_here(attribute, row[attribute])
    port = view.find(INTERFACES, row["interface"])
    if port is not None and port["type"] == "tunnel":
        raise CmdbError(BAD_VALUE, f"The interface {row['interface']} is a tunnel itself.")
    if row["type"] == "static" and row["remote-gw"] == NO_ADDRESS:
        raise missing("remote-gw")
    if row["peertype"] == "one" and not row["peerid"]:
        raise missing("peerid")
    for attribute in ("localid", "peerid"):
        must_be_one(attribute, row[attribute])
    if row["mode-cfg"] == "enable" and row["type"] != "dynamic":
        raise not_here("mode-cfg of a tunnel of type", row["type"])
    if row["mode-cfg"] == "enable":
        _check_pool(row)
    if row["eap"] == "enable" and row["ike-version"] != "2":
        raise CmdbError(BAD_VALUE, "EAP needs ike-version 2.")


def _check_pool(row: Row) -> None:
    if row["assign-ip-from"] != "range":
        raise not_here("assign-ip-from", row["assign-ip-from"])
    if row["add-route"] != "enable":
        raise not_here("add-route", row["add-route"])
    _check_range(row, "ipv4-start-ip", "ipv4-end-ip")


def _check_range(row: Row, first: str, last: str) -> None:
    ends = [int(ipaddress.IPv4Address(row[name])) for name in (first, last)]
    if not ends[0] or ends[0] > ends[1]:
        raise CmdbError(
            BAD_VALUE, f"{first} {row[first]} to {last} {row[last]} is no range of addresses."
        )


@check("vpn.ipsec/phase2-interface")
def _phase2(row: Row, view: View) -> None:
    for needed in ("phase1name", "proposal"):
        if not row[needed]:
            raise missing(needed)
    if row["pfs"] == "enable" and not row["dhgrp"]:
        raise missing("dhgrp")
    for attribute, known in (
        ("src-addr-type", ("subnet", "range", "ip")),
        ("dst-addr-type", ("subnet", "range", "ip")),
        ("encapsulation", ("tunnel-mode",)),
        ("keylife-type", ("seconds",)),
    ):
        if row[attribute] not in known:
            raise not_here(attribute, row[attribute])
    for side in ("src", "dst"):
        if row[f"{side}-addr-type"] == "range":
            _check_range(row, f"{side}-start-ip", f"{side}-end-ip")


@check("vpn.ssl/settings")
def _ssl_settings(row: Row, view: View) -> None:
    lowest, highest = row["ssl-min-proto-ver"], row["ssl-max-proto-ver"]
    if lowest > highest:
        raise bad_value("ssl-min-proto-ver", lowest, f"{highest} or older")
    for rule in row["authentication-rule"]:
        if not rule["portal"]:
            raise missing("portal")
        if not (rule["groups"] or rule["users"]):
            raise missing("groups")
