"""monitor/vpn/ssl: who is logged in to the SSL VPN. FortiOS 7.6.3 has no such tunnels any more."""

from __future__ import annotations

import time
from collections.abc import Mapping
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Any

from lab.gateway.call import Call
from lab.gateway.errors import malformed, not_found
from lab.gateway.monitors.model import Monitor, needed, whole
from lab.gateway.schema import ALL

if TYPE_CHECKING:
    from lab.gateway.device import Device

_KINDS = ("websession", "subsession")
_LARGEST_INDEX = 2**32 - 1
_UNTIL = next(table.until for table in ALL if table.path == "vpn.ssl/settings")


async def _shown(device: Device) -> Mapping[str, Any]:
    return await device.applier.call(device.applier.plane.remote_users)


async def _sessions(device: Device, call: Call) -> list[dict[str, Any]]:
    return [_session(row) for row in (await _shown(device))["sessions"]]


def _session(row: Mapping[str, Any]) -> dict[str, Any]:
    tunnels = [] if row["tunnel"] is None else [_tunnel(row)]
    since = int(row["since"])
    result = {
        "index": row["index"],
        "user_name": row["user"],
        "remote_host": row["source"],
        "last_login_time": time.strftime("%a %b %e %H:%M:%S %Y", time.localtime(since)),
        "last_login_timestamp": since,
        "subsessions": tunnels,
    }
    if tunnels:
        result |= {"subsession_type": "Unknown", "subsession_desc": f"aip:{tunnels[0]['aip']}"}
    return result


def _tunnel(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "index": row["tunnel"],
        "parent_index": row["index"],
        "mode": "Tunnel",
        "type": "Unknown",
        "aip": str(IPv4Address(row["address"])),
        "in_bytes": row["in_bytes"],
        "out_bytes": row["out_bytes"],
        "desthost": "",
    }


async def _stats(device: Device, call: Call) -> dict[str, Any]:
    shown = await _shown(device)
    rows = shown["sessions"]
    return {
        "conserve_mode": False,
        "max": dict(shown["most"]),
        "current": {
            "users": len(rows),
            "tunnels": sum(row["tunnel"] is not None for row in rows),
            "connections": shown["connections"],
        },
    }


async def _end(device: Device, index: int | None) -> bool:
    return await device.applier.call(device.applier.plane.end_remote_users, index)


async def _delete(device: Device, call: Call) -> dict[str, Any]:
    body = call.body()
    if needed(call.argument("type", body), "type") not in _KINDS:
        raise malformed(f"The type must be one of {', '.join(_KINDS)}.")
    index = whole(call.argument("index", body), "index", 0, _LARGEST_INDEX)
    if not await _end(device, index):
        raise not_found(f"SSL VPN session {index}")
    return {}


async def _clear(device: Device, call: Call) -> dict[str, Any]:
    await _end(device, None)
    return {}


MONITORS = {
    "vpn/ssl": Monitor("vpngrp", get=_sessions, until=_UNTIL),
    "vpn/ssl/stats": Monitor("vpngrp", get=_stats, until=_UNTIL),
    "vpn/ssl/delete": Monitor("vpngrp", post=_delete, until=_UNTIL),
    "vpn/ssl/clear_tunnel": Monitor("vpngrp", post=_clear, until=_UNTIL),
}
