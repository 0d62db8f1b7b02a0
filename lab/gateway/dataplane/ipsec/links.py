"""The tunnels' interfaces: one for each tunnel, by its name, whatever does the encryption.

Where the kernel has ESP they are its xfrm interfaces. Elsewhere charon encrypts, and has one
interface (`ipsec0`) for all tunnels. That one is moved into a network namespace of its own, and
each tunnel is a pair of virtual Ethernet ends from here to there:

    gateway: policies, routes | to-b ===== to-b | crypto room: selectors | charon0 = charon

In the room a packet from `to-b` may leave through `charon0`, and one from there through `to-b`,
only between addresses of that tunnel's selectors. So to the gateway a tunnel is an interface like
any other; a policy for one tunnel permits nothing of another; and what is routed into a tunnel that
is not up ends in the room, as charon has no keys for it.

charon does not take a tunnel unless it can write a route for it, over an interface named as its own
was, from an address of its host in the tunnel's local network. So there is an `ipsec0` without any
use in the gateway, with such an address where the gateway has none; neither routes nor addresses of
it are ever looked at for a packet.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from pyroute2 import IPRoute
from pyroute2.netlink.exceptions import NetlinkError

from lab.gateway.dataplane.errors import DataPlaneError
from lab.gateway.dataplane.intent.addresses import network
from lab.gateway.dataplane.intent.ipsec import Ipsec, Tunnel
from lab.gateway.dataplane.intent.model import Intent
from lab.gateway.dataplane.ipsec.charon import TABLE as CHARONS_TABLE
from lab.gateway.dataplane.kernel.commands import KernelSettings
from lab.gateway.dataplane.kernel.room import Room
from lab.gateway.dataplane.nft.nft import load, run

Way = tuple[str, int]
"""A network on the other side, and the number of the tunnel that its packets came through."""

_NAMED_BY_CHARON, _TUN = "ipsec0", "charon0"
_MTU = 1400
# The ends of a pair have one address and no ARP: each frame is for whoever gets it.
_MAC = "02:67:70:00:00:01"
_UP_WITHOUT_ARP = 0x81
# On an interface without any address the kernel takes only what it would send back through it.
_NO_ONES = "169.254.0.1"
_TABLE = "ip gatepass_crypto"
_FIRST_TABLE = 1000
_SCOPE_LINK, _SCOPE_HOST = 253, 254
_IPV4, _LOCAL = 2, 255
_ROOM_SETTINGS = {
    "ipv4/ip_forward": "1",
    "ipv4/conf/all/rp_filter": "0",
    "ipv4/conf/default/rp_filter": "0",
    "ipv6/conf/all/disable_ipv6": "1",
    "ipv6/conf/default/disable_ipv6": "1",
}


class TunnelLinks:
    """Makes and removes the tunnels' interfaces."""

    share = ("ipsec",)

    def __init__(self) -> None:
        self._room: Room | None = None
        self._in_kernel: bool | None = None
        self._numbers: dict[str, int] = {}
        self._loaded = Ipsec()
        self._ways: set[Way] = set()

    @property
    def in_kernel(self) -> bool:
        """Whether the kernel encrypts."""
        if self._in_kernel is None:
            self._in_kernel = kernel_has_esp()
        return self._in_kernel

    def number(self, name: str) -> int:
        """The number that ties a tunnel's keys to its interface."""
        return self._numbers[name]

    def apply(self, intent: Intent) -> None:
        """Make the interfaces that the intent's tunnels need, and no other."""
        if intent.ipsec == self._loaded:
            return
        if not intent.ipsec.tunnels:
            self.close()
            return
        with _kernel_permitting():
            self._change(intent.ipsec)
        self._loaded = intent.ipsec

    def _change(self, ipsec: Ipsec) -> None:
        wanted = ipsec.tunnels
        with IPRoute() as ipr:
            for name in [name for name in self._numbers if name not in wanted]:
                _remove(ipr, name)
                del self._numbers[name]
            for name in wanted:
                if name not in self._numbers:
                    self._add(ipr, name)
        if self._room is not None:
            numbered = {self._numbers[name]: tunnel for name, tunnel in wanted.items()}
            self._ways = self._room(_arrange, numbered, self._ways)
            if ipsec.mbps or self._loaded.mbps:
                self._room(_limit, [_TUN, *wanted], ipsec.mbps)

    def _add(self, ipr: IPRoute, name: str) -> None:
        _remove(ipr, name)  # of an earlier process of this gateway
        number = next(n for n in range(1, 65_000) if n not in self._numbers.values())
        if self.in_kernel:
            ipr.link("add", ifname=name, kind="xfrm", xfrm_if_id=number)
        else:
            far = {
                "ifname": name,
                "address": _MAC,
                "net_ns_fd": self._entered().fd,
            }
            ipr.link("add", ifname=name, kind="veth", address=_MAC, peer=far)
        self._numbers[name] = number
        KernelSettings().set({f"ipv6/conf/{name}/disable_ipv6": "1"})
        index = ipr.link_lookup(ifname=name)[0]
        ipr.link("set", index=index, mtu=_MTU, flags=_UP_WITHOUT_ARP, change=_UP_WITHOUT_ARP)
        ipr.addr("add", index=index, address=_NO_ONES, prefixlen=32, scope=_SCOPE_HOST)
        if self._room is not None:
            self._room(_raise_end, name)

    def _entered(self) -> Room:
        if self._room is None:
            self._room = Room()
            self._room(KernelSettings().set, _ROOM_SETTINGS)
        return self._room

    def make_way(self) -> None:
        """Prepare for a charon that is to be started."""
        with IPRoute() as ipr:
            _remove(ipr, _NAMED_BY_CHARON)

    def adopt(self, tunnels: Iterable[Tunnel]) -> bool:
        """Move charon's interface to where the tunnels lead; False while there is none.

        Args:
            tunnels: those that it is going to be told of.
        """
        room = self._entered()
        with _kernel_permitting(), IPRoute() as ipr:
            found = ipr.link_lookup(ifname=_NAMED_BY_CHARON)
            if not found:
                return False
            ipr.link("set", index=found[0], state="down")
            ipr.link("set", index=found[0], net_ns_fd=room.fd, ifname=_TUN)
            far = {"ifname": _NAMED_BY_CHARON, "net_ns_fd": room.fd}
            ipr.link("add", ifname=_NAMED_BY_CHARON, kind="veth", peer=far)
            KernelSettings().set({f"ipv6/conf/{_NAMED_BY_CHARON}/disable_ipv6": "1"})
            index = ipr.link_lookup(ifname=_NAMED_BY_CHARON)[0]
            ipr.link("set", index=index, state="up")
        room(_raise_tun)
        if self._loaded.mbps:
            room(_limit, [_TUN], self._loaded.mbps)
        self.satisfy(tunnels)
        return True

    def satisfy(self, tunnels: Iterable[Tunnel]) -> None:
        """Have an address in each local network of the tunnels, for charon to see."""
        with _kernel_permitting(), IPRoute() as ipr:
            own = {int(ipaddress.ip_address(address)) for address in _addresses(ipr)}
            index = next(iter(ipr.link_lookup(ifname=_NAMED_BY_CHARON)), None)
            if index is None:
                return
            for local in dict.fromkeys(local for one in tunnels for local, _ in one.selectors()):
                low, high = network(local)
                if low and not any(low <= address <= high for address in own):
                    _pretend(ipr, index, str(ipaddress.IPv4Address(low)))
                    own.add(low)

    def close(self) -> None:
        """Remove the interfaces."""
        with IPRoute() as ipr:
            for name in (*self._numbers, _NAMED_BY_CHARON):
                _remove(ipr, name)
        self._numbers.clear()
        self._loaded = Ipsec()
        if self._room is not None:
            self._room.close()
            self._room, self._ways = None, set()


