"""monitor/system/dhcp: the addresses that the DHCP servers have given out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.gateway.call import Call
from lab.gateway.monitors.model import Monitor

if TYPE_CHECKING:
    from lab.gateway.device import Device


async def _leases(device: Device, call: Call) -> list[dict[str, Any]]:
    wanted = call.parameter("interface")
    servers = {
        row["interface"]: row for row in device.database.state.rows["system.dhcp/server"].values()
    }
    shown = []
    for lease in await device.applier.call(device.applier.plane.leases):
        server = servers.get(lease.interface)
        if server is None or wanted not in (None, lease.interface):
            continue
        kept = {
            (one["mac"], one["ip"])
            for one in server["reserved-address"]
            if one["action"] == "reserved"
        }
        shown.append({
            "ip": lease.address,
            "reserved": (lease.mac, lease.address) in kept,
            "mac": lease.mac,
            **({"hostname": lease.name} if lease.name else {}),
            "expire_time": lease.expires,
            "status": "leased",
            "interface": lease.interface,
            "type": "ipv4",
            "server_mkey": server["id"],
            "server_ipam_enabled": False,
        })
    return shown


MONITORS = {"system/dhcp": Monitor("netgrp.cfg", get=_leases)}
