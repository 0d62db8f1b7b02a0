"""The data plane's faults: what each changes in the intent.

A fault is one function from the intent (and the fault's parameters) to another intent. The rule
text and the policy lookup follow from the changed intent, so that a faulty gateway is as
consistent in its error as a wrongly built one would be.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .compile import compile_config
from .countries import OVERRIDES
from .inspection import FUNCTIONS, Inspected
from .intent import Intent, Policy, Port, Selector, StaticRoute
from .ipsec import EVERYWHERE, DialUp, Tunnel
from .ipsec_proposals import other_than
from .ranges import EVERY_ADDRESS

Params = Mapping[str, Any]

NOT_APPLIED = "not-applied"
"""Changes are accepted and not put in force: the plane stays with the configuration it has."""

# Where the lab attaches its endpoints.
CLIENT_SIDE, SERVER_SIDE, MANAGEMENT = "port2", "port1", "mgmt"

# Marks of what is in force without a policy; FortiOS gives out no policyid as high as these.
DENY_ABOVE, ANY_ANY, ONE_WAY_OPEN = 0xFFFFFFF1, 0xFFFFFFF2, 0xFFFFFFF3


def _everything(srcintf: tuple[str, ...] = (), dstintf: tuple[str, ...] = ()) -> Selector:
    return Selector(srcintf, dstintf, sources=EVERY_ADDRESS, dests=EVERY_ADDRESS)


def _shaper_below_tier(intent: Intent, params: Params) -> Intent:
    factor = float(params.get("percent", 80)) / 100
    return replace(
        intent,
        shapers={
            name: replace(shaper, kbps=int(shaper.kbps * factor))
            for name, shaper in intent.shapers.items()
        },
    )


def _shaper_missing(intent: Intent, params: Params) -> Intent:
    return replace(intent, shapers={})


def _nat_not_applied(intent: Intent, params: Params) -> Intent:
    return replace(intent, policies=[replace(policy, nat=False) for policy in intent.policies])


def _nat_always(intent: Intent, params: Params) -> Intent:
    policies = [replace(policy, nat=policy.accept) for policy in intent.policies]
    return replace(intent, policies=policies)


def _policy_missing(intent: Intent, params: Params) -> Intent:
    policies = list(intent.policies)
    for index in range(len(policies) - 1, -1, -1):
        policy = policies[index]
        if policy.accept and policy.enabled and _serves_client_side(policy, intent.ports):
            policies[index] = replace(policy, enabled=False)
            break
    return replace(intent, policies=policies)


def _serves_client_side(policy: Policy, ports: Sequence[Port]) -> bool:
    """Whether a policy is for hosts of the network that the client is attached to.

    A policy for networks behind that one sees none of the lab's traffic, so nobody would notice
    that it is missing.
    """
    attached = [
        ipaddress.ip_interface(address).network
        for port in ports
        if port.name == CLIENT_SIDE
        for address in port.addresses
    ]
    return not attached or any(
        low <= int(network.broadcast_address) and int(network.network_address) <= high
        for network in attached
        for low, high in policy.selects.sources.get(network.version, ())
    )


def _deny_above(intent: Intent, params: Params) -> Intent:
    deny = Policy(
        DENY_ABOVE,
        _everything(srcintf=(CLIENT_SIDE,)),
        accept=False,
        denies_vips=True,
        configured=False,
    )
    return replace(intent, policies=[deny, *intent.policies])


def _any_any(intent: Intent, params: Params) -> Intent:
    permit = Policy(ANY_ANY, _everything(), configured=False)
    return replace(intent, policies=[*intent.policies, permit])


def _one_way_open(intent: Intent, params: Params) -> Intent:
    selects = _everything(srcintf=(SERVER_SIDE,), dstintf=(CLIENT_SIDE,))
    permit = Policy(ONE_WAY_OPEN, selects, configured=False)
    return replace(intent, policies=[*intent.policies, permit])


def _packet_loss(intent: Intent, params: Params) -> Intent:
    return replace(intent, loss_percent=float(params.get("percent", 2)))


def _mss_small(intent: Intent, params: Params) -> Intent:
    return replace(intent, mss=int(params.get("bytes", 216)))


def _gateway_cpu_busy(intent: Intent, params: Params) -> Intent:
    """TCP goes through a process, as nobody can take the processor from the kernel's forwarding."""
    nothing = Inspected({})
    inspected = {
        policy.id: replace(intent.inspected.get(policy.id, nothing), by_process=True)
        for policy in intent.policies
        if policy.accept
    }
    return _inspector(starved=True)(replace(intent, inspected=inspected), params)


def _counters_zero(intent: Intent, params: Params) -> Intent:
    return replace(intent, reports_counters=False)


def _implicit_deny_uncounted(intent: Intent, params: Params) -> Intent:
    return replace(intent, counts_implicit_deny=False)


def _disabled_policy_active(intent: Intent, params: Params) -> Intent:
    return replace(intent, policies=[replace(policy, enabled=True) for policy in intent.policies])


def _order_reversed(intent: Intent, params: Params) -> Intent:
    return replace(intent, policies=list(reversed(intent.policies)))


def _http_open(intent: Intent, params: Params) -> Intent:
    """Lets plain HTTP reach the REST API, which is what answers there under this fault."""

    def opened(port: Port) -> Port:
        if port.name != MANAGEMENT:
            return port
        return replace(port, allowaccess=port.allowaccess | {"http"})

    return replace(intent, ports=[opened(port) for port in intent.ports])


def _services_not_applied(intent: Intent, params: Params) -> Intent:
    return replace(intent, inspected={})


