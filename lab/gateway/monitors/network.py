"""monitor/system/interface and monitor/router: ports and routes as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.gateway.call import Call
from lab.gateway.monitors.model import Monitor

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
            "mask": sum(bin(int(octet)).count("1") for octet in mask.split(".")),
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


async def _routes(device: Device, call: Call) -> list[dict[str, Any]]:
    return await _routes_of(4, device, call)


async def _routes6(device: Device, call: Call) -> list[dict[str, Any]]:
    return await _routes_of(6, device, call)


async def _routes_of(version: int, device: Device, call: Call) -> list[dict[str, Any]]:
    rows = await device.applier.call(device.applier.plane.routes, version)
    wanted = call.parameter("ip_mask")
    return [row for row in rows if not wanted or row["ip_mask"] == wanted]


MONITORS = {
    "system/interface": Monitor("netgrp.cfg", get=_interfaces),
    "router/ipv4": Monitor("netgrp.route-cfg", get=_routes),
    "router/ipv6": Monitor("netgrp.route-cfg", get=_routes6),
}