@contextmanager
def _kernel_permitting() -> Iterator[None]:
    try:
        yield
    except NetlinkError as error:
        raise DataPlaneError(f"The kernel refuses a tunnel interface: {error}.") from None


def _addresses(ipr: IPRoute) -> list[str]:
    return [item.get_attr("IFA_LOCAL") for item in ipr.get_addr(family=_IPV4)]


def _pretend(ipr: IPRoute, index: int, address: str) -> None:
    """Give an interface an address that is nobody's own: packets to it are forwarded as before."""
    local = {"dst": f"{address}/32", "oif": index, "type": "local", "scope": _SCOPE_HOST}
    ipr.addr("add", index=index, address=address, prefixlen=32)
    ipr.route("del", table=_LOCAL, **local)
    ipr.route("add", table=CHARONS_TABLE, **local)


def _remove(ipr: IPRoute, name: str) -> None:
    for index in ipr.link_lookup(ifname=name):
        ipr.link("del", index=index)


def _raise_end(name: str) -> None:
    with IPRoute() as ipr:
        index = ipr.link_lookup(ifname=name)[0]
        ipr.link("set", index=index, mtu=_MTU, flags=_UP_WITHOUT_ARP, change=_UP_WITHOUT_ARP)


def _raise_tun() -> None:
    with IPRoute() as ipr:
        index = ipr.link_lookup(ifname=_TUN)[0]
        ipr.link("set", index=index, mtu=_MTU, state="up")
        ipr.route("replace", dst="0.0.0.0/0", oif=index, scope=_SCOPE_LINK)


