"""monitor/log: where logs go, and the room that is left for them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from lab.gateway.call import Call
from lab.gateway.monitors.model import Monitor

if TYPE_CHECKING:
    from lab.gateway.device import Device


async def _disk(device: Device, call: Call) -> dict[str, int]:
    disk = os.statvfs(device.folder.path)
    whole, free = disk.f_frsize * disk.f_blocks, disk.f_frsize * disk.f_bavail
    return {"used_bytes": whole - free, "free_bytes": free, "total_bytes": whole}


async def _state(device: Device, call: Call) -> dict[str, Any]:
    state = device.database.state
    return {
        **{
            place: {
                "is_available": True,
                "is_enabled": state.singleton(f"log.{place}/setting")["status"] == "enable",
                "is_default": place == "disk",
            }
            for place in ("memory", "disk")
        },
        **{place: {"is_available": False, "is_enabled": False}
           for place in ("fortianalyzer", "forticloud")},
    }


MONITORS = {
    "log/current-disk-usage": Monitor("loggrp.config", get=_disk),
    "log/device/state": Monitor("loggrp.config", get=_state),
}
