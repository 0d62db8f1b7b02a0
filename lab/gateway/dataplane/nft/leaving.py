"""What is done to packets that policies and shapers have seen; all of it is faults."""

from __future__ import annotations

from lab.gateway.dataplane.intent.model import Intent
from lab.impairment.plan import DETOURS, MARK, Plan

BASE_CHAINS = {"leaving": "type filter hook forward priority filter + 20; policy accept;"}

DETOUR_TABLE = "netdev gatepass_detour"


def leaving_rules(intent: Intent) -> list[str]:
    """The rules for what is forwarded and about to leave."""
    rules = ["ip dscp set cs0", "ip6 dscp set cs0"] if intent.loses_markings else []
    if intent.impairment != Plan():
        ports = ", ".join(f'"{port}"' for port in DETOURS)
        rules.append(f"iifname {{ {ports} }} oifname {{ {ports} }} meta mark set {MARK:#x}")
    return rules


def detour_table() -> str:
    """The table that hands packets over where they would leave, with the priority they have.

    The hook comes before a port's queues, so the queues are on the devices of the detour as well.
    """
    chains = [
        f'chain {port} {{ type filter hook egress device "{port}" priority filter; '
        f'meta mark {MARK:#x} fwd to "{device}"; }}'
        for port, device in DETOURS.items()
    ]
    return f"table {DETOUR_TABLE} {{\n{chr(10).join(chains)}\n}}\n"
