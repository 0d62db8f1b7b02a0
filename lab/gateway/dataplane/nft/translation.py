"""Rules of address translation: virtual addresses on the way in, NAT and pools on the way out."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping, Sequence

from lab.gateway.dataplane.intent.model import Policy, Pool, Vip
from lab.gateway.dataplane.intent.ranges import address_elements
from lab.gateway.dataplane.intent.services import WITH_PORTS
from lab.gateway.dataplane.nft.matching import Matcher


def ids_in_set(ids: Iterable[int]) -> str:
    """Policyids as a set for a match on the conntrack mark."""
    return "{ " + ", ".join(map(str, ids)) + " }"


def source_nat_rules(
    in_force: Sequence[Policy], pools: Mapping[str, Pool], matcher: Matcher
) -> list[str]:
    """Replace the source address of sessions by the mark of their policy.

    The order is FortiOS': virtual addresses with `nat-source-vip`, the policy's pools, the other
    virtual addresses that a policy names, the outgoing interface's own address.
    """
    by_pools: dict[tuple[str, ...], list[int]] = {}
    for policy in in_force:
        if policy.nat:
            by_pools.setdefault(policy.pools, []).append(policy.id)
    everyone = [number for ids in by_pools.values() for number in ids]
    vips = dict.fromkeys(vip for policy in in_force for vip in policy.vips if vip.hides_hosts)
    first = [vip for vip in vips if vip.before_pools]
    last = [vip for vip in vips if not vip.before_pools]
    rules = _own_address_rules(first, everyone, matcher)
    for names, ids in by_pools.items():
        found = [pools[name] for name in names if name in pools]
        for index, pool in enumerate(found):
            # One seed for all: each source falls to exactly one of the pools.
            hashed = f"jhash ip saddr mod {len(found)} seed 0x1 {index} "
            share = hashed if len(found) > 1 else ""
            addresses = address_elements((pool.span,), 4)[0]
            if "/" in addresses:  # a prefix here would ask for a network map
                addresses = "-".join(str(ipaddress.IPv4Address(end)) for end in pool.span)
            # "persistent": a source keeps its pool address over all of its sessions.
            rules.append(
                f"meta nfproto ipv4 ct mark {ids_in_set(ids)} {share}"
                f"snat ip to {addresses} persistent"
            )
    rules += _own_address_rules(last, everyone, matcher)
    if by_pools:
        # The outgoing interface's own address, also for IPv6, which the pools do not cover.
        rules.append(f"ct mark {ids_in_set(everyone)} masquerade")
    return rules


def _own_address_rules(vips: Iterable[Vip], ids: Sequence[int], matcher: Matcher) -> list[str]:
    """Hosts behind a virtual address leave by it, where it is known."""
    if not ids:
        return []
    return [
        f"{matcher.interfaces((), (vip.interface,) if vip.interface else ())} "
        f"ct mark {ids_in_set(ids)} ip saddr {mapped} snat ip to {external}".strip()
        for vip in vips
        for external, mapped in _pairs(vip)
    ]


def _pairs(vip: Vip) -> Iterable[tuple[ipaddress.IPv4Address, ipaddress.IPv4Address]]:
    """Each external address with the one behind it."""
    for offset in range(vip.external[1] - vip.external[0] + 1):
        yield (
            ipaddress.IPv4Address(vip.external[0] + offset),
            ipaddress.IPv4Address(vip.mapped + offset),
        )


def destination_nat_rules(vips: Iterable[Vip], matcher: Matcher) -> list[str]:
    """Send what comes for a virtual address to the address behind it."""
    return [rule for vip in vips for rule in _vip_rules(vip, matcher)]


def _vip_rules(vip: Vip, matcher: Matcher) -> list[str]:
    where = matcher.interfaces((vip.interface,) if vip.interface else (), ())
    if vip.sources:
        where += f" ip saddr {{ {', '.join(address_elements(vip.sources, 4))} }}"
    rules = []
    for external, mapped in _pairs(vip):
        match = f"{where} ip daddr {external}".strip()
        if vip.external_ports is None:
            protocol = f" meta l4proto {vip.protocol}" if vip.protocol is not None else ""
            rules.append(f"{match}{protocol} dnat ip to {mapped}")
        else:
            rules.append(f"{match} {_port_forward(vip, mapped)}")
    return rules


def _port_forward(vip: Vip, mapped: ipaddress.IPv4Address) -> str:
    assert vip.external_ports is not None and vip.protocol is not None
    protocol, (low, high), first = WITH_PORTS[vip.protocol], vip.external_ports, vip.mapped_port
    span = f"{low}" if low == high else f"{low}-{high}"
    if first == low:
        return f"{protocol} dport {span} dnat ip to {mapped}"
    ports = ", ".join(
        f"{low + offset} : {mapped} . {first + offset}" for offset in range(high - low + 1)
    )
    return f"dnat ip to {protocol} dport map {{ {ports} }}"
