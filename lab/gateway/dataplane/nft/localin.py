"""What the gateway itself answers: what an interface's allowaccess names, web proxy, DHCP, VPN."""

from __future__ import annotations

from collections.abc import Iterable

from lab.gateway.dataplane.intent.model import Intent, LocalInPolicy
from lab.gateway.dataplane.intent.ranges import address_elements
from lab.gateway.dataplane.intent.values import Port
from lab.gateway.dataplane.nft.inspection import local_in_rule
from lab.gateway.dataplane.nft.leaks import input_rules
from lab.gateway.dataplane.nft.matching import Matcher

_TCP_PORT = {"https": 443, "http": 80, "ssh": 22}
_SETTING = {"https": "admin-sport", "http": "admin-port", "ssh": "admin-ssh-port"}


def local_in_rules(intent: Intent) -> list[str]:
    """Rules for packets to the gateway's own addresses; what they leave out is dropped."""
    settings = next(iter(intent.config.get("system/global", ())), {})
    tcp = {name: int(settings.get(_SETTING[name]) or port) for name, port in _TCP_PORT.items()}
    return [
        *input_rules(intent.leaks),
        *([local_in_rule()] if intent.inspecting else []),
        'iifname "lo" accept',
        # Answers to what the gateway itself asked are no business of theirs.
        "ct direction original jump local_in_policies",
        "ct state established,related accept",
        "icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept",
        *(rule for port in intent.ports for rule in _port_rules(port, tcp)),
        *_proxy_rules(intent),
        *_dhcp_rules(intent),
        *_ike_rules(intent),
        *_remote_access_rules(intent),
    ]


def local_in_policy_rules(policies: Iterable[LocalInPolicy], matcher: Matcher) -> list[str]:
    """The local-in policies in their order.

    They come before what the interfaces allow: what one denies ends here, and what one accepts is
    left to the interface.
    """
    return [
        f"{matcher.interfaces(policy.selects.srcintf, ())} {text} {verdict}".strip()
        for policy in policies
        for verdict in ("return" if policy.accept else "drop",)
        for text in matcher.sessions(policy.selects)
    ]


def _port_rules(port: Port, tcp: dict[str, int]) -> list[str]:
    rules = []
    for family, ping, allowed in (
        ("ipv4", "icmp", port.allowaccess),
        ("ipv6", "icmpv6", port.allowaccess6),
    ):
        where = f'iifname "{port.name}" meta nfproto {family}'
        if "ping" in allowed:
            rules.append(f"{where} {ping} type echo-request accept")
        rules += [
            f"{where} tcp dport {number} accept" for name, number in tcp.items() if name in allowed
        ]
    return rules


def _proxy_rules(intent: Intent) -> list[str]:
    """The web proxy's ports, on the interfaces that offer it and at their addresses alone."""
    ports: dict[tuple[str, str], list[str]] = {}
    for listener in intent.proxy.listeners:
        key = (listener.interface, listener.address)
        ports.setdefault(key, []).append(str(listener.port))
    return [
        f'iifname "{interface}" {"ip6" if ":" in address else "ip"} daddr {address} '
        f"tcp dport {{ {', '.join(numbers)} }} accept"
        for (interface, address), numbers in ports.items()
    ]


def _dhcp_rules(intent: Intent) -> list[str]:
    """DHCP, on the interfaces that have a server; who asks may have no address yet."""
    return [
        f'iifname "{server.interface}" meta nfproto ipv4 udp sport 68 udp dport 67 accept'
        for server in intent.dhcp
    ]


def _ike_rules(intent: Intent) -> list[str]:
    """IPsec, on the interfaces that carry a tunnel and from its other end alone."""
    rules = []
    for tunnel in intent.ipsec.tunnels.values():
        where = f'iifname "{tunnel.port}" meta nfproto ipv4'
        if tunnel.remote:
            where += f" ip saddr {tunnel.remote}"
        rules += [f"{where} udp dport {{ 500, 4500 }} accept", f"{where} ip protocol esp accept"]
    return list(dict.fromkeys(rules))


def _remote_access_rules(intent: Intent) -> list[str]:
    """The SSL VPN's port, for the clients that may come."""
    sources = intent.remote_access.sources
    rules = []
    for listener in intent.remote_access.listeners:
        family, spans = "ip", sources.addresses
        if ":" in listener.address:
            family, spans = "ip6", sources.addresses6
        where = f'iifname "{listener.interface}" {family} daddr {listener.address}'
        if spans is not None:
            elements = ", ".join(address_elements(spans, 4 if family == "ip" else 6))
            if not elements:
                continue
            where += f" {family} saddr {{ {elements} }}"
        rules.append(f"{where} tcp dport {listener.port} accept")
    return rules