def _license_missing(intent: Intent, params: Params) -> Intent:
    function = params.get("function", "all")
    names = tuple(FUNCTIONS) if function == "all" else (function,)
    without = {key for name in names for key in FUNCTIONS[name]}
    left = {
        number: replace(
            found,
            profiles={key: value for key, value in found.profiles.items() if key not in without},
        )
        for number, found in intent.inspected.items()
    }
    return replace(
        intent, inspected={number: found for number, found in left.items() if found.profiles}
    )


def _inspector(**how: Any) -> Callable[[Intent, Params], Intent]:
    def change(intent: Intent, params: Params) -> Intent:
        return replace(intent, inspector=replace(intent.inspector, **how))

    return change


def _inspector_dead_open(intent: Intent, params: Params) -> Intent:
    return _services_not_applied(_inspector(runs=False)(intent, params), params)


def _proxy_not_applied(intent: Intent, params: Params) -> Intent:
    inspected = {
        number: replace(found, buffering={}) for number, found in intent.inspected.items()
    }
    return replace(intent, inspected=inspected)


def _countries_unknown(intent: Intent, params: Params) -> Intent:
    """What the configuration says of where addresses lie is not heeded."""
    config = {**intent.config, OVERRIDES: ()}
    return replace(intent, policies=compile_config(config).policies)


def _inspection_slow(intent: Intent, params: Params) -> Intent:
    return _inspector(mbps=float(params.get("mbps", 60)))(intent, params)


def _proxy_refuses_half(intent: Intent, params: Params) -> Intent:
    return replace(intent, proxy=replace(intent.proxy, users=int(params.get("users", 37))))


def _proxy_mixes_answers(intent: Intent, params: Params) -> Intent:
    return replace(intent, proxy=replace(intent.proxy, mixes=max(int(params.get("every", 10)), 1)))


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
    users = int(params.get("users", 37))

    def change(dial_up: DialUp) -> DialUp:
        first, _, last = dial_up.pool.partition("-")
        if not last:
            return dial_up
        low = ipaddress.IPv4Address(first)
        return replace(dial_up, pool=f"{first}-{min(low + users - 1, ipaddress.IPv4Address(last))}")

    return _remote_access(most_users=users)(_dial_ups(intent, change), params)


def _vpn_slow(intent: Intent, params: Params) -> Intent:
    mbps = float(params.get("mbps", 5))
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


def _tunnels(intent: Intent, change: Callable[[Tunnel], Tunnel]) -> Intent:
    changed = {name: change(tunnel) for name, tunnel in intent.ipsec.tunnels.items()}
    return replace(intent, ipsec=replace(intent.ipsec, tunnels=changed))


def _ipsec_other_cipher(intent: Intent, params: Params) -> Intent:
    def change(tunnel: Tunnel) -> Tunnel:
        children = (replace(one, proposals=other_than(one.proposals)) for one in tunnel.children)
        return replace(tunnel, children=tuple(children))

    return _tunnels(intent, change)


def _ipsec_never_rekeys(intent: Intent, params: Params) -> Intent:
    return _tunnels(intent, lambda tunnel: replace(tunnel, rekeys=False))


def _ipsec_slow(intent: Intent, params: Params) -> Intent:
    return replace(intent, ipsec=replace(intent.ipsec, mbps=float(params.get("mbps", 5))))


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


# In the order in which they take effect: what turns policies over comes before what is put above
# or below all of them.
FAULTS: dict[str, Callable[[Intent, Params], Intent]] = {
    "countries-unknown": _countries_unknown,
    "disabled-policy-active": _disabled_policy_active,
    "policy-missing": _policy_missing,
    "order-reversed": _order_reversed,
    "nat-not-applied": _nat_not_applied,
    "nat-always": _nat_always,
    "deny-above": _deny_above,
    "any-any": _any_any,
    "one-way-open": _one_way_open,
    "shaper-below-tier": _shaper_below_tier,
    "shaper-missing": _shaper_missing,
    "packet-loss": _packet_loss,
    "mss-small": _mss_small,
    "counters-zero": _counters_zero,
    "implicit-deny-uncounted": _implicit_deny_uncounted,
    "http-open": _http_open,
    "license-missing": _license_missing,
    "services-not-applied": _services_not_applied,
    "proxy-not-applied": _proxy_not_applied,
    "signatures-empty": _inspector(signatures=False),
    "webfilter-blocks-all": _inspector(blocks_all=True),
    "download-altered": _inspector(alters=True),
    "inspection-slow": _inspection_slow,
    "gateway-cpu-busy": _gateway_cpu_busy,
    "log-lost": _inspector(logs=False),
    "inspector-dead": _inspector(runs=False),
    "inspector-dead-open": _inspector_dead_open,
    "proxy-refuses-half": _proxy_refuses_half,
    "proxy-mixes-answers": _proxy_mixes_answers,
    "vpn-pool-small": _vpn_pool_small,
    "split-tunnel-leaks": _split_tunnel_leaks,
    "group-ignored": _group_ignored,
    "logout-ignored": _logout_ignored,
    "vpn-slow": _vpn_slow,
    "ipsec-other-cipher": _ipsec_other_cipher,
    "ipsec-clear-beside": _ipsec_clear_beside,
    "ipsec-never-rekeys": _ipsec_never_rekeys,
    "ipsec-slow": _ipsec_slow,
}


def with_faults(intent: Intent, faults: Mapping[str, Params]) -> Intent:
    """The intent that a gateway with these faults carries out; other parts' faults are ignored."""
    for name, change in FAULTS.items():
        if name in faults:
            intent = change(intent, faults[name] or {})
    return intent
