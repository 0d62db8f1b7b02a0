"""monitor/user/banned: hosts that are cut off (quarantine)."""

from __future__ import annotations

import ipaddress
import time
from typing import TYPE_CHECKING, Any

from lab.gateway.call import Call
from lab.gateway.errors import bad_value, malformed
from lab.gateway.monitors.model import Monitor, whole

if TYPE_CHECKING:
    from lab.gateway.device import Device

_LONGEST_S = 2**31 - 1


async def _banned(device: Device, call: Call) -> list[dict[str, Any]]:
    now = time.time()
    return [row for row in device.banned.values() if not row["expires"] or row["expires"] > now]


async def _add(device: Device, call: Call) -> dict[str, Any]:
    body = call.body()
    seconds = whole(call.argument("expiry", body) or 0, "expiry", 0, _LONGEST_S)
    now = int(time.time())
    for address in _addresses(call.argument("ip_addresses", body)):
        await device.applier.call(device.applier.plane.ban, address, seconds)
        device.banned[address] = {
            "ip_address": address,
            "ipv6": ":" in address,
            "created": now,
            "expires": now + seconds if seconds else 0,
            "source": "Administrative",
        }
    return {}


async def _clear(device: Device, call: Call) -> dict[str, Any]:
    await _lift(device, _addresses(call.argument("ip_addresses", call.body())))
    return {}


async def _clear_all(device: Device, call: Call) -> dict[str, Any]:
    await _lift(device, list(device.banned))
    return {}


async def _lift(device: Device, addresses: list[str]) -> None:
    for address in addresses:
        await device.applier.call(device.applier.plane.lift, address)
        device.banned.pop(address, None)


def _addresses(value: Any) -> list[str]:
    if not isinstance(value, list) or not value:
        raise malformed("The parameter 'ip_addresses' must be a list of addresses.")
    found = []
    for text in value:
        try:
            found.append(str(ipaddress.ip_address(text)))
        except ValueError:
            raise bad_value("ip_addresses", text, "an IP address") from None
    return found


MONITORS = {
    "user/banned": Monitor("authgrp", get=_banned),
    "user/banned/add_users": Monitor("authgrp", post=_add),
    "user/banned/clear_users": Monitor("authgrp", post=_clear),
    "user/banned/clear_all": Monitor("authgrp", post=_clear_all),
}
