"""What the gateway itself answers: what an interface's allowaccess names, and the web proxy."""

from __future__ import annotations

from .inspection_rules import local_in_rule
from .intent import Intent, Port

_TCP_PORT = {"https": 443, "http": 80, "ssh": 22}
_SETTING = {"https": "admin-sport", "http": "admin-port", "ssh": "admin-ssh-port"}


def local_in_rules(intent: Intent) -> list[str]:
    """Rules for packets to the gateway's own addresses; what they leave out is dropped."""
    settings = next(iter(intent.config.get("system/global", ())), {})
    tcp = {name: int(settings.get(_SETTING[name]) or port) for name, port in _TCP_PORT.items()}
    return [
        *([local_in_rule()] if intent.inspecting else []),
        "ct state established,related accept",
        'iifname "lo" accept',
        "icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept",
        *(rule for port in intent.ports for rule in _port_rules(port, tcp)),
        *_proxy_rules(intent),
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
