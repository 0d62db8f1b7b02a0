"""Datagrams from behind another port to all hosts of the client's network at once (RFC 2644).

`broadcast-forward` of a port (FortiOS CLI reference, `system interface`): whether they go through.
"""

from __future__ import annotations

from dataclasses import dataclass

from gatepass.base.errors import NotApplicable
from gatepass.base.phrase import say
from gatepass.endpoint.forged import ROUNDS, Forged, ForgedTraffic, Seen
from gatepass.gateway.fortigate import Refused
from gatepass.gateway.host_filters import INTERFACE
from gatepass.gateway.rules import RuleSet
from gatepass.gateway.toggle import Switch
from gatepass.scenarios.edge.client_side import ClientSide

ALL, ONE = "all", "one"
"""To all hosts of the network, and to the client alone."""
_IN_FORCE_S, _BEGIN_S = 3.0, 5.0
_POLICY = 83


@dataclass(frozen=True)
class Broadcast:
    """What arrived at the client of what the server sent.

    Attributes:
        address: of all hosts.
        off, on, again: while the ports forward none, while they do, and while they do not again.
        trials: datagrams of each kind in one try.
    """

    address: str
    off: Seen
    on: Seen
    again: Seen
    trials: int = ROUNDS


def broadcast(side: ClientSide, rules: RuleSet) -> Broadcast:
    """Have the server send to all hosts of the client's network, and to the client alone.

    A policy permits both. The ports are as they were when this ends.

    Args:
        side: where the client stands.
        rules: of the run; a policy for this takes the place of all test policies.

    Raises:
        NotApplicable: the device's ports cannot be told.
        NotProven: an endpoint cannot send or watch.
    """
    flow, link, back = rules.flow, side.link, side.link_back
    try:
        switches = [
            Switch(rules.changes, INTERFACE, port, "broadcast-forward")
            for port in (flow.client_port, flow.server_port)
        ]
    except Refused as refused:
        raise NotApplicable(say("no_broadcast_forward", why=str(refused))) from None
    rules.only(
        rules.test_row(
            rules.free_id(_POLICY),
            nat=False,
            srcintf=[{"name": flow.server_port}],
            dstintf=[{"name": flow.client_port}],
            srcaddr=[{"name": rules.named("server")}],
            dstaddr=[{"name": "all"}],
        )
    )
    address = str(link.network(side.address).broadcast_address)
    senders = [
        Forged(ALL, back.mac, side.far_address, address),
        Forged(ONE, back.mac, side.far_address, side.address),
    ]
    where = (side.server, back.interface, back.hop_mac, side.client, link.interface)
    traffic = ForgedTraffic(*where, side.probe_port, rules.changes.mark, senders)

    def tried(forwards: bool, patience_s: float) -> Seen:
        for one in switches:
            one.set(forwards)
        return traffic.until(
            lambda seen: seen.whole(ONE) and (seen.whole(ALL) if forwards else seen.none(ALL)),
            patience_s,
        )

    try:
        phases = tried(False, _BEGIN_S), tried(True, _IN_FORCE_S), tried(False, _IN_FORCE_S)
    finally:
        traffic.stop()
        for one in switches:
            one.back()
        rules.clear()
    return Broadcast(address, *phases)
