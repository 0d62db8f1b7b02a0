"""monitor/system and monitor/license: identity, clock, load, licence, API keys."""

from __future__ import annotations

import os
import secrets
import time
from typing import TYPE_CHECKING, Any

from lab.gateway.cmdb.editor import Place
from lab.gateway.errors import malformed
from lab.gateway.identity import MODEL, MODEL_NAME, MODEL_NUMBER
from lab.gateway.monitors.model import Monitor, needed
from lab.gateway.monitors.resources import INTERVALS, RESOURCES, memory
from lab.gateway.rest.request import Call

if TYPE_CHECKING:
    from lab.gateway.device import Device

_GIB = 1024**3
_YEAR_SECONDS = 365 * 24 * 3600


async def _status(device: Device, call: Call) -> dict[str, Any]:
    return {
        "model_name": MODEL_NAME,
        "model_number": MODEL_NUMBER,
        "model": MODEL,
        "hostname": device.database.state.singleton("system/global")["hostname"],
        "log_disk_status": "available",
    }


async def _time(device: Device, call: Call) -> dict[str, Any]:
    return {"time": int(time.time())}


async def _usage(device: Device, call: Call) -> Any:
    resource, interval = call.parameter("resource"), call.parameter("interval")
    if resource and resource not in RESOURCES:
        raise malformed(f"The resource must be one of {', '.join(RESOURCES)}.")
    if interval and interval not in INTERVALS:
        raise malformed(f"The interval must be one of {', '.join(INTERVALS)}.")
    return await device.resources.usage(resource, interval)


async def _licence(device: Device, call: Call) -> dict[str, Any]:
    used, size = memory()
    cpus, expires = os.cpu_count() or 1, int(time.time()) + _YEAR_SECONDS
    is_valid, status = True, "vm_valid"
    if "evaluation-licence" in device.faults:
        status = "vm_eval"
    if "evaluation-licence" in device.faults or "too-few-resources" in device.faults:
        cpus, size = 1, 2 * _GIB
        used = min(used, size)
    if "licence-expired" in device.faults:
        is_valid, status, expires = False, "vm_expired", int(time.time()) - 24 * 3600
    return {
        "vm": {
            "type": "vm",
            "valid": is_valid,
            "status": status,
            "expires": expires,
            "cpu_used": cpus,
            "cpu_max": cpus,
            "mem_used": used if size > 2 * _GIB else size,
            "mem_max": size,
        },
        # Nothing of FortiGuard is in the lab.
        "forticare": {"type": "cloud_service_status", "status": "not_registered"},
        "antivirus": {"type": "downloaded_fds_object", "status": "no_license"},
        "ips": {"type": "downloaded_fds_object", "status": "no_license"},
        "appctrl": {"type": "downloaded_fds_object", "status": "no_license"},
        "web_filtering": {"type": "live_fortiguard_service", "status": "no_license"},
    }


async def _generate_key(device: Device, call: Call) -> dict[str, Any]:
    body = call.body()
    name = needed(call.argument("api-user", body), "api-user")
    token = secrets.token_urlsafe(24)
    with device.database.change() as editor:
        editor.update(Place("system/api-user", name), {"api-key": token})
    return {"access_token": token}


MONITORS = {
    "system/status": Monitor("sysgrp", get=_status),
    "system/time": Monitor("sysgrp", get=_time),
    "system/resource/usage": Monitor("sysgrp", get=_usage),
    "license/status": Monitor("sysgrp", get=_licence),
    "system/api-user/generate-key": Monitor("sysgrp", post=_generate_key),
}
