"""Compiles the SSL VPN to the plan of its server. Pure."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lab.gateway.dataplane.intent.addresses import AddressBook, names
from lab.gateway.dataplane.intent.ranges import EVERY_ADDRESS, Spans
from lab.gateway.dataplane.intent.values import Port
from lab.sslvpn.plan import Listener, Portal, Reach, Rule, ServerPlan, Sources, Span, User

Row = Mapping[str, Any]
Books = Mapping[int, AddressBook]

SSL_ROOT = "ssl.root"
"""The interface of the users."""

LOCAL_USERS = "user/local"

_FACTORY = "Fortinet_Factory"
_NO_SERVER = "0.0.0.0"


def compile_remote_access(
    config: Mapping[str, Sequence[Row]],
    ports: Sequence[Port],
    books: Books,
    policies: Iterable[Row],
) -> ServerPlan:
    """Compile the SSL VPN.

    Args:
        config: CMDB path -> rows.
        ports: the gateway's interfaces.
        books: address objects, by IP version.
        policies: rows of firewall/policy that are in force.
    """
    settings = next(iter(config.get("vpn.ssl/settings", ())), {})
    certificate = _certificate(config, str(settings.get("servercert") or _FACTORY))
    interfaces = names(settings.get("source-interface"))
    if settings.get("status") != "enable" or not interfaces or certificate is None:
        return ServerPlan()
    keeps = settings.get("tunnel-connect-without-reauth") == "enable"
    return ServerPlan(
        listeners=tuple(_listeners(interfaces, ports, _number(settings, "port", 10443))),
        sources=_sources(settings, books),
        certificate=certificate["certificate"],
        key=certificate["private-key"],
        lowest_tls=str(settings.get("ssl-min-proto-ver") or "tls1-2"),
        highest_tls=str(settings.get("ssl-max-proto-ver") or "tls1-3"),
        users=tuple(local_users(config)),
        rules=tuple(_rule(row, books) for row in settings.get("authentication-rule") or ()),
        portals={
            row["name"]: _portal(row, settings, books)
            for row in config.get("vpn.ssl.web/portal", ())
        },
        reaches=tuple(
            _reach(row, books) for row in policies if SSL_ROOT in names(row.get("srcintf"))
        ),
        idle_s=_number(settings, "idle-timeout", 300),
        auth_s=_number(settings, "auth-timeout", 28800),
        attempts=_number(settings, "login-attempt-limit", 2),
        block_s=_number(settings, "login-block-time", 60),
        keep_s=_number(settings, "tunnel-user-session-timeout", 30) if keeps else 0,
        checks_source=settings.get("auth-session-check-source-ip", "enable") == "enable",
        round_robin=settings.get("tunnel-addr-assigned-method") == "round-robin",
    )


def pool_networks(plan: ServerPlan) -> list[str]:
    """The networks that the addresses of users lie in."""
    spans = {span for portal in plan.portals.values() for span in portal.pools}
    return sorted({text for span in spans for text in _prefixes((span,))})


def _number(row: Row, key: str, default: int) -> int:
    value = row.get(key)
    return default if value is None else int(value)


def _certificate(config: Mapping[str, Sequence[Row]], name: str) -> Row | None:
    for row in config.get("vpn.certificate/local", ()):
        if row["name"] == name and row.get("certificate") and row.get("private-key"):
            return row
    return None


def _listeners(interfaces: Sequence[str], ports: Sequence[Port], number: int) -> Iterable[Listener]:
    for port in ports:
        if port.up and ("any" in interfaces or port.name in interfaces):
            for text in port.addresses:
                yield Listener(port.name, text.partition("/")[0], number)


def _sources(row: Row, books: Books) -> Sources:
    found: dict[int, Spans | None] = {}
    for version, suffix in ((4, ""), (6, "6")):
        members = names(row.get(f"source-address{suffix}"))
        negate = row.get(f"source-address{suffix}-negate") == "enable"
        spans = books[version].resolve(members, negate) if members else None
        found[version] = None if spans == EVERY_ADDRESS[version] else spans
    interfaces = names(row.get("source-interface"))
    return Sources(() if "any" in interfaces else interfaces, found[4], found[6])


def local_users(config: Mapping[str, Sequence[Row]]) -> Iterable[User]:
    """The users that may log in at all, each with their groups."""
    groups: dict[str, list[str]] = {}
    for row in config.get("user/group", ()):
        for member in names(row.get("member")):
            groups.setdefault(member, []).append(row["name"])
    for row in config.get(LOCAL_USERS, ()):
        if row.get("status", "enable") == "enable" and row.get("passwd"):
            yield User(
                name=row["name"],
                password=row["passwd"],
                groups=tuple(groups.get(row["name"], ())),
                any_case=row.get("username-sensitivity") == "disable",
            )


def _rule(row: Row, books: Books) -> Rule:
    return Rule(
        groups=names(row.get("groups")),
        users=names(row.get("users")),
        portal=str(row.get("portal") or ""),
        sources=_sources(row, books),
    )


def _portal(row: Row, settings: Row, books: Books) -> Portal:
    pools = names(row.get("ip-pools")) or names(settings.get("tunnel-ip-pools"))
    routing = names(row.get("split-tunneling-routing-address"))
    splits = row.get("split-tunneling", "enable") == "enable"
    servers_row = (
        row
        if any(row.get(f"dns-server{n}", _NO_SERVER) != _NO_SERVER for n in (1, 2))
        else (settings)
    )
    servers = (str(servers_row.get(f"dns-server{n}") or _NO_SERVER) for n in (1, 2))
    return Portal(
        name=row["name"],
        tunnels=row.get("tunnel-mode") == "enable",
        pools=tuple(span for name in pools for span in books[4].resolve((name,))),
        split=tuple(_prefixes(books[4].resolve(routing))) if splits and routing else None,
        by_policy=splits and not routing,
        excluded=row.get("split-tunneling-routing-negate") == "enable",
        dns=tuple(server for server in servers if server != _NO_SERVER),
        dns_suffix=str(row.get("dns-suffix") or settings.get("dns-suffix") or ""),
        one_login=row.get("limit-user-logins") == "enable",
    )


def _reach(row: Row, books: Books) -> Reach:
    spans = books[4].resolve(names(row.get("dstaddr")), row.get("dstaddr-negate") == "enable")
    everywhere = spans == EVERY_ADDRESS[4]
    return Reach(
        groups=names(row.get("groups")),
        users=names(row.get("users")),
        networks=None if everywhere else tuple(_prefixes(spans)),
    )


def _prefixes(spans: Iterable[Span]) -> Iterable[str]:
    for low, high in spans:
        first, last = ipaddress.IPv4Address(low), ipaddress.IPv4Address(high)
        for prefix in ipaddress.summarize_address_range(first, last):
            yield prefix.with_prefixlen
