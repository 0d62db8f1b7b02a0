"""Compiles the rows of the configuration to an intent. Pure: touches nothing."""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from lab.gateway.dataplane.intent.addresses import AddressBook, address_range, names, network
from lab.gateway.dataplane.intent.countries import OVERRIDES
from lab.gateway.dataplane.intent.dhcp import compile_dhcp
from lab.gateway.dataplane.intent.each import Config, Each
from lab.gateway.dataplane.intent.expiry import seconds_left
from lab.gateway.dataplane.intent.floods import DosPolicy, anomalies_of
from lab.gateway.dataplane.intent.hosts import (
    Bindings,
    SourceCheck,
    compile_bindings,
    compile_neighbours,
    compile_source_check,
)
from lab.gateway.dataplane.intent.inspection import Inspected, inspection_of
from lab.gateway.dataplane.intent.ipsec import compile_ipsec
from lab.gateway.dataplane.intent.members import who_of
from lab.gateway.dataplane.intent.model import (
    Intent,
    LocalInPolicy,
    Marking,
    Policy,
    Pool,
    Shaper,
    ShapingPolicy,
    StaticRoute,
    Vip,
)
from lab.gateway.dataplane.intent.packets import compile_packets
from lab.gateway.dataplane.intent.proxy import Proxy, compile_proxy
from lab.gateway.dataplane.intent.ranges import EVERY_ADDRESS, Spans, union
from lab.gateway.dataplane.intent.remote import compile_remote_access
from lab.gateway.dataplane.intent.services import ICMP, SCTP, TCP, UDP, Match, ServiceBook
from lab.gateway.dataplane.intent.table import compile_table
from lab.gateway.dataplane.intent.values import ANY, Port, Selector
from lab.gateway.schema.links import is_link_name
from lab.sslvpn.plan import ServerPlan

log = logging.getLogger(__name__)

_KBPS = {"kbps": 1, "mbps": 1_000, "gbps": 1_000_000}
_NOTHING = (None, "", 0, "disable")
_MEETS_NOTHING = (
    *("internet-service", "internet-service-src", "internet-service6", "internet-service6-src"),
    *("reputation-minimum", "reputation-minimum6", "sgt-check", "vlan-filter", "ztna-status"),
)
"""Attributes of a policy that leave it nothing, where they are set."""
_FORWARDED = {"tcp": TCP, "udp": UDP, "sctp": SCTP, "icmp": ICMP}


