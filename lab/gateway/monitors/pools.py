"""monitor/firewall/ippool: what sessions have of the pools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Any

from lab.gateway.call import Call
from lab.gateway.monitors.model import Monitor

if TYPE_CHECKING:
    from lab.gateway.device import Device

_PORTS_OF_AN_ADDRESS = 60_416
"""That an overload pool gives out, 5117 to 65532."""


async def _pools(device: Device, call: Call) -> dict[str, dict[str, Any]]:
    rows = device.database.state.rows["firewall/ippool"]
    plane = device.applier.plane
    sessions = []
    if rows:
        total = await device.applier.call(plane.session_count)
        sessions = await device.applier.call(plane.sessions, total)
    return {str(name): _shown(row, sessions) for name, row in rows.items()}


def _shown(row: Mapping[str, Any], sessions: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    first, last = (int(IPv4Address(row[name])) for name in ("startip", "endip"))
    ours = [
        session for session in sessions
        if session["snaddr"] != session["saddr"] and first <= _number(session["snaddr"]) <= last
    ]
    addresses = last - first + 1
    total = addresses * _PORTS_OF_AN_ADDRESS
    return {
        "name": row["name"],
        "fixed_port": False,
        "pba_per_ip": 0,
        "used": len(ours),
        "total": total,
        "available": round(100 * (total - len(ours)) / total, 2),
        "clients": len({session["saddr"] for session in ours}),
        "natip_in_use": len({session["snaddr"] for session in ours}),
        "natip_total": addresses,
    }


def _number(address: str) -> int:
    return int(IPv4Address(address)) if ":" not in address else 0


MONITORS = {"firewall/ippool": Monitor("fwgrp.policy", get=_pools)}
