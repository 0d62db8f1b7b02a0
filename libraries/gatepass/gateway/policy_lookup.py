"""Which policy the gateway itself says decides about a packet."""

from __future__ import annotations

from dataclasses import dataclass

from gatepass.gateway.fortigate import FortiGate, Refused
from gatepass.gateway.packet import TCP, Packet

_PATH = "firewall/policy-lookup"
_IMPLICIT_DENY = 0


@dataclass(frozen=True, slots=True)
class LookedUp:
    """The gateway's answer.

    Attributes:
        policyid: of the policy that decides, 0 for the implicit deny; None where it names none.
        action: what becomes of the packet; empty where it does not say, as before FortiOS 7.
    """

    policyid: int | None = None
    action: str = ""


def look_up_packet(gateway: FortiGate, packet: Packet) -> LookedUp:
    """What the gateway says of a packet of TCP or UDP.

    Up to FortiOS 6.4 it tells `success` in the place of `match`, no action, and where no policy
    matches nothing else.
    """
    try:
        told = gateway.monitor(
            _PATH,
            srcintf=packet.arrives,
            sourceip=packet.source,
            protocol="tcp" if packet.protocol == TCP else "udp",
            dest=packet.target,
            destport=packet.target_port,
        ).get("results", {})
    except Refused:
        return LookedUp()
    number = told.get("policy_id")
    if number is None and False in (told.get("match"), told.get("success")):
        number = _IMPLICIT_DENY
    return LookedUp(number, told.get("policy_action") or "")
