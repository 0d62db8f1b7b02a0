"""What a faulty gateway does to sessions, as rules: before the policies, which see none of it."""

from __future__ import annotations

from collections.abc import Iterator

from lab.gateway.dataplane.intent.sessions import SessionFaults
from lab.gateway.dataplane.nft.matching import Matcher, content_name

_FAMILIES = (("ip", "ipv4_addr"), ("ip6", "ipv6_addr"))
_ROOM, _KEPT_S = 65535, 60
_SYN = "tcp flags & (syn | ack) == syn"
_CLIENT, _SERVER = "port2", "port1"
"""Where the lab attaches its endpoints."""


def session_fault_rules(faults: SessionFaults, matcher: Matcher) -> list[str]:
    """The rules for all that is forwarded.

    Args:
        faults: of the intent.
        matcher: collects sets.
    """
    rules: list[str] = []
    if faults.policed_per_s:
        limit = f"over {faults.policed_per_s}/second burst {faults.burst_packets} packets"
        rules.append(f'iifname "{_CLIENT}" oifname "{_SERVER}" limit rate {limit} drop')
    if faults.loses_first_datagram:
        rules += _first_lost(matcher, "udp", "udp dport 0-65535")
    if faults.loses_first_syn:
        rules += _first_lost(matcher, "tcp", _SYN)
    if faults.reset_s:
        rules += _reset(matcher, faults.reset_s)
    return rules


def session_limit_rules(faults: SessionFaults) -> list[str]:
    """What refuses sessions that a policy permits."""
    return [f"ct count over {faults.most} drop"] if faults.most else []


def _flows(matcher: Matcher, protocol: str, what: str, seconds: float) -> Iterator[tuple[str, str]]:
    """By IP version, a set of flows that are forgotten after some time, and a flow of its kind."""
    for family, kind in _FAMILIES:
        name = content_name("flows", [what, family, protocol, f"{seconds:g}"])
        key = f"{kind} . inet_service . {kind} . inet_service"
        expires = f"flags dynamic,timeout; timeout {round(seconds * 1000)}ms"
        matcher.sets[name] = f"{{ type {key}; size {_ROOM}; {expires}; }}"
        yield (
            f"@{name}",
            f"{family} saddr . {protocol} sport . {family} daddr . {protocol} dport",
        )


def _first_lost(matcher: Matcher, protocol: str, packets: str) -> Iterator[str]:
    for seen, flow in _flows(matcher, protocol, "first lost", _KEPT_S):
        yield f"{packets} {flow} != {seen} add {seen} {{ {flow} }} drop"


def _reset(matcher: Matcher, seconds: float) -> Iterator[str]:
    for young, flow in _flows(matcher, "tcp", "reset", seconds):
        yield f"{_SYN} add {young} {{ {flow} }}"
        old = f"ct state established ct direction original {flow} != {young}"
        yield f"{old} reject with tcp reset"
