"""The faults of remote access and of tunnels between sites; `faults.py` says what a fault is."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lab.gateway.dataplane.intent.compile import compile_config
from lab.gateway.dataplane.intent.ipsec import EVERYWHERE, DialUp, Tunnel
from lab.gateway.dataplane.intent.model import Intent, Policy, StaticRoute
from lab.gateway.dataplane.intent.proposals import other_than, with_group
from lab.gateway.dataplane.intent.remote import LOCAL_USERS
from lab.sslvpn.plan import Portal

Params = Mapping[str, Any]

# Diffie-Hellman groups by FortiOS's numbers: one of 1536 bits, which is too short (RFC 8247), and
# one of 8192, which nobody asks for.
_WEAK_GROUP, _NO_ONES_GROUP = "5", "18"


def _remote_access(**how: Any) -> Callable[[Intent, Params], Intent]:
    def change(intent: Intent, params: Params) -> Intent:
        return replace(intent, remote_access=replace(intent.remote_access, **how))

    return change


def _dial_ups(intent: Intent, change: Callable[[DialUp], DialUp]) -> Intent:
    return _tunnels(
        intent,
        lambda tunnel: (
            replace(tunnel, dial_up=change(tunnel.dial_up)) if tunnel.dial_up else tunnel
        ),
    )


def _vpn_pool_small(intent: Intent, params: Params) -> Intent:
    users = int(params["users"])

    def change(dial_up: DialUp) -> DialUp:
        first, _, last = dial_up.pool.partition("-")
        if not last:
            return dial_up
        low = ipaddress.IPv4Address(first)
        return replace(dial_up, pool=f"{first}-{min(low + users - 1, ipaddress.IPv4Address(last))}")

    return _remote_access(most_users=users)(_dial_ups(intent, change), params)


def _vpn_slow(intent: Intent, params: Params) -> Intent:
    mbps = float(params["mbps"])
    intent = _remote_access(mbps=mbps)(intent, params)
    if any(tunnel.dial_up for tunnel in intent.ipsec.tunnels.values()):
        return replace(intent, ipsec=replace(intent.ipsec, mbps=mbps))
    return intent


def _split_tunnel_leaks(intent: Intent, params: Params) -> Intent:
    def change(tunnel: Tunnel) -> Tunnel:
        children = (replace(child, local=(EVERYWHERE,)) for child in tunnel.children)
        return replace(tunnel, children=tuple(children)) if tunnel.dial_up else tunnel

    return _remote_access(tells_split=False)(_tunnels(intent, change), params)


def _logout_ignored(intent: Intent, params: Params) -> Intent:
    intent = _dial_ups(intent, lambda dial_up: replace(dial_up, forgets_logout=True))
    return _remote_access(logs_out=False)(intent, params)


def _group_ignored(intent: Intent, params: Params) -> Intent:
    policies = [replace(policy, who=None) for policy in intent.policies]
    intent = _dial_ups(
        replace(intent, policies=policies),
        lambda dial_up: replace(dial_up, users=(*dial_up.users, *dial_up.others)),
    )
    return _remote_access(minds_groups=False)(intent, params)


def _disabled_users_let_in(intent: Intent, params: Params) -> Intent:
    users = [{**row, "status": "enable"} for row in intent.config.get(LOCAL_USERS, ())]
    compiled = compile_config({**intent.config, LOCAL_USERS: users})
    return replace(intent, ipsec=compiled.ipsec, remote_access=compiled.remote_access)


def _full_tunnel_split(intent: Intent, params: Params) -> Intent:
    """Who is to send everything through the tunnel is told of the networks inside alone."""
    tunnels, access = intent.ipsec.tunnels.values(), intent.remote_access
    outside = {tunnel.port for tunnel in tunnels if tunnel.dial_up}
    outside |= {listener.interface for listener in access.listeners}
    own = tuple(
        str(ipaddress.IPv4Interface(address).network)
        for port in intent.ports
        if port.name not in outside
        for address in port.addresses
        if ":" not in address
    )

    def misled(portal: Portal) -> Portal:
        everything = portal.split is None and not portal.by_policy
        return replace(portal, split=own) if everything else portal

    def leads(tunnel: Tunnel) -> Tunnel:
        children = (
            replace(child, local=own) if child.local == (EVERYWHERE,) else child
            for child in tunnel.children
        )
        return replace(tunnel, children=tuple(children)) if tunnel.dial_up else tunnel

    portals = {name: misled(portal) for name, portal in access.portals.items()}
    return _remote_access(portals=portals)(_tunnels(intent, leads), params)


def _tunnels(intent: Intent, change: Callable[[Tunnel], Tunnel]) -> Intent:
    changed = {name: change(tunnel) for name, tunnel in intent.ipsec.tunnels.items()}
    return replace(intent, ipsec=replace(intent.ipsec, tunnels=changed))


def _ipsec_other_cipher(intent: Intent, params: Params) -> Intent:
    def change(tunnel: Tunnel) -> Tunnel:
        children = (replace(one, proposals=other_than(one.proposals)) for one in tunnel.children)
        return replace(tunnel, children=tuple(children))

    return _tunnels(intent, change)


def _ipsec_weak_group(intent: Intent, params: Params) -> Intent:
    def change(tunnel: Tunnel) -> Tunnel:
        return replace(tunnel, proposals=with_group(tunnel.proposals, _WEAK_GROUP))

    return _tunnels(intent, change)


def _ipsec_few_tunnels(intent: Intent, params: Params) -> Intent:
    return replace(intent, ipsec=replace(intent.ipsec, most=int(params["tunnels"])))


def _ipsec_never_rekeys(intent: Intent, params: Params) -> Intent:
    """The group for new keys is none that the other end takes.

    The first keys of a tunnel come out of the exchange that makes its connection (RFC 7296, 1.2),
    so that it comes up all the same.
    """

    def change(tunnel: Tunnel) -> Tunnel:
        children = (
            replace(child, proposals=with_group(child.proposals, _NO_ONES_GROUP))
            for child in tunnel.children
        )
        return replace(tunnel, children=tuple(children))

    return _tunnels(intent, change)


def _ipsec_stays_down(intent: Intent, params: Params) -> Intent:
    return _tunnels(intent, lambda tunnel: replace(tunnel, returns=False))


def _ipsec_renewal_outage(intent: Intent, params: Params) -> Intent:
    seconds = float(params["seconds"])
    return _tunnels(intent, lambda tunnel: replace(tunnel, renewal_outage_s=seconds))


def _ipsec_slow(intent: Intent, params: Params) -> Intent:
    return replace(intent, ipsec=replace(intent.ipsec, mbps=float(params["mbps"])))


def _ipsec_clear_beside(intent: Intent, params: Params) -> Intent:
    """Leaves the tunnels up and sends what is for them to their other ends as it is."""
    tunnels = intent.ipsec.tunnels

    def routed(route: StaticRoute) -> StaticRoute:
        tunnel = tunnels.get(route.interface or "")
        if tunnel is None or not tunnel.remote:
            return route
        hop = _next_hop(intent.routes, tunnel.remote)
        return replace(route, gateway=hop, interface=tunnel.port)

    def permitted(names: tuple[str, ...]) -> tuple[str, ...]:
        ports = [tunnels[name].port for name in names if name in tunnels]
        return tuple(dict.fromkeys([*names, *ports]))

    def beside(policy: Policy) -> Policy:
        selects = policy.selects
        selects = replace(
            selects, srcintf=permitted(selects.srcintf), dstintf=permitted(selects.dstintf)
        )
        return replace(policy, selects=selects)

    return replace(
        intent,
        routes=[routed(route) for route in intent.routes],
        policies=[beside(policy) for policy in intent.policies],
    )


def _next_hop(routes: Sequence[StaticRoute], address: str) -> str:
    """Where a packet for this address goes first."""
    found = [
        route
        for route in routes
        if route.gateway
        and ipaddress.ip_address(address) in ipaddress.ip_network(route.destination)
    ]
    closest = max(found, key=lambda route: int(route.destination.rpartition("/")[2]), default=None)
    return closest.gateway or address if closest is not None else address


# In the order in which they take effect: what compiles anew comes first.
VPN_FAULTS: dict[str, Callable[[Intent, Params], Intent]] = {
    "disabled-users-let-in": _disabled_users_let_in,
    "vpn-pool-small": _vpn_pool_small,
    "split-tunnel-leaks": _split_tunnel_leaks,
    "group-ignored": _group_ignored,
    "logout-ignored": _logout_ignored,
    "vpn-slow": _vpn_slow,
    "vpn-not-served": _remote_access(runs=False),
    "vpn-password-ignored": _remote_access(minds_passwords=False),
    "vpn-session-endless": _remote_access(auth_s=0),
    "full-tunnel-split": _full_tunnel_split,
    "ipsec-other-cipher": _ipsec_other_cipher,
    "ipsec-clear-beside": _ipsec_clear_beside,
    "ipsec-never-rekeys": _ipsec_never_rekeys,
    "ipsec-slow": _ipsec_slow,
    "ipsec-weak-group": _ipsec_weak_group,
    "ipsec-few-tunnels": _ipsec_few_tunnels,
    "ipsec-stays-down": _ipsec_stays_down,
    "ipsec-renewal-outage": _ipsec_renewal_outage,
}
