"""The routing part: interface addresses, static routes, addresses answered for, forwarding."""

from __future__ import annotations

import errno
import ipaddress
from collections.abc import Iterator

from pyroute2 import IPRoute
from pyroute2.netlink.exceptions import NetlinkError

from lab.gateway.dataplane.errors import DataPlaneError
from lab.gateway.dataplane.intent.model import Intent
from lab.gateway.dataplane.intent.remote import SSL_ROOT, pool_networks
from lab.gateway.dataplane.intent.values import Port
from lab.gateway.dataplane.kernel.commands import KernelSettings

# Marks the routes that this part set, so that nobody else's is ever removed.
_PROTOCOL = 4  # RTPROT_STATIC
_MAIN, _LOCAL = 254, 255
_RTN_LOCAL, _RTN_BLACKHOLE = 2, 6
_SCOPE_HOST, _SCOPE_LINK, _SCOPE_UNIVERSE = 254, 253, 0
_IFA_F_NODAD = 0x02
_INACTIVE = {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EEXIST, errno.EINVAL}

# A route is (IP version, table, prefix, gateway, interface, metric).
Route = tuple[int, int, str, str | None, str | None, int]


class Routing:
    """Addresses and routes of the gateway's interfaces."""

    share = ()

    def __init__(self) -> None:
        self._applied: tuple | None = None
        self._added: set[tuple[str, str]] = set()

    def apply(self, intent: Intent) -> None:
        """Bring addresses and routes to what the intent asks for."""
        wanted = (tuple(intent.ports), frozenset(_wanted_routes(intent)))
        if wanted == self._applied:
            return
        self._applied = None
        try:
            with IPRoute() as ipr:
                links = _links(ipr)
                for port in intent.ports:
                    if port.name in links:
                        self._set_port(ipr, links[port.name], port)
                _set_routes(ipr, links, set(wanted[1]))
        except NetlinkError as error:
            raise DataPlaneError(f"The kernel refuses an address or route: {error}.") from None
        self._applied = wanted

    def _set_port(self, ipr: IPRoute, index: int, port: Port) -> None:
        # No duplicate address detection: the port's IPv6 serves as soon as its link is up. The
        # reverse path check is the rules'.
        settings = {f"ipv6/conf/{port.name}/accept_dad": "0"}
        if port.physical:
            settings[f"ipv4/conf/{port.name}/rp_filter"] = "0"
        KernelSettings().set(settings)
        ipr.link("set", index=index, state="up" if port.up else "down")
        there = {
            f"{item.get_attr('IFA_LOCAL') or item.get_attr('IFA_ADDRESS')}/{item['prefixlen']}"
            for item in ipr.get_addr(index=index)
            if item["scope"] == _SCOPE_UNIVERSE
        }
        wanted = set(port.addresses)
        versions = {ipaddress.ip_interface(text).version for text in wanted}
        for text in there - wanted:
            # The configuration rules where it names an address of this IP version; else only
            # what it once set goes.
            ours = (port.name, text) in self._added
            if ours or ipaddress.ip_interface(text).version in versions:
                ipr.addr("del", index=index, **_address(text))
        for text in wanted - there:
            ipr.addr("add", index=index, flags=_IFA_F_NODAD, **_address(text))
            self._added.add((port.name, text))

    def close(self) -> None:
        """Remove the routes and addresses that this part added."""
        try:
            with IPRoute() as ipr:
                links = _links(ipr)
                _set_routes(ipr, links, set())
                for name, text in self._added:
                    if name in links and any(
                        item.get_attr("IFA_ADDRESS") == _address(text)["address"]
                        for item in ipr.get_addr(index=links[name])
                    ):
                        ipr.addr("del", index=links[name], **_address(text))
        except NetlinkError as error:
            raise DataPlaneError(f"The kernel refuses to remove a route: {error}.") from None
        self._added.clear()
        self._applied = None


def _address(text: str) -> dict:
    address, _, length = text.partition("/")
    return {"address": address, "prefixlen": int(length)}


def _links(ipr: IPRoute) -> dict[str, int]:
    return {link.get_attr("IFLA_IFNAME"): link["index"] for link in ipr.get_links()}


def _wanted_routes(intent: Intent) -> Iterator[Route]:
    for route in intent.routes:
        version = ipaddress.ip_network(route.destination).version
        yield version, _MAIN, route.destination, route.gateway, route.interface, route.distance
    for prefix in pool_networks(intent.remote_access):
        yield 4, _MAIN, prefix, None, SSL_ROOT, 0
    for tunnel in intent.ipsec.tunnels.values():
        if tunnel.dial_up is not None and tunnel.dial_up.pool:
            for prefix in tunnel.remote_networks:
                yield 4, _MAIN, prefix, None, tunnel.name, tunnel.distance
    own = {int(ipaddress.ip_interface(text).ip) for port in intent.ports for text in port.addresses}
    spans = [pool.span for pool in intent.pools.values() if pool.answers_arp]
    spans += [vip.external for vip in intent.vips if vip.answers_arp]
    for low, high in spans:
        first, last = ipaddress.IPv4Address(low), ipaddress.IPv4Address(high)
        for prefix in ipaddress.summarize_address_range(first, last):
            if prefix.num_addresses > 1 or int(prefix.network_address) not in own:
                # A local route makes the kernel answer ARP for the address, without making it
                # an address that an interface could choose as its own.
                yield 4, _LOCAL, prefix.with_prefixlen, None, "lo", 0


def _set_routes(ipr: IPRoute, links: dict[str, int], wanted: set[Route]) -> None:
    names = {index: name for name, index in links.items()}
    there = set()
    for version, family in ((4, 2), (6, 10)):
        for item in ipr.get_routes(family=family):
            if item["proto"] == _PROTOCOL and item["table"] in (_MAIN, _LOCAL):
                length = item["dst_len"]
                dst = item.get_attr("RTA_DST") or ("0.0.0.0" if version == 4 else "::")
                interface = names.get(item.get_attr("RTA_OIF"))
                if item["type"] == _RTN_BLACKHOLE:
                    interface = None
                gateway, metric = item.get_attr("RTA_GATEWAY"), item.get_attr("RTA_PRIORITY") or 0
                there.add((version, item["table"], f"{dst}/{length}", gateway, interface, metric))
    for route in there - wanted:
        ipr.route("del", **_route(route, links))
    for route in wanted - there:
        interface = route[4]
        if interface is None or interface in links:
            _add(ipr, route, links)


def _add(ipr: IPRoute, route: Route, links: dict[str, int]) -> None:
    try:
        ipr.route("add", **_route(route, links))
    except NetlinkError as error:
        # FortiOS takes a route whose gateway is not reachable, and leaves it inactive.
        if error.code not in _INACTIVE:
            raise


def _route(route: Route, links: dict[str, int]) -> dict:
    version, table, dst, gateway, interface, metric = route
    spec: dict = {
        "family": 2 if version == 4 else 10,
        "table": table,
        "dst": dst,
        "proto": _PROTOCOL,
    }
    if metric:
        spec["priority"] = metric
    if gateway:
        spec["gateway"] = gateway
    if interface:
        spec["oif"] = links[interface]
    if table == _LOCAL:
        spec |= {"type": _RTN_LOCAL, "scope": _SCOPE_HOST}
    elif interface is None and gateway is None:
        spec["type"] = _RTN_BLACKHOLE
    elif gateway is None and version == 4:
        spec["scope"] = _SCOPE_LINK
    return spec
