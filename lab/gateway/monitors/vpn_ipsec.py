"""monitor/vpn/ipsec and vpn/ike: tunnels, what they carry, and to bring them up and down.

As on a device nothing here tells which ciphers were negotiated.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from lab.gateway.call import Call
from lab.gateway.dataplane.ipsec.status import Carried, ChildSa, IkeSa, IpsecStatus
from lab.gateway.errors import malformed, not_found
from lab.gateway.monitors.model import Monitor, needed, whole

if TYPE_CHECKING:
    from lab.gateway.device import Device

_PHASE1, _PHASE2 = "vpn.ipsec/phase1-interface", "vpn.ipsec/phase2-interface"
_NO_ADDRESS = "0.0.0.0"


async def _tunnels(device: Device, call: Call) -> list[dict[str, Any]]:
    status: IpsecStatus = await device.applier.call(device.applier.plane.ipsec)
    rows = device.database.state.rows
    wanted = call.parameter("tunnel")
    found: list[dict[str, Any]] = []
    for name, row in rows[_PHASE1].items():
        if wanted and name != wanted:
            continue
        children = [
            (serial, child)
            for serial, child in enumerate(rows[_PHASE2].values(), 1)
            if child["phase1name"] == name
        ]
        sas = [sa for sa in status.sas if sa.tunnel == name]
        if row["type"] == "static":
            found.append(_static(row, children, sas, status))
        else:
            found += _dial_up(row, children, sas, status)
    return found


def _static(
    row: Mapping[str, Any],
    children: Iterable[tuple[int, Mapping[str, Any]]],
    sas: list[IkeSa],
    status: IpsecStatus,
) -> dict[str, Any]:
    """A tunnel with one other end, which is shown whether it is up or not."""
    selectors = []
    for serial, child in children:
        carried = status.carried.get((row["name"], child["name"]), Carried())
        sa = _newest(sas, child["name"])
        shown = _selector(child, serial, sa, carried)
        shown |= {
            "proxy_src": [_network(_configured(child, "src"))],
            "proxy_dst": [_network(_configured(child, "dst"))],
        }
        selectors.append(shown)
    established = [sa for sa in sas if sa.established]
    result = _about(row, selectors) | {
        "type": "automatic",
        "rgwy": row["remote-gw"],
        "tun_id": row["remote-gw"],
        "tun_id6": f"::{row['remote-gw']}",
        "connection_count": len(established),
    }
    if established:
        newest = max(established, key=lambda sa: sa.id)
        result |= {"creation_time": newest.age_s, "username": newest.remote_id}
    return result


def _dial_up(
    row: Mapping[str, Any],
    children: Iterable[tuple[int, Mapping[str, Any]]],
    sas: list[IkeSa],
    status: IpsecStatus,
) -> list[dict[str, Any]]:
    """One entry for each peer that is connected, then one for the tunnel itself."""
    serials = {child["name"]: (serial, child) for serial, child in children}
    found = []
    for sa in sorted(sas, key=lambda sa: sa.id):
        if not (sa.established and sa.children):
            continue
        place = status.places[sa.id]
        selectors = []
        for key in sa.children:
            if key.current and key.child in serials:
                serial, child = serials[key.child]
                carried = status.carried_by.get((sa.id, key.child), Carried())
                shown = _selector(child, serial, key, carried)
                shown |= {
                    "proxy_src": [_network(_span(text)) for text in key.local],
                    "proxy_dst": [_network(_span(text)) for text in key.remote],
                }
                selectors.append(shown)
        login = {"user": sa.user, "auth_type": "eap"} if sa.user else {}
        found.append(
            _about(row, selectors)
            | login
            | {
                "name": f"{row['name']}_{place}",
                "parent": row["name"],
                "type": "dialup",
                "username": sa.remote_id,
                "rgwy": sa.remote,
                "rport": sa.remote_port,
                "tun_id": sa.assigned or sa.remote,
                "tun_id6": f"::{sa.assigned or sa.remote}",
                "connection_count": 1,
                "creation_time": sa.age_s,
                "dialup_index": place,
            }
        )
    tunnel = {"type": "", "rgwy": _NO_ADDRESS, "tun_id": _NO_ADDRESS, "tun_id6": "::"}
    return [*found, _about(row, []) | tunnel]


def _about(row: Mapping[str, Any], selectors: list[dict[str, Any]]) -> dict[str, Any]:
    """What all entries have; the bytes of a tunnel are those of its phase 2s."""
    return {
        "proxyid": selectors,
        "name": row["name"],
        "comments": row["comments"],
        "wizard-type": row["wizard-type"],
        "incoming_bytes": sum(selector["incoming_bytes"] for selector in selectors),
        "outgoing_bytes": sum(selector["outgoing_bytes"] for selector in selectors),
    }


def _newest(sas: Iterable[IkeSa], child: str) -> ChildSa | None:
    keys = [key for sa in sas for key in sa.children if key.child == child and key.up]
    return max(keys, key=lambda key: key.id, default=None)


def _selector(
    child: Mapping[str, Any], serial: int, sa: ChildSa | None, carried: Carried
) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "status": "up" if sa is not None else "down",
        "p2name": child["name"],
        "p2serial": serial,
        "incoming_bytes": carried.received,
        "outgoing_bytes": carried.sent,
    }
    if sa is not None:
        shown["expire"] = sa.expires_s
    return shown


def _network(subnet: str) -> dict[str, Any]:
    return {"subnet": subnet, "port": 0, "protocol": 0, "protocol_name": ""}


def _configured(child: Mapping[str, Any], side: str) -> str:
    kind = child[f"{side}-addr-type"]
    if kind != "subnet":
        ends = (child[f"{side}-start-ip"], child[f"{side}-end-ip"])
        return "-".join(ends) if kind == "range" else ends[0]
    return _span("/".join(child[f"{side}-subnet"].split()))


def _span(prefix: str) -> str:
    """A network as the monitor writes it: `FIRST-LAST`, and all addresses with their mask."""
    network = ipaddress.IPv4Network(prefix, strict=False)
    if network.prefixlen == 0:
        return f"{_NO_ADDRESS}/{_NO_ADDRESS}"
    return f"{network.network_address}-{network.broadcast_address}"


async def _reset(device: Device, call: Call) -> dict[str, Any]:
    name = call.argument("p1name", call.body())
    if name is not None and needed(name, "p1name") not in device.database.state.rows[_PHASE1]:
        raise not_found(f"{_PHASE1} {name}")
    await device.applier.call(device.applier.plane.reset_ipsec_counters, name)
    return {}


def _chosen(device: Device, call: Call) -> tuple[str, str]:
    """The phase 1 and the phase 2 that a call is about."""
    body = call.body()
    name = needed(call.argument("p2name", body), "p2name")
    row = device.database.state.rows[_PHASE2].get(name)
    if row is None:
        raise not_found(f"{_PHASE2} {name}")
    if call.argument("p2serial", body) is not None:
        whole(call.argument("p2serial", body), "p2serial", 0, 2**32)
    tunnel = call.argument("p1name", body)
    if tunnel is not None and tunnel != row["phase1name"]:
        raise malformed(f"The phase 2 {name} is not one of {tunnel}.")
    return row["phase1name"], name


async def _up(device: Device, call: Call) -> dict[str, Any]:
    await device.applier.call(device.applier.plane.tunnel_up, *_chosen(device, call))
    return {}


async def _down(device: Device, call: Call) -> dict[str, Any]:
    await device.applier.call(device.applier.plane.tunnel_down, *_chosen(device, call))
    return {}


async def _clear(device: Device, call: Call) -> dict[str, Any]:
    name = needed(call.argument("mkey", call.body()), "mkey")
    if not await device.applier.call(device.applier.plane.end_ipsec, name):
        raise not_found(f"IKE gateway {name}")
    return {}


MONITORS = {
    "vpn/ipsec": Monitor("vpngrp", get=_tunnels),
    "vpn/ipsec/tunnel_reset_stats": Monitor("vpngrp", post=_reset),
    "vpn/ipsec/tunnel_up": Monitor("vpngrp", post=_up),
    "vpn/ipsec/tunnel_down": Monitor("vpngrp", post=_down),
    "vpn/ike/clear": Monitor("vpngrp", post=_clear),
}
