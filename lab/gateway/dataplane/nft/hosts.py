"""What drops packets of hosts that pretend to be others, whatever the policies say.

Both filters look at packets that have come in and whose destination is translated already, so that
what is for the gateway itself can be told from what goes through it. They concern IPv4. Where a
packet may come from is asked of the first one of a session, as FortiOS does, not of what answers.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from lab.gateway.dataplane.intent.hosts import Binding, Bindings
from lab.gateway.dataplane.intent.model import Intent
from lab.gateway.dataplane.intent.ranges import EVERY_ADDRESS, Spans, address_elements, union
from lab.gateway.dataplane.nft.leaks import forged_sources

BASE_CHAINS = {"hosts": "type filter hook prerouting priority dstnat + 5; policy accept;"}
PLAIN_CHAINS = ("bindings",)

_SELF = "{ local, broadcast, multicast, anycast }"
_NO_ADDRESS = "0.0.0.0"  # of a host that asks for one


def host_chains(intent: Intent) -> dict[str, list[str]]:
    """The rules of these chains."""
    return {
        "hosts": [
            *forged_sources(intent.leaks),
            *_to_bindings(intent.bindings),
            *_source_checks(intent),
        ],
        "bindings": _bindings(intent.bindings),
    }


def _to_bindings(bindings: Bindings) -> list[str]:
    if not (bindings.ports and (bindings.through or bindings.own)):
        return []
    where = "iifname {} meta nfproto ipv4".format(_set(map('"{}"'.format, bindings.ports)))
    if not bindings.own:
        where += f" fib daddr type != {_SELF}"
    elif not bindings.through:
        where += f" fib daddr type {_SELF}"
    return [f"{where} jump bindings"]


def _bindings(bindings: Bindings) -> list[str]:
    """Returns for what is right."""
    pairs = bindings.pairs
    whole = [pair for pair in pairs if pair.address and pair.mac]
    rules = [f"ip saddr {_NO_ADDRESS} return"]
    rules += _about("ip saddr {} drop", bindings.strays)
    rules += _about("ether saddr . ip saddr {} return", map(_joined, whole))
    rules += _about("ip saddr {} return", (pair.address for pair in pairs if not pair.mac))
    rules += _about("ether saddr {} return", (pair.mac for pair in pairs if not pair.address))
    rules += _about("ip saddr {} drop", (pair.address for pair in whole))
    rules += _about("ether saddr {} drop", (pair.mac for pair in whole))
    return rules if bindings.others_pass else [*rules, "drop"]


def _joined(pair: Binding) -> str:
    return f"{pair.mac} . {pair.address}"


def _about(rule: str, elements: Iterable[str]) -> list[str]:
    """A rule about these, where there are any."""
    found = list(dict.fromkeys(elements))
    return [rule.format(_set(found))] if found else []


def _set(elements: Iterable[str]) -> str:
    return f"{{ {', '.join(elements)} }}"


def _source_checks(intent: Intent) -> list[str]:
    rules = []
    for port in intent.source_check.ports:
        where = f'iifname "{port}" ct state new ip saddr'
        if intent.source_check.strict:
            rules.append(f"{where} != {_NO_ADDRESS} fib saddr . iif oif missing drop")
        elif (spans := _reached_by(intent, port)) != EVERY_ADDRESS[4]:
            rules.append(f"{where} != {_set(address_elements(spans, 4))} drop")
    return rules


def _reached_by(intent: Intent, name: str) -> Spans:
    """The sources that a port has any route to, and that of a host without an address."""
    own = (text for port in intent.ports if port.name == name for text in port.addresses)
    networks = [ipaddress.ip_interface(text).network for text in own]
    routes = (route.destination for route in intent.routes if route.interface == name)
    networks += [ipaddress.ip_network(text) for text in routes]
    spans = [
        (int(network.network_address), int(network.broadcast_address))
        for network in networks
        if network.version == 4
    ]
    return union([(0, 0), *spans])
