"""What the gateway says of its policies and shapers."""

from __future__ import annotations

from gatepass.gateway.packet import TCP, Packet
from gatepass.gateway.policy_lookup import LookedUp, look_up_packet
from gatepass.gateway.rules import POLICY
from gatepass.gateway.shapers import in_use
from gatepass.results.gateway_state import Shaper
from support.run_context import RunContext

APPLY_S = 10
"""How long a change may take until it is in force; FortiOS applies asynchronously."""
COUNTERS_LAG_S = 10
"""How long a FortiGate's policy counters may lag behind."""


def counter_of(run: RunContext, policyid: int) -> dict:
    """The gateway's counters of a policy, 0 for the implicit deny; empty where it tells none."""
    rows = run.gateway.monitor("firewall/policy")["results"]
    return next((row for row in rows if row.get("policyid") == policyid), {})


def look_up(run: RunContext, port: int) -> LookedUp:
    """Which policy the gateway says decides about a TCP connection of the test traffic."""
    ends, ports = run.testbed.endpoints, run.testbed.gateway
    return look_up_packet(
        run.gateway,
        Packet(
            ports.client_port,
            ports.server_port,
            ends.client.address,
            ends.server.address,
            TCP,
            target_port=port,
        ),
    )


def decided_by(run: RunContext, port: int) -> str:
    """The look-up's answer as a sentence that ends the explanation of a blocked connection."""
    return _decided(run, look_up(run, port))


def decided_about(run: RunContext, packet: Packet) -> str:
    """The same of any packet."""
    return _decided(run, look_up_packet(run.gateway, packet))


def _decided(run: RunContext, answer: LookedUp) -> str:
    number = answer.policyid
    if number is None:
        return "The gateway's policy look-up names no policy for this traffic."
    if number == 0:
        return "The gateway's policy look-up says that no policy matches it: the implicit deny."
    row = run.gateway.row(POLICY, number)
    name = f' "{row["name"]}"' if row else ", which the policy table does not show,"
    action = answer.action or (row or {}).get("action") or "unknown"
    return f"The gateway's policy look-up says that policy {number}{name} decides: {action}."


def tightest_shaper(run: RunContext) -> Shaper | None:
    """The tightest shaper in use on the gateway; None where none limits anything."""
    limiting = [shaper for shaper in in_use(run.gateway) if shaper.mbps]
    return min(limiting, key=lambda shaper: (shaper.mbps, shaper.name), default=None)
