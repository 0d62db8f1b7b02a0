"""What the interfaces and the routing table show, for the monitors."""

from __future__ import annotations

import ipaddress
from collections.abc import Collection

from pyroute2 import IPRoute
from pyroute2.netlink.exceptions import NetlinkError

_MAIN = 254
_FAMILY = {4: 2, 6: 10}
_KERNEL, _UNICAST = 2, 1
_BLACKHOLE = 6
_UNIVERSE = 0
_IFF_UP = 1
# A virtual Ethernet pair has no line rate; the kernel gives it this figure.
_SPEED_MBPS = 10_000.0


def interfaces() -> dict[str, dict]:
    """State and counters of every interface but the loopback.

    Returns:
        name -> `link` (carrier and up), `speed` in Mbit/s, `mac`, `ip` and `mask` (IPv4, zero
        where it has none), and `tx_`/`rx_` `bytes`, `packets` and `errors`.
    """
    found = {}
    with IPRoute() as ipr:
        addresses: dict[int, str] = {}
        for item in ipr.get_addr(family=2):
            text = f"{item.get_attr('IFA_LOCAL')}/{item['prefixlen']}"
            if item["scope"] == _UNIVERSE:
                addresses.setdefault(item["index"], text)
        for link in ipr.get_links():
            name = link.get_attr("IFLA_IFNAME")
            if name == "lo":
                continue
            stats = link.get_attr("IFLA_STATS64")
            up = bool(link["flags"] & _IFF_UP and link.get_attr("IFLA_CARRIER"))
            address = ipaddress.ip_interface(addresses.get(link["index"], "0.0.0.0/0"))
            found[name] = {
                "id": name,
                "name": name,
                "mac": link.get_attr("IFLA_ADDRESS"),
                "ip": str(address.ip),
                "mask": address.network.prefixlen,
                "link": up,
                "speed": _SPEED_MBPS if up else 0.0,
                "duplex": 1,
                **{
                    f"{way}_{what}": stats[f"{way}_{what}"]
                    for way in ("tx", "rx")
                    for what in ("packets", "bytes", "errors")
                },
            }
    return found


def routes(version: int = 4) -> list[dict]:
    """The routing table as `monitor/router/ipv4` and `monitor/router/ipv6` show it."""
    found = []
    unspecified = "0.0.0.0" if version == 4 else "::"
    with IPRoute() as ipr:
        names = {link["index"]: link.get_attr("IFLA_IFNAME") for link in ipr.get_links()}
        for item in ipr.get_routes(family=_FAMILY[version], table=_MAIN):
            connected = item["proto"] == _KERNEL
            dst = item.get_attr("RTA_DST") or unspecified
            found.append(
                {
                    "ip_version": version,
                    "type": "connect" if connected else "static",
                    "ip_mask": f"{dst}/{item['dst_len']}",
                    "distance": 0 if connected else item.get_attr("RTA_PRIORITY") or 10,
                    "metric": 0,
                    "priority": 0,
                    "vrf": 0,
                    "gateway": item.get_attr("RTA_GATEWAY") or unspecified,
                    "interface": "Null"
                    if item["type"] == _BLACKHOLE
                    else names.get(item.get_attr("RTA_OIF"), ""),
                }
            )
    return sorted(
        found, key=lambda route: (route["type"] != "static", ipaddress.ip_network(route["ip_mask"]))
    )


def sent_packets(names: Collection[str]) -> dict[str, int]:
    """How many packets each of these interfaces has sent."""
    with IPRoute() as ipr:
        found = {link.get_attr("IFLA_IFNAME"): link for link in ipr.get_links()}
    return {
        name: found[name].get_attr("IFLA_STATS64")["tx_packets"] for name in names if name in found
    }


def outgoing(dest: str) -> str | None:
    """The interface that the routing table leads to a destination; None without a route."""
    with IPRoute() as ipr:
        try:
            answer = ipr.route("get", dst=dest)
        except NetlinkError:
            return None
        item = next(iter(answer), None)
        if item is None or item["type"] != _UNICAST:
            return None
        return ipr.get_links(item.get_attr("RTA_OIF"))[0].get_attr("IFLA_IFNAME")
