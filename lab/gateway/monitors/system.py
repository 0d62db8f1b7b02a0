"""monitor/system: identity, clock, load, API keys."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from lab.gateway.call import Call
from lab.gateway.cmdb.editor import Location
from lab.gateway.errors import malformed
from lab.gateway.identity import MODEL, MODEL_NAME
from lab.gateway.monitors.model import ANYONE, Monitor, needed
from lab.gateway.resources import INTERVALS, RESOURCES

if TYPE_CHECKING:
    from lab.gateway.device import Device

async def _status(device: Device, call: Call) -> dict[str, Any]:
    return {
        "model_name": MODEL_NAME,
        "model_number": device.identity.model_number,
        "model": MODEL,
        "hostname": device.database.state.singleton("system/global")["hostname"],
        "log_disk_status": "available",
    }


async def _time(device: Device, call: Call) -> dict[str, Any]:
    return {"time": int(device.now())}


async def _firmware(device: Device, call: Call) -> dict[str, Any]:
    version = device.identity.version
    major, minor, patch = version.release
    return {
        "current": {
            "platform-id": MODEL, "version": str(version), "major": major, "minor": minor,
            "patch": patch, "build": version.build,
        },
        "available": [],
    }


async def _domain(device: Device, call: Call) -> dict[str, Any]:
    """What the one virtual domain takes; of limits it has that of the sessions."""
    used = {name: meters[0]["current"]
            for name, meters in (await device.resources.usage(None, "1-min")).items()}
    sessions = used["session"] + used["session6"]
    most = device.database.state.singleton("system/resource-limits")["session"]
    return {
        "cpu": used["cpu"],
        "memory": used["mem"],
        "session": {
            "current_usage": sessions,
            "custom_max": most,
            "usage_percent": round(100 * sessions / most) if most else 0,
        },
    }


async def _usage(device: Device, call: Call) -> Any:
    resource, interval = call.parameter("resource"), call.parameter("interval")
    if resource and resource not in RESOURCES:
        raise malformed(f"The resource must be one of {', '.join(RESOURCES)}.")
    if interval and interval not in INTERVALS:
        raise malformed(f"The interval must be one of {', '.join(INTERVALS)}.")
    return await device.resources.usage(resource, interval)


async def _generate_key(device: Device, call: Call) -> dict[str, Any]:
    body = call.body()
    name = needed(call.argument("api-user", body), "api-user")
    token = secrets.token_urlsafe(24)
    with device.database.change() as editor:
        editor.update(Location("system/api-user", name), {"api-key": token})
    return {"access_token": token}


async def _reboot(device: Device, call: Call) -> dict[str, Any]:
    device.restart()
    return {}


MONITORS = {
    "system/status": Monitor(ANYONE, get=_status),
    "system/time": Monitor("sysgrp.cfg", get=_time),
    "system/resource/usage": Monitor("sysgrp.cfg", get=_usage),
    "system/vdom-resource": Monitor("sysgrp.cfg", get=_domain),
    "system/firmware": Monitor("sysgrp.mnt", get=_firmware),
    "system/os/reboot": Monitor("sysgrp.cfg", post=_reboot),
    "system/api-user/generate-key": Monitor("sysgrp.admin", post=_generate_key),
}
