"""monitor/web-ui/state: what the GUI asks first, about who asks and about the gateway."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from lab.gateway.access import narrowed
from lab.gateway.call import Call
from lab.gateway.identity import MODEL, MODEL_NAME
from lab.gateway.monitors.model import ANYONE, Monitor

if TYPE_CHECKING:
    from lab.gateway.device import Device

_ADMINISTRATORS = ("system/api-user", "system/admin")
_SUPER = "super_admin"
_VDOM = "root"


async def _state(device: Device, call: Call) -> dict[str, Any]:
    state = device.database.state
    return {
        "model_name": MODEL_NAME,
        "model_number": device.identity.model_number,
        "hostname": state.singleton("system/global")["hostname"],
        "model": MODEL,
        "admin": _administrator(device, call.caller.name),
        "snapshot_utc_time": int(device.now() * 1000),
        "time_zone_offset": -time.timezone,
        "vdom_mode": state.singleton("system/global")["vdom-mode"],
        "management_vdom": _VDOM,
        "conserve_mode": "memory-short" in device.faults,
        "ha_mode": 0,
        "is_ha_master": 1,
        "ngfw_mode": state.singleton("system/settings")["ngfw-mode"],
        "has_log_disk": True,
        "is_vm": True,
    }


def _administrator(device: Device, name: str) -> dict[str, Any]:
    """Who asks, with the access profile as it counts."""
    state = device.database.state
    rows = (state.find(path, name) for path in _ADMINISTRATORS)
    row = next((row for row in rows if row is not None), None)
    profile = (state.find("system/accprofile", row["accprofile"]) if row else None) or {}
    return {
        "name": name,
        "login_name": name,
        "profile": narrowed(profile, device.faults) | {"q_origin_key": profile.get("name", "")},
        "global_admin": profile.get("scope") == "global",
        "super_admin": profile.get("name") == _SUPER and "right-missing" not in device.faults,
        "vdoms": ["", _VDOM],
        "vdom_info": {_VDOM: _domain(device)},
    }


def _domain(device: Device) -> dict[str, Any]:
    state = device.database.state
    settings = state.singleton("system/settings")
    return {
        "central_nat_enabled": settings["central-nat"] == "enable",
        "transparent_mode": settings["opmode"] == "transparent",
        "ngfw_mode": settings["ngfw-mode"],
        "is_management_vdom": True,
        "log_device_state": {
            place: {
                "is_available": True,
                "is_enabled": state.singleton(f"log.{place}/setting")["status"] == "enable",
            }
            for place in ("memory", "disk")
        },
    }


MONITORS = {"web-ui/state": Monitor(ANYONE, get=_state)}
"""Its access group is not documented; API users that may do little are known to be answered."""
