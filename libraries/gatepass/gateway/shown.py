"""What every device shows of a table: a row without it was shown in part, and is not readable.

Some releases answer who lacks a right with 200 and a part of the attributes. What is missing then
would be taken for its default, which it need not be. Names as in the FortiOS CLI Reference, 7.0 to
8.0; here stands what every model has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gatepass.gateway.answers import Refused

POLICY = (
    *("status", "action", "srcintf", "dstintf", "srcaddr", "dstaddr", "srcaddr6", "dstaddr6"),
    *("service", "schedule"),
)
"""Of a policy, from FortiOS 6.4 on."""
SETTINGS: Mapping[str, Sequence[str]] = {
    "system/global": ("admin-sport", "admin-ssh-port", "admintimeout"),
    "system/settings": ("opmode", "ngfw-mode", "central-nat"),
    "system/sdwan": ("status", "zone", "members"),
    "system/resource-limits": ("session",),
    "system/ha": ("mode",),
    "web-proxy/explicit": ("status", "http-incoming-port"),
    "vpn.ssl/settings": ("port", "source-interface", "auth-timeout"),
    "firewall.ipmacbinding/setting": ("bindthroughfw", "bindtofw", "undefinedhost"),
}
"""Tables of one row."""
_ROWS: Mapping[str, Sequence[str]] = {
    "firewall/policy": (*POLICY, "logtraffic", "utm-status"),
    "firewall/addrgrp": ("member",),
    "firewall/addrgrp6": ("member",),
    "firewall.service/custom": ("protocol",),
    "firewall.service/group": ("member",),
    "firewall.schedule/onetime": ("end",),
    "firewall.schedule/recurring": ("day",),
    "firewall.schedule/group": ("member",),
    "firewall/vip": ("extip", "mappedip", "extintf"),
    "firewall/vip6": ("extip", "mappedip"),
    "firewall/vipgrp": ("member",),
    "firewall/vipgrp6": ("member",),
    "firewall/ippool": ("startip", "endip"),
    "firewall.shaper/traffic-shaper": ("maximum-bandwidth", "bandwidth-unit"),
    "firewall/shaping-policy": ("status", "traffic-shaper"),
    "router/static": ("gateway", "device"),
    "system/interface": ("ip", "allowaccess"),
    "system/zone": ("interface",),
}


def missing(path: str, rows: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """What every device shows of a table, and the first row that is short of some lacks.

    Args:
        path: of the table.
        rows: as they came, with all attributes.
    """
    shown = SETTINGS.get(path) or _ROWS.get(path, ())
    lacking = (tuple(name for name in shown if row.get(name) is None) for row in rows)
    return next(filter(None, lacking), ())


def must_be_whole(path: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Rows hold what every device shows of them.

    Args:
        path: of the table.
        rows: as they came, with all attributes.

    Raises:
        Refused: they do not.
    """
    if lacking := missing(path, rows):
        raise Refused(
            f"The gateway shows only a part of {path} (missing: {', '.join(lacking)}), so that "
            "it counts as not readable. Widen the API user's access profile.",
            status=403,
        )