def compile_config(config: Config) -> Intent:
    """Compile the configuration.

    An object that cannot be read is left out and told in the intent's `problems`; it holds up no
    other. What names it is left out with it, and a policy that was to deny something denies
    everything in its place.

    Args:
        config: CMDB path -> rows in the order of evaluation, with their defaults filled in.
    """
    each = Each(config)
    vips = {vip.name: vip for vip in each("firewall/vip", _vip) if vip}
    pools = {pool.name: pool for pool in each("firewall/ippool", _pool)}
    shapers = {one.name: one for one in each("firewall.shaper/traffic-shaper", _shaper)}
    selectors = _Selectors(config)
    ports = each("system/interface", _port)
    inspected: dict[int, Inspected] = {}

    def policy(row: Mapping) -> Policy:
        found = _policy(row, selectors, vips)
        _must_be_among(pools, found.pools)
        _must_be_among(shapers, (found.shaper, found.shaper_reverse))
        if looked_at := inspection_of(config, row):
            inspected[found.id] = looked_at
        return found

    def shaping_policy(row: Mapping) -> ShapingPolicy:
        found = _shaping_policy(row, selectors)
        _must_be_among(shapers, (found.shaper, found.shaper_reverse))
        return found

    found = Intent(
        policies=each("firewall/policy", policy, _in_its_place),
        vips=list(vips.values()),
        pools=pools,
        shapers=shapers,
        shaping_policies=each("firewall/shaping-policy", shaping_policy, only=_is_on),
        floods=each(
            "firewall/DoS-policy",
            lambda row: DosPolicy(
                int(row["policyid"]), _arriving(row, selectors), anomalies_of(row)
            ),
            only=_is_on,
        ),
        ports=ports,
        routes=each("router/static", _route, only=_is_on),
        bindings=each.whole("firewall.ipmacbinding/table", compile_bindings, Bindings()),
        source_check=each.whole("system/settings", compile_source_check, SourceCheck()),
        neighbours=each.whole(
            "system/arp-table", lambda config: compile_neighbours(config, ports), ()
        ),
        packet_checks=compile_packets(config, ports),
        table=compile_table(config),
        local_in=each(
            "firewall/local-in-policy", lambda row: _local_in(row, selectors), only=_is_on
        ),
        inspected=inspected,
        proxy=each.whole(
            "web-proxy/explicit",
            lambda config: compile_proxy(
                config,
                ports,
                each("firewall/proxy-policy", lambda row: (row, selectors.of(row)), only=_is_on),
            ),
            Proxy(),
        ),
        dhcp=compile_dhcp(config, ports, each),
        ipsec=compile_ipsec(config, each),
        remote_access=each.whole(
            "vpn.ssl/settings",
            lambda config: compile_remote_access(
                config,
                ports,
                selectors.books,
                [row for row in config.get("firewall/policy", ()) if _may_be_met(row)],
            ),
            ServerPlan(),
        ),
        config=config,
    )
    return replace(found, problems=tuple(each.problems))


def _must_be_among(known: Mapping[str, object], names: Iterable[str | None]) -> None:
    """Check that what a row names could be compiled.

    Raises:
        ValueError: it could not.
    """
    for name in names:
        if name and name not in known:
            raise ValueError(f"{name} is not in force")


def _in_its_place(row: Mapping) -> Policy | None:
    """What stands for a policy that cannot be read: nothing passes by it."""
    if row.get("action", "deny") == "accept" or not _may_be_met(row):
        return None
    everything = Selector(sources=EVERY_ADDRESS, dests=EVERY_ADDRESS)
    return Policy(int(row["policyid"]), everything, accept=False, denies_vips=True)


class _Selectors:
    """Makes selectors; resolves each distinct list of names once."""

    def __init__(self, config: Config) -> None:
        overrides = config.get(OVERRIDES, ())
        self.books = {
            version: AddressBook(
                version,
                config.get(f"firewall/address{suffix}", ()),
                config.get(f"firewall/addrgrp{suffix}", ()),
                overrides,
            )
            for version, suffix in ((4, ""), (6, "6"))
        }
        self._zones = {
            str(row["name"]): tuple(member["interface-name"] for member in row["interface"])
            for row in config.get("system/zone", ())
        } | _sdwan_zone(config)
        self._services = ServiceBook(
            config.get("firewall.service/custom", ()), config.get("firewall.service/group", ())
        )

    def of(self, row: Mapping, versions: Sequence[int] = (4, 6)) -> Selector:
        sources: dict[int, Spans] = {}
        dests: dict[int, Spans] = {}
        for version in versions:
            suffix, book = ("" if version == 4 else "6"), self.books[version]
            for key, spans in (("srcaddr", sources), ("dstaddr", dests)):
                members = names(row.get(key + suffix))
                if members:
                    negate = row.get(f"{key}{suffix}-negate") == "enable"
                    spans[version] = book.resolve(members, negate)
        srcintf, dstintf = (self._interfaces(row.get(key)) for key in ("srcintf", "dstintf"))
        if srcintf is None or dstintf is None:
            return Selector(services=())
        return Selector(
            srcintf=srcintf,
            dstintf=dstintf,
            sources=sources,
            dests=dests,
            services=self._services.resolve(names(row.get("service"))),
            except_services=row.get("service-negate") == "enable",
        )

    def _interfaces(self, value: object) -> tuple[str, ...] | None:
        """Their ports; None for zones that have none, which are not any interface."""
        found = names(value)
        if "any" in found or not found:
            return ANY
        ports = (port for name in found for port in self._zones.get(name, (name,)))
        return tuple(map(_link, ports)) or None

    def udp_idle(self, row: Mapping) -> tuple[tuple[Match, int], ...]:
        """The UDP services of a policy that end after a time of their own."""
        if row.get("service-negate") == "enable":
            return ()
        return self._services.udp_idle(names(row.get("service")))


