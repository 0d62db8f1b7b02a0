"""monitor/license: what the gateway may be used for, and how long."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from lab.gateway.call import Call
from lab.gateway.faults import EVERY_FUNCTION
from lab.gateway.monitors.model import ANYONE, Monitor

if TYPE_CHECKING:
    from lab.gateway.device import Device

_MIB, _GIB = 1024**2, 1024**3
_DAY_SECONDS = 24 * 3600
_YEAR_SECONDS = 365 * _DAY_SECONDS

# Function -> its kind, and the version of the package that the lab has in its place.
_FUNCTIONS = {
    "antivirus": ("downloaded_fds_object", "1.00000"),
    "ips": ("downloaded_fds_object", "1.00000"),
    "appctrl": ("downloaded_fds_object", "1.00000"),
    "web_filtering": ("live_fortiguard_service", None),
}


async def _status(device: Device, call: Call) -> dict[str, Any]:
    return {
        "vm": _machine(device),
        "forticare": {"type": "cloud_service_status", "status": "not_registered"},
        **{name: _function(device, name) for name in _FUNCTIONS},
    }


def _machine(device: Device) -> dict[str, Any]:
    size = device.identity.memory_mib * _MIB
    cpus, expires = os.cpu_count() or 1, int(time.time()) + _YEAR_SECONDS
    is_valid, status, allowed = True, "vm_valid", {}
    if "evaluation-licence" in device.faults or "too-few-resources" in device.faults:
        cpus, size = 1, min(size, 2 * _GIB)
    if "evaluation-licence" in device.faults:
        # what the VM has and what its licence allows it are two things
        status, allowed = "vm_eval", {"mem_max": 2 * _GIB}
    if "licence-expired" in device.faults:
        is_valid, status, expires = False, "vm_expired", int(time.time()) - _DAY_SECONDS
    return {
        "type": "platform",
        "valid": is_valid,
        "status": status,
        "license_model": 1,
        "license_platform_name": "LAB",
        "closed_network": False,
        "is_payg": False,
        "expires": expires,
        "cpu_used": cpus,
        "cpu_max": cpus,
        "mem_used": size,
        **allowed,
    }


def _function(device: Device, name: str) -> dict[str, Any]:
    """One security service; without a licence it has neither an end nor a package."""
    kind, version = _FUNCTIONS[name]
    faults = device.faults
    is_missing = "license-missing" in faults and faults.parameter(
        "license-missing", "function"
    ) in (name, EVERY_FUNCTION)
    if is_missing or "evaluation-licence" in faults:
        return {"type": kind, "status": "no_license"}
    now, is_expired = int(time.time()), "licence-expired" in faults
    result: dict[str, Any] = {
        "type": kind,
        "status": "expired" if is_expired else "licensed",
        "expires": now - _DAY_SECONDS if is_expired else now + _YEAR_SECONDS,
    }
    if version is None:
        return result | {"running": not is_expired}
    return result | {"entitlement": "LAB", "version": version}


MONITORS = {
    "license/status": Monitor(ANYONE, get=_status),
}
