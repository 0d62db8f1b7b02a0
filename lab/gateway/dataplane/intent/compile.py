"""Compiles the rows of the configuration to an intent. Pure: touches nothing."""

from __future__ import annotations

import ipaddress
import logging
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from lab.gateway.dataplane.intent.addresses import AddressBook, address_range, names
from lab.gateway.dataplane.intent.countries import OVERRIDES
from lab.gateway.dataplane.intent.dhcp import compile_dhcp
from lab.gateway.dataplane.intent.floods import DosPolicy, anomalies_of
from lab.gateway.dataplane.intent.hosts import (
    compile_bindings,
    compile_neighbours,
    compile_source_check,
)
from lab.gateway.dataplane.intent.inspection import compile_inspection
from lab.gateway.dataplane.intent.ipsec import compile_ipsec
from lab.gateway.dataplane.intent.members import who_of
from lab.gateway.dataplane.intent.model import (
    Intent,
    LocalInPolicy,
    Policy,
    Pool,
    Shaper,
    ShapingPolicy,
    StaticRoute,
    Vip,
)
from lab.gateway.dataplane.intent.packets import compile_packets
from lab.gateway.dataplane.intent.proxy import compile_proxy
from lab.gateway.dataplane.intent.ranges import Spans, union
from lab.gateway.dataplane.intent.remote import compile_remote_access
from lab.gateway.dataplane.intent.services import ICMP, SCTP, TCP, UDP, Match, ServiceBook
from lab.gateway.dataplane.intent.table import compile_table
from lab.gateway.dataplane.intent.values import ANY, Port, Selector

Config = Mapping[str, Sequence[Mapping]]

log = logging.getLogger(__name__)

_KBPS = {"kbps": 1, "mbps": 1_000, "gbps": 1_000_000}
_LINK_NAME = re.compile(r"[^\s\"\\/]{1,15}")
_FORWARDED = {"tcp": TCP, "udp": UDP, "sctp": SCTP, "icmp": ICMP}


def compile_config(config: Config) -> Intent:
    """Compile the configuration.

    Args:
        config: CMDB path -> rows in the order of evaluation, with their defaults filled in.
    """
    vips = {vip.name: vip for vip in map(_vip, config.get("firewall/vip", ())) if vip}
    selectors = _Selectors(config)
    ports = [_port(row) for row in config.get("system/interface", ())]
    return Intent(
        policies=[_policy(row, selectors, vips) for row in config.get("firewall/policy", ())],
        vips=list(vips.values()),
        pools={row["name"]: _pool(row) for row in config.get("firewall/ippool", ())},
        shapers={
            row["name"]: _shaper(row) for row in config.get("firewall.shaper/traffic-shaper", ())
        },
        shaping_policies=[
            _shaping_policy(row, selectors)
            for row in config.get("firewall/shaping-policy", ())
            if _is_on(row)
        ],
        floods=[
            DosPolicy(int(row["policyid"]), _arriving(row, selectors), anomalies_of(row))
            for row in config.get("firewall/DoS-policy", ())
            if _is_on(row)
        ],
        ports=ports,
        routes=[
            _route(row)
            for row in config.get("router/static", ())
            if row.get("status", "enable") == "enable"
        ],
        bindings=compile_bindings(config),
        source_check=compile_source_check(config),
        neighbours=compile_neighbours(config, ports),
        packet_checks=compile_packets(config, ports),
        table=compile_table(config),
        local_in=[
            _local_in(row, selectors)
            for row in config.get("firewall/local-in-policy", ())
            if _is_on(row)
        ],
        inspected=compile_inspection(config),
        proxy=compile_proxy(
            config,
            ports,
            [
                (row, selectors.of(row))
                for row in config.get("firewall/proxy-policy", ())
                if _is_on(row)
            ],
        ),
        dhcp=compile_dhcp(config, ports),
        ipsec=compile_ipsec(config),
        remote_access=compile_remote_access(
            config,
            ports,
            selectors.books,
            [row for row in config.get("firewall/policy", ()) if _is_on(row)],
        ),
        config=config,
    )


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
        }
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
        return Selector(
            srcintf=self._interfaces(row.get("srcintf")),
            dstintf=self._interfaces(row.get("dstintf")),
            sources=sources,
            dests=dests,
            services=self._services.resolve(names(row.get("service"))),
            except_services=row.get("service-negate") == "enable",
        )

    def _interfaces(self, value: object) -> tuple[str, ...]:
        found = names(value)
        if "any" in found:
            return ANY
        return tuple(
            _link(port) for name in found for port in self._zones.get(name, (name,))
        )

    def udp_idle(self, row: Mapping) -> tuple[tuple[Match, int], ...]:
        """The UDP services of a policy that end after a time of their own."""
        if row.get("service-negate") == "enable":
            return ()
        return self._services.udp_idle(names(row.get("service")))


@lru_cache(maxsize=1024)
def _link(name: str) -> str:
    """The name, if it is one that a network interface can have and a rule can quote."""
    if not _LINK_NAME.fullmatch(name):
        raise ValueError(f"the interface name {name!r}")
    return name


def _is_on(row: Mapping) -> bool:
    # Schedules other than the factory's "always" and "none" are no tables of this gateway.
    scheduled = row.get("schedule", "always") in ("always", "", None)
    return scheduled and row.get("status", "enable") == "enable"


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
        enabled=_is_on(row),
        nat=accept and row.get("nat") == "enable",
        pools=names(row.get("poolname")) if row.get("ippool") == "enable" else (),
        denies_vips=not accept and row.get("match-vip", "enable") == "enable",
        shaper=row.get("traffic-shaper") or None,
        shaper_reverse=row.get("traffic-shaper-reverse") or None,
        who=who,
        udp_idle=selectors.udp_idle(row) if accept else (),
    )


def _local_in(row: Mapping, selectors: _Selectors) -> LocalInPolicy:
    where = row["intf"]  # from 7.6 on a list of them
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
    if "/" not in text:
        return address_range(text)
    found = ipaddress.ip_network(text, strict=False)
    return int(found.network_address), int(found.broadcast_address)


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
        per_policy=row.get("per-policy") == "enable",
    )


def _shaping_policy(row: Mapping, selectors: _Selectors) -> ShapingPolicy:
    versions = (6,) if str(row.get("ip-version", "4")) == "6" else (4, 6)
    return ShapingPolicy(
        id=int(row["id"]),
        selects=selectors.of(row, versions),
        shaper=row.get("traffic-shaper") or None,
        shaper_reverse=row.get("traffic-shaper-reverse") or None,
    )


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