@lru_cache(maxsize=1024)
def _link(name: str) -> str:
    """The name, if it is one that a network interface can have and a rule can quote."""
    if not is_link_name(name):
        raise ValueError(f"the interface name {name!r}")
    return name


def _is_on(row: Mapping) -> bool:
    # Schedules other than the factory's "always" and "none" are no tables of this gateway.
    scheduled = row.get("schedule", "always") in ("always", "", None)
    return scheduled and row.get("status", "enable") == "enable"


def _may_be_met(row: Mapping) -> bool:
    """Whether a policy is on, and neither over nor for what no packet here has.

    No address here is one of an Internet service or known for anything, no packet has a security
    tag, is of a VLAN or comes from a host that zero trust knows. Marked ones it leaves to others.
    """
    is_marked = int(str(row.get("tos-mask") or "0"), 16)
    over = seconds_left(row)
    return (
        _is_on(row)
        and not is_marked
        and (over is None or over > 0)
        and all(row.get(key) in _NOTHING for key in _MEETS_NOTHING)
    )


def _sdwan_zone(config: Config) -> dict[str, tuple[str, ...]]:
    """The one zone of SD-WAN, where that is on."""
    rows = [row for row in config.get("system/sdwan", ()) if row["status"] == "enable"]
    members = tuple(
        one["interface"] for row in rows for one in row["members"] if one["status"] == "enable"
    )
    return {"virtual-wan-link": members} if rows else {}


def _arriving(row: Mapping, selectors: _Selectors) -> Selector:
    """What a DoS policy is about: IPv4 that comes in by its interface."""
    return selectors.of({**row, "srcintf": [{"name": row["interface"]}]}, (4,))


def _policy(row: Mapping, selectors: _Selectors, vips: Mapping[str, Vip]) -> Policy:
    accept = row.get("action", "deny") in ("accept", "ipsec")
    # A policy for users holds only for those who logged in, which gives them an IPv4 address.
    who = who_of(row)
    return Policy(
        id=int(row["policyid"]),
        selects=selectors.of(row, (4, 6) if who is None else (4,)),
        vips=tuple(vips[name] for name in names(row.get("dstaddr")) if name in vips),
        accept=accept,
        enabled=_may_be_met(row),
        nat=accept and row.get("nat") == "enable",
        pools=names(row.get("poolname")) if row.get("ippool") == "enable" else (),
        denies_vips=not accept and row.get("match-vip", "enable") == "enable",
        shaper=row.get("traffic-shaper") or None,
        shaper_reverse=row.get("traffic-shaper-reverse") or None,
        who=who,
        udp_idle=selectors.udp_idle(row) if accept else (),
    )


def _local_in(row: Mapping, selectors: _Selectors) -> LocalInPolicy:
    where = row["intf"]  # from 7.4.2 on a list of them
    interfaces = [{"name": where}] if isinstance(where, str) else where
    selects = selectors.of({**row, "srcintf": interfaces, "dstintf": []}, (4,))
    return LocalInPolicy(selects, row.get("action") == "accept")


