"""Configurations for the data plane's tests, as the REST API returns rows."""

from __future__ import annotations

from collections.abc import Sequence


def refs(*names: str) -> list[dict]:
    """A reference list."""
    return [{"name": name} for name in names]


def address(name: str, subnet: str) -> dict:
    """An address object of type ipmask."""
    return {"name": name, "type": "ipmask", "subnet": subnet}


def service(name: str, **attributes: object) -> dict:
    """A service object."""
    return {"name": name, "protocol": "TCP/UDP/SCTP", **attributes}


def policy(policyid: int, **attributes: object) -> dict:
    """A policy from the client's side to the server's that permits everything."""
    row = {
        "policyid": policyid,
        "name": f"p{policyid}",
        "status": "enable",
        "srcintf": refs("port2"),
        "dstintf": refs("port1"),
        "srcaddr": refs("all"),
        "dstaddr": refs("all"),
        "srcaddr6": [],
        "dstaddr6": [],
        "service": refs("ALL"),
        "schedule": "always",
        "action": "accept",
        "nat": "disable",
        "ippool": "disable",
        "poolname": [],
        "match-vip": "enable",
        "groups": [],
        "traffic-shaper": "",
        "traffic-shaper-reverse": "",
    }
    return row | {key.replace("_", "-"): value for key, value in attributes.items()}


def shaping_policy(number: int, shaper: str, reverse: str = "", **attributes: object) -> dict:
    """A shaping policy for everything between the two data ports."""
    row = {
        "id": number,
        "status": "enable",
        "ip-version": "4",
        "srcintf": refs("port1", "port2"),
        "dstintf": refs("port1", "port2"),
        "srcaddr": refs("all"),
        "dstaddr": refs("all"),
        "service": refs("ALL"),
        "traffic-shaper": shaper,
        "traffic-shaper-reverse": reverse,
    }
    return row | {key.replace("_", "-"): value for key, value in attributes.items()}


def class_policy(number: int, shaper: str, tos: int, version: int = 4, **more: object) -> dict:
    """A shaping policy for the packets between the two data ports that have a DSCP, both ways."""
    suffix, other = ("", "6") if version == 4 else ("6", "")
    row = shaping_policy(number, shaper, shaper, tos=f"{tos:#04x}", tos_mask="0xfc", **more)
    addresses = {f"{key}{suffix}": refs("all") for key in ("srcaddr", "dstaddr")}
    nothing = {f"{key}{other}": [] for key in ("srcaddr", "dstaddr")}
    return row | addresses | nothing | {"ip-version": str(version)}


def shaper(name: str, kbps: int, unit: str = "kbps", guaranteed: int = 0) -> dict:
    """A shared traffic shaper."""
    return {
        "name": name,
        "guaranteed-bandwidth": guaranteed,
        "maximum-bandwidth": kbps,
        "bandwidth-unit": unit,
        "per-policy": "disable",
    }


def config(*policies: dict, **tables: Sequence[dict]) -> dict:
    """A configuration with the data ports, the factory's objects and these policies.

    Args:
        policies: rows of firewall/policy in the order of evaluation.
        tables: more rows, by the last part of the table's path with `_` for `-`.
    """
    paths = {
        "address": "firewall/address",
        "addrgrp": "firewall/addrgrp",
        "custom": "firewall.service/custom",
        "group": "firewall.service/group",
        "ippool": "firewall/ippool",
        "vip": "firewall/vip",
        "traffic_shaper": "firewall.shaper/traffic-shaper",
        "shaping_policy": "firewall/shaping-policy",
        "static": "router/static",
        "interface": "system/interface",
    }
    rows: dict[str, list[dict]] = {path: [] for path in paths.values()}
    rows["firewall/policy"] = list(policies)
    rows["firewall/address"] = [
        address("all", "0.0.0.0 0.0.0.0"),
        address("client", "198.18.1.10 255.255.255.255"),
        address("server", "198.18.2.10 255.255.255.255"),
        address("elsewhere", "10.20.0.0 255.255.0.0"),
    ]
    rows["firewall/address6"] = [{"name": "all", "type": "ipprefix", "ip6": "::/0"}]
    rows["firewall.service/custom"] = [
        {"name": "ALL", "protocol": "IP", "protocol-number": 0},
        service("HTTP", **{"tcp-portrange": "80"}),
        service("t8080", **{"tcp-portrange": "8080"}),
        service("u9000", **{"udp-portrange": "9000"}),
        {"name": "PING", "protocol": "ICMP", "icmptype": 8, "icmpcode": ""},
    ]
    rows["system/interface"] = [
        {
            "name": "port1",
            "ip": "198.18.2.1 255.255.255.0",
            "allowaccess": "ping",
            "status": "up",
            "ipv6": {"ip6-address": "2001:2:0:2::1/64", "ip6-allowaccess": "ping"},
        },
        {
            "name": "port2",
            "ip": "198.18.1.1 255.255.255.0",
            "allowaccess": "ping",
            "status": "up",
            "ipv6": {"ip6-address": "2001:2:0:1::1/64", "ip6-allowaccess": "ping"},
        },
    ]
    for key, more in tables.items():
        path = paths[key]
        if path == "system/interface":
            rows[path] = list(more)
        else:
            rows[path] = [*rows[path], *more]
    return rows
