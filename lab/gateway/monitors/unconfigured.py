"""Monitors of functions that a device has and that cannot be configured on this one.

So there is nothing to tell, which is said in the form in which a device says it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lab.gateway.call import Call
from lab.gateway.monitors.model import Monitor

if TYPE_CHECKING:
    from lab.gateway.device import Device

_ROUTES, _NETWORK, _SYSTEM = "netgrp.route-cfg", "netgrp.cfg", "sysgrp.cfg"
_LISTS = {
    _ROUTES: (
        "router/bgp/neighbors router/bgp/neighbors6 router/bgp/paths router/bgp/paths6 "
        "router/ospf/neighbors router/policy router/policy6"
    ),
    _NETWORK: "virtual-wan/members network/lldp/neighbors",
    _SYSTEM: (
        "system/ha-statistics system/ha-peer system/ha-checksums system/sdn-connector/status "
        "system/sensor-info"
    ),
    "fwgrp.others": "firewall/load-balance firewall/per-ip-shaper",
    "authgrp": "user/fsso",
    "wifi": (
        "wifi/client wifi/managed_ap wifi/rogue_ap switch-controller/managed-switch "
        "switch-controller/managed-switch/status switch-controller/detected-device"
    ),
}
_OBJECTS: dict[str, dict[str, dict[str, Any]]] = {
    _NETWORK: {"virtual-wan/health-check": {}},
    _SYSTEM: {
        "system/link-monitor": {},
        "system/fortimanager/status": {
            # no tunnel, and unknown there
            **{"mode": "normal", "fortimanager_status_id": 0},
            "fortimanager_registration_status_id": 0,
        },
    },
    "loggrp.config": {"log/fortianalyzer": {}, "log/fortianalyzer-queue": {"connected": 0}},
    "wifi": {
        "wifi/ap_status": dict.fromkeys(
            ("wtp_session_count", "wtp_active", "wtp_down", "wtp_rebooted", "client_count",
             "client_count_max"), 0),
    },
}


def _tells(group: str, results: Any) -> Monitor:
    async def get(device: Device, call: Call) -> Any:
        return results

    return Monitor(group, get=get)


MONITORS = {
    path: _tells(group, []) for group, paths in _LISTS.items() for path in paths.split()
} | {
    path: _tells(group, results)
    for group, objects in _OBJECTS.items() for path, results in objects.items()
}
