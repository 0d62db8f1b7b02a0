"""monitor/firewall: counters of policies, policy lookup, sessions."""

from __future__ import annotations

import ipaddress
import socket
from typing import TYPE_CHECKING, Any

from lab.gateway.call import Call
from lab.gateway.errors import bad_value, malformed, not_found
from lab.gateway.monitors.model import Monitor, needed, whole

if TYPE_CHECKING:
    from lab.gateway.device import Device

MOST_SESSIONS = 1000
_WITH_PORTS = (socket.IPPROTO_TCP, socket.IPPROTO_UDP, socket.IPPROTO_SCTP)
_PROTOCOLS = {"tcp": 6, "udp": 17, "sctp": 132, "icmp": 1, "icmp6": 58, "ip": 0}


async def _policies(device: Device, call: Call) -> list[dict[str, Any]]:
    counters = await device.applier.call(device.applier.plane.policy_counters)
    rows = device.database.state.rows["firewall/policy"]
    wanted = call.parameter("policyid")
    ids = [0, *rows] if wanted is None else [whole(wanted, "policyid", 0, 2**32)]
    return [_counted(number, counters.get(number), rows.get(number)) for number in ids]


def _counted(number: int, counter: Any, row: Any) -> dict[str, Any]:
    """One policy; what was never hit has no hit_count, first_used and last_used."""
    result: dict[str, Any] = {"policyid": number}
    if row is not None:
        result["uuid"] = row["uuid"]
    result |= {
        "active_sessions": counter.active_sessions if counter else 0,
        "bytes": counter.bytes if counter else 0,
        "packets": counter.packets if counter else 0,
    }
    if counter and counter.hit_count:
        result["hit_count"] = counter.hit_count
        for name in ("first_used", "last_used"):
            moment = getattr(counter, name)
            if moment is not None:
                result[name] = int(moment)
    return result


async def _clear_counters(device: Device, call: Call) -> dict[str, Any]:
    body = call.body()
    wanted = call.argument("policy", body)
    ids: list[int] | None = None
    if wanted is not None:
        listed = wanted if isinstance(wanted, list) else [wanted]
        ids = [whole(number, "policy", 0, 2**32) for number in listed]
        known = device.database.state.rows["firewall/policy"]
        for number in ids:
            if number and number not in known:
                raise not_found(f"firewall/policy {number}")
    await device.applier.call(device.applier.plane.clear_counters, ids)
    return {}


async def _lookup(device: Device, call: Call) -> dict[str, Any]:
    srcintf = needed(call.parameter("srcintf"), "srcintf")
    if srcintf not in device.database.state.rows["system/interface"]:
        raise bad_value("srcintf", srcintf, "a port of this gateway")
    source, dest = (_address(call, name) for name in ("sourceip", "dest"))
    if ipaddress.ip_address(source).version != ipaddress.ip_address(dest).version:
        raise malformed("sourceip and dest are not of one IP version.")
    name = needed(call.parameter("protocol"), "protocol").lower()
    protocol = _PROTOCOLS.get(name)
    if protocol is None:
        protocol = whole(name, "protocol", 0, 255)
    port = call.parameter("destport")
    if port is None and protocol in _WITH_PORTS:
        raise malformed("The parameter 'destport' is missing.")
    destport = None if port is None else whole(port, "destport", 0, 65535)
    plane = device.applier.plane
    policy, action = await device.applier.call(
        plane.lookup, srcintf, source, protocol, dest, destport)
    return {"match": policy != 0, "policy_id": policy, "policy_action": action}


def _address(call: Call, name: str) -> str:
    text = needed(call.parameter(name), name)
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        # The lab has no resolver, so a host name has no address here.
        raise bad_value(name, text, "an IP address") from None


async def _sessions(device: Device, call: Call) -> dict[str, Any]:
    count = whole(call.parameter("count") or 20, "count", 1, MOST_SESSIONS)
    start = whole(call.parameter("start") or 0, "start", 0, 2**31)
    plane = device.applier.plane
    total = await device.applier.call(plane.session_count)
    policy = call.parameter("policyid")
    if policy is None:
        rows, matched = await device.applier.call(plane.sessions, start + count), total
    else:
        number = whole(policy, "policyid", 0, 2**32)
        every = await device.applier.call(plane.sessions, total)
        rows = [row for row in every if row["policyid"] == number]
        matched = len(rows)
    results: dict[str, Any] = {"details": rows[start:start + count]}
    if call.parameter("summary") == "true":
        results["summary"] = {"matched_count": matched, "session_count": total}
    return results


MONITORS = {
    "firewall/policy": Monitor("fwgrp.policy", get=_policies),
    "firewall/policy/clear_counters": Monitor("fwgrp.policy", post=_clear_counters),
    "firewall/policy/reset": Monitor("fwgrp.policy", post=_clear_counters),
    "firewall/policy-lookup": Monitor("fwgrp.policy", get=_lookup),
    "firewall/session": Monitor("sysgrp.cfg", get=_sessions),
    "firewall/sessions": Monitor("sysgrp.cfg", get=_sessions, since=(7, 6, 0)),
}
