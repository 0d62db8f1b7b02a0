"""Ports and routes as they are: monitor/system/interface, available-interfaces, monitor/router."""

from __future__ import annotations

from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Any

from lab.gateway.call import Call
from lab.gateway.errors import bad_value
from lab.gateway.monitors.model import ANYONE, Monitor, needed

if TYPE_CHECKING:
    from lab.gateway.device import Device


async def _interfaces(device: Device, call: Call) -> dict[str, dict[str, Any]]:
    wanted = call.parameter("interface_name")
    with_vlans = call.parameter("include_vlan") == "true"
    measured = await device.applier.call(device.applier.plane.interfaces)
    results = {}
    for name, row in device.database.state.rows["system/interface"].items():
        if (wanted and name != wanted) or (row["type"] == "vlan" and not with_vlans):
            continue
        address, _, mask = row["ip"].partition(" ")
        results[str(name)] = {
            "id": name,
            "name": name,
            "alias": row["alias"],
            "mac": row["macaddr"],
            "ip": address,
            "mask": _length(mask),
            "link": False,
            "speed": 0.0,
            "duplex": 1,
            "tx_packets": 0,
            "rx_packets": 0,
            "tx_bytes": 0,
            "rx_bytes": 0,
            "tx_errors": 0,
            "rx_errors": 0,
        } | measured.get(str(name), {})
    return results


def _length(mask: str) -> int:
    return sum(int(octet).bit_count() for octet in mask.split("."))


async def _available(device: Device, call: Call) -> list[dict[str, Any]]:
    measured = await device.applier.call(device.applier.plane.interfaces)
    return [
        {
            "name": name,
            "alias": row["alias"],
            "description": row["description"],
            "role": row["role"],
            "type": row["type"],
            "status": row["status"],
            "link": "up" if measured.get(str(name), {}).get("link") else "down",
            "mac_address": measured.get(str(name), {}).get("mac", row["macaddr"]),
            "ipv4_addresses": [
                {"ip": address, "netmask": mask, "cidr_netmask": _length(mask)}
                for address, mask in [row["ip"].split()] if address != "0.0.0.0"
            ],
            "is_vlan": row["type"] == "vlan",
            "is_ipsecable": row["type"] in ("physical", "vlan", "loopback"),
            "valid_in_policy": True,
            "vdom": row["vdom"],
        } | ({"vlan_interface": row["interface"], "vlan_id": row["vlanid"]}
             if row["type"] == "vlan" else {})
        for name, row in device.database.state.rows["system/interface"].items()
    ]


async def _routes(device: Device, call: Call) -> list[dict[str, Any]]:
    return await _routes_of(4, device, call)


async def _routes6(device: Device, call: Call) -> list[dict[str, Any]]:
    return await _routes_of(6, device, call)


async def _routes_of(version: int, device: Device, call: Call) -> list[dict[str, Any]]:
    rows = await device.applier.call(device.applier.plane.routes, version)
    wanted = call.parameter("ip_mask")
    return [row for row in rows if not wanted or row["ip_mask"] == wanted]


async def _statistics(device: Device, call: Call) -> dict[str, int]:
    of_4, of_6 = [
        len(await device.applier.call(device.applier.plane.routes, version)) for version in (4, 6)]
    return {"total_lines": of_4 + of_6, "total_lines_ipv4": of_4, "total_lines_ipv6": of_6}


async def _lookup(device: Device, call: Call) -> dict[str, Any]:
    text = needed(call.parameter("destination"), "destination")
    try:
        wanted = ip_address(text)
    except ValueError:
        # The lab has no resolver, so a host name has no address here.
        raise bad_value("destination", text, "an IP address") from None
    rows = await device.applier.call(device.applier.plane.routes, wanted.version)
    found = [row for row in rows if wanted in ip_network(row["ip_mask"])]
    if not found:
        return {"success": False}
    best = max(found, key=lambda row: ip_network(row["ip_mask"]).prefixlen)
    return {"success": True, "network": best["ip_mask"], "gateway": best["gateway"],
            "interface": best["interface"]}


MONITORS = {
    "system/interface": Monitor("netgrp.cfg", get=_interfaces),
    "system/available-interfaces": Monitor(ANYONE, get=_available),
    "router/statistics": Monitor("netgrp.route-cfg", get=_statistics),
    "router/lookup": Monitor("netgrp.route-cfg", get=_lookup),
    "router/ipv4": Monitor("netgrp.route-cfg", get=_routes),
    "router/ipv6": Monitor("netgrp.route-cfg", get=_routes6),
}
