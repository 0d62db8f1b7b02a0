"""Which policy a packet would meet, by the rules in force."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from dataclasses import dataclass

from lab.gateway.dataplane.intent.members import Who
from lab.gateway.dataplane.intent.model import Intent, Policy, Vip
from lab.gateway.dataplane.intent.ranges import EVERY_ADDRESS, contains

IMPLICIT_DENY = (0, "deny")

Outgoing = Callable[[str], str | None]
"""From a destination address to the interface that leads to it; None where no route does."""

Belongs = Callable[[str, Who], bool]
"""Whether an address is at present that of a member of a group, or of a user."""


@dataclass(frozen=True, slots=True)
class Packet:
    """The first packet of a session."""

    srcintf: str
    source: str
    protocol: int
    dest: str
    destport: int | None


def look_up(
    intent: Intent,
    packet: Packet,
    outgoing: Outgoing,
    belongs: Belongs = lambda address, who: False,
) -> tuple[int, str]:
    """Find the policy for a packet.

    Args:
        intent: with the faults in it, as it is in force.
        packet: as it arrives, before any translation.
        outgoing: the routing table.
        belongs: who is logged in.

    Returns:
        The policyid (0 for the implicit deny) and "accept" or "deny".
    """
    vip = _translating(intent, packet)
    dest, destport = packet.dest, packet.destport
    if vip is not None:
        place = int(ipaddress.ip_address(packet.dest)) - vip.external[0]
        dest = str(ipaddress.IPv4Address(vip.mapped + place))
        if vip.external_ports and destport is not None:
            destport += (vip.mapped_port or 0) - vip.external_ports[0]
    dstintf = outgoing(dest)
    if dstintf is None:
        return IMPLICIT_DENY
    arrived = Packet(packet.srcintf, packet.source, packet.protocol, dest, destport)
    for policy in intent.in_force:
        if policy.who is not None and not any(belongs(packet.source, who) for who in policy.who):
            continue
        if _selects(policy, arrived, dstintf, vip, packet.dest):
            return policy.id, "accept" if policy.accept else "deny"
    return IMPLICIT_DENY


def _translating(intent: Intent, packet: Packet) -> Vip | None:
    if ":" in packet.dest:
        return None
    source, dest = (int(ipaddress.ip_address(text)) for text in (packet.source, packet.dest))
    for vip in intent.vips:
        if (
            vip.interface in (None, packet.srcintf)
            and vip.external[0] <= dest <= vip.external[1]
            and vip.protocol in (None, packet.protocol)
            and (not vip.sources or contains(vip.sources, source))
            and (
                vip.external_ports is None
                or packet.destport is None
                or vip.external_ports[0] <= packet.destport <= vip.external_ports[1]
            )
        ):
            return vip
    return None


def _selects(policy: Policy, packet: Packet, dstintf: str, vip: Vip | None, asked: str) -> bool:
    selects = policy.selects
    if selects.srcintf and packet.srcintf not in selects.srcintf:
        return False
    if selects.dstintf and dstintf not in selects.dstintf:
        return False
    source = ipaddress.ip_address(packet.source)
    if not contains(selects.sources.get(source.version, ()), int(source)):
        return False
    if not _reaches(policy, packet.dest, vip, asked):
        return False
    covered = any(match.covers(packet.protocol, packet.destport) for match in selects.services)
    return covered != selects.except_services


def _reaches(policy: Policy, dest: str, vip: Vip | None, asked: str) -> bool:
    if vip is None:
        address = ipaddress.ip_address(dest)
        return contains(policy.selects.dests.get(address.version, ()), int(address))
    if vip in policy.vips:
        return True
    dests = policy.selects.dests.get(4, ())
    if not policy.denies_vips:
        return False
    return dests == EVERY_ADDRESS[4] or contains(dests, int(ipaddress.IPv4Address(asked)))
