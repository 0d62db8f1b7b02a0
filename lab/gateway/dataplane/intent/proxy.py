"""Compiles the explicit web proxy: where it listens, and what its policies permit. Pure."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.gateway.dataplane.intent import services
from lab.gateway.dataplane.intent.ranges import EVERY_PORT, Spans, complement, union
from lab.gateway.dataplane.intent.values import Port, Selector

Row = Mapping[str, Any]

# What squid is built for (MAXTCPLISTENPORTS).
_MOST_LISTENERS = 128
_NAME = "default.fqdn"  # FortiOS's proxy-fqdn
_ANYWHERE = ("", "0.0.0.0", "::")


@dataclass(frozen=True, slots=True)
class ProxyListener:
    """One port of one address that the proxy answers on."""

    interface: str
    address: str
    port: int


@dataclass(frozen=True, slots=True)
class ProxyRule:
    """A policy of the proxy.

    Attributes:
        sources: the clients that it is for, by IP version.
        dests: the servers that it is for, by IP version.
        ports: the TCP ports of the servers.
        accept: whether it permits.
    """

    sources: Mapping[int, Spans]
    dests: Mapping[int, Spans]
    ports: Spans
    accept: bool


@dataclass(frozen=True, slots=True)
class Proxy:
    """The explicit web proxy.

    Attributes:
        listeners: where it answers; without any it does not run.
        rules: in the order of evaluation.
        accepts_rest: whether what no rule matches is permitted.
        own: the gateway's own addresses, which nobody reaches through it.
        name: what it calls itself.
        message_kb: how long the head of a message may be, in KiB.
        users: how many connections it takes from one client; None for any number. A fault.
        mixes: of how many answers one is somebody else's; 0 for none. A fault.
    """

    listeners: tuple[ProxyListener, ...] = ()
    rules: tuple[ProxyRule, ...] = ()
    accepts_rest: bool = False
    own: tuple[str, ...] = ()
    name: str = _NAME
    message_kb: int = 32
    users: int | None = None
    mixes: int = 0


def compile_proxy(
    config: Mapping[str, Sequence[Row]],
    ports: Sequence[Port],
    policies: Iterable[tuple[Row, Selector]],
) -> Proxy:
    """Compile the proxy.

    Args:
        config: CMDB path -> rows.
        ports: the gateway's interfaces.
        policies: rows of firewall/proxy-policy that are in force, in their order.

    Raises:
        ValueError: it is to listen on more ports than it can.
    """
    explicit = _only(config, "web-proxy/explicit")
    everywhere = _only(config, "web-proxy/global")
    if explicit.get("status") != "enable":
        return Proxy()
    listeners = tuple(_listeners(explicit, config, ports))
    if len(listeners) > _MOST_LISTENERS:
        raise ValueError(f"{len(listeners)} addresses and ports for the web proxy to listen on")
    return Proxy(
        listeners=listeners,
        rules=tuple(rule for row, selects in policies for rule in _rules(row, selects)),
        accepts_rest=explicit.get("sec-default-action") == "accept",
        own=tuple(text.partition("/")[0] for port in ports for text in port.addresses),
        name=str(everywhere.get("proxy-fqdn") or _NAME),
        message_kb=int(everywhere.get("max-message-length") or 32),
    )


def _only(config: Mapping[str, Sequence[Row]], path: str) -> Row:
    return next(iter(config.get(path, ())), {})


def _listeners(
    explicit: Row, config: Mapping[str, Sequence[Row]], ports: Sequence[Port]
) -> Iterable[ProxyListener]:
    enabled = {
        row["name"]
        for row in config.get("system/interface", ())
        if row.get("explicit-web-proxy") == "enable"
    }
    spans = services.ports(str(explicit.get("http-incoming-port") or "8080"))
    numbers = [
        number
        for low, high in union(span for dst, _ in spans for span in dst)
        for number in range(low, high + 1)
    ]
    for port in ports:
        if port.name not in enabled or not port.up:
            continue
        for text in port.addresses:
            address = ipaddress.ip_interface(text).ip
            if address.version == 6 and explicit.get("ipv6-status") != "enable":
                continue
            key = "incoming-ip" if address.version == 4 else "incoming-ip6"
            chosen = str(explicit.get(key) or "")
            if chosen in _ANYWHERE or ipaddress.ip_address(chosen) == address:
                yield from (ProxyListener(port.name, str(address), number) for number in numbers)


def _rules(row: Row, selects: Selector) -> Iterable[ProxyRule]:
    if row.get("proxy") != "explicit-web":
        return
    # A policy for users holds only for those who logged in, and nobody can here.
    if any(row.get(key) for key in ("groups", "users")):
        return
    sources = {version: spans for version, spans in selects.sources.items() if spans}
    dests = {version: spans for version, spans in selects.dests.items() if spans}
    ports = union(
        span
        for match in selects.services
        if match.protocol in (None, services.TCP)
        for span in match.dst
    )
    if selects.except_services:
        ports = complement(ports, EVERY_PORT)
    if sources and dests and ports:
        yield ProxyRule(sources, dests, ports, row.get("action", "deny") == "accept")