def _vip(row: Mapping) -> Vip | None:
    mapped = [item["range"] for item in row.get("mappedip") or ()]
    if row.get("status", "enable") != "enable" or not mapped:
        return None
    if row.get("type", "static-nat") != "static-nat":
        log.warning("firewall/vip %s: the type %s is not put in force", row["name"], row["type"])
        return None
    forwards = row.get("portforward") == "enable"
    protocol = _FORWARDED[row.get("protocol") or "tcp"] if forwards else None
    with_ports = forwards and protocol != ICMP
    first, _, last = str(row.get("extport") or "0").partition("-")
    mapped_port = str(row.get("mappedport") or first).partition("-")[0]
    interface = row.get("extintf") or "any"
    return Vip(
        name=row["name"],
        interface=None if interface == "any" else _link(interface),
        external=address_range(row["extip"]),
        mapped=address_range(mapped[0])[0],
        protocol=protocol,
        external_ports=(int(first), int(last or first)) if with_ports else None,
        mapped_port=int(mapped_port) if with_ports else None,
        sources=union(_source(item["range"]) for item in row.get("src-filter") or ()),
        answers_arp=row.get("arp-reply", "enable") == "enable",
        hides_hosts=not forwards,
        before_pools=not forwards and row.get("nat-source-vip") == "enable",
    )


def _source(text: str) -> tuple[int, int]:
    return network(text) if "/" in text or " " in text else address_range(text)


def _pool(row: Mapping) -> Pool:
    return Pool(
        name=row["name"],
        span=address_range(f"{row['startip']}-{row['endip']}"),
        answers_arp=row.get("arp-reply", "enable") == "enable",
    )


def _shaper(row: Mapping) -> Shaper:
    unit = _KBPS[row.get("bandwidth-unit") or "kbps"]
    return Shaper(
        name=row["name"],
        kbps=int(row.get("maximum-bandwidth") or 0) * unit,
        guaranteed_kbps=int(row.get("guaranteed-bandwidth") or 0) * unit,
        per_policy=row.get("per-policy") == "enable",
    )


def _shaping_policy(row: Mapping, selectors: _Selectors) -> ShapingPolicy:
    versions = (int(row.get("ip-version") or 4),)
    return ShapingPolicy(
        id=int(row["id"]),
        selects=selectors.of(row, versions),
        shaper=row.get("traffic-shaper") or None,
        shaper_reverse=row.get("traffic-shaper-reverse") or None,
        marking=_marking(row),
    )


def _marking(row: Mapping) -> Marking | None:
    value, mask = (int(str(row.get(key) or "0"), 0) for key in ("tos", "tos-mask"))
    if not mask:
        return None
    return Marking(value & mask, mask, row.get("tos-negate") == "enable")


def _port(row: Mapping) -> Port:
    ipv6 = row.get("ipv6") or {}
    texts = (_host(str(row.get("ip") or "")), _host(str(ipv6.get("ip6-address") or "")))
    return Port(
        name=_link(row["name"]),
        addresses=tuple(text for text in texts if text),
        up=row.get("status", "up") == "up",
        allowaccess=frozenset(str(row.get("allowaccess") or "").split()),
        allowaccess6=frozenset(str(ipv6.get("ip6-allowaccess") or "").split()),
        lonely=row.get("type") in ("loopback", "vlan"),
        physical=row.get("type", "physical") == "physical",
    )


@lru_cache(maxsize=256)
def _host(text: str) -> str | None:
    """`198.18.1.1/24` for `198.18.1.1 255.255.255.0`; None for no address."""
    if not text:
        return None
    found = ipaddress.ip_interface("/".join(text.split()))
    return None if found.ip.is_unspecified else found.with_prefixlen


def _route(row: Mapping) -> StaticRoute:
    gateway = str(row.get("gateway") or "0.0.0.0")
    blackhole = row.get("blackhole") == "enable"
    destination = "/".join(str(row.get("dst") or "0.0.0.0/0").split())
    return StaticRoute(
        destination=ipaddress.ip_network(destination, strict=False).with_prefixlen,
        gateway=None if blackhole or gateway == "0.0.0.0" else gateway,
        interface=None if blackhole else row.get("device") or None,
        distance=int(row.get("distance") or 10),
    )