def _arrange(tunnels: Mapping[int, Tunnel], before: set[Way]) -> set[Way]:
    """Let packets go between the tunnels' ends and charon by the selectors, inside the room.

    Args:
        tunnels: by their numbers.
        before: the ways that there are.

    Returns:
        The ways that there are now.
    """
    load(room_rules(tunnels.values()))
    wanted = {
        (remote, number) for number, tunnel in tunnels.items() for remote in tunnel.remote_networks
    }
    with IPRoute() as ipr:
        for number, tunnel in tunnels.items():
            index = ipr.link_lookup(ifname=tunnel.name)[0]
            table = _FIRST_TABLE + number
            ipr.route("replace", dst="0.0.0.0/0", oif=index, scope=_SCOPE_LINK, table=table)
        for verb, ways in (("add", wanted - before), ("del", before - wanted)):
            for remote, number in ways:
                ipr.rule(verb, **_way(remote, number))
    return wanted


def _way(remote: str, number: int) -> dict[str, Any]:
    """The routing rule for what charon delivers from a network: to that tunnel's end."""
    address, _, length = remote.partition("/")
    return {
        "iifname": _TUN,
        "src": address,
        "src_len": int(length),
        "table": _FIRST_TABLE + number,
        "priority": _FIRST_TABLE + 32 - int(length),  # the smallest network first
    }


def _limit(names: Sequence[str], mbps: float) -> None:
    """Let no more than a rate leave through each of these interfaces, those that are there."""
    there = {name for _, name in socket.if_nameindex()}
    for name in there.intersection(names):
        run(["tc", "qdisc", "replace", "dev", name, "root", *_queue(mbps)])


def _queue(mbps: float) -> list[str]:
    if not mbps:
        return ["noqueue"]
    return ["tbf", "rate", f"{mbps}mbit", "burst", "20kb", "latency", "50ms"]


def room_rules(tunnels: Iterable[Tunnel]) -> str:
    """The room's rule set: what is not between a tunnel's selectors is dropped."""
    ends, chains = [], []
    for place, tunnel in enumerate(tunnels, 1):
        pairs = list(tunnel.selectors())
        out = [f"ip saddr {local} ip daddr {remote} accept" for local, remote in pairs]
        back = [f"ip saddr {remote} ip daddr {local} accept" for local, remote in pairs]
        ends.append((tunnel.name, place))
        for way, rules in (("out", out), ("back", back)):
            chains += [f"chain {way}{place} {{", *rules, "drop", "}"]
    lines = [f"add table {_TABLE}", f"delete table {_TABLE}", f"table {_TABLE} {{", *chains]
    lines += ["chain forward {", "type filter hook forward priority filter; policy drop;"]
    for here, other, way in (("iifname", "oifname", "out"), ("oifname", "iifname", "back")):
        jumps = ", ".join(f'"{name}" : goto {way}{place}' for name, place in ends)
        if jumps:
            lines.append(f'{other} "{_TUN}" {here} vmap {{ {jumps} }}')
    return "\n".join([*lines, "}", "}", ""])


def kernel_has_esp() -> bool:
    """Whether the kernel encrypts by itself, and has interfaces for that; tried in a room."""
    room = Room()
    try:
        return room(_tries_esp)
    finally:
        room.close()


def _tries_esp() -> bool:
    state = "add src 127.0.0.1 dst 127.0.0.2 proto esp spi 256 mode tunnel"
    keys = f"auth hmac(sha256) 0x{'00' * 32} enc cbc(aes) 0x{'00' * 16}"
    try:
        with IPRoute() as ipr:
            ipr.link("add", ifname="try", kind="xfrm", xfrm_if_id=1)
        run(["ip", "xfrm", "state", *state.split(), *keys.split()])
    except (NetlinkError, DataPlaneError):
        return False
    return True
