"""The ordered tunnels, and what lies behind them."""

from __future__ import annotations

from dataclasses import replace

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import say
from gatepass.inputs.proposals import PROPOSALS, Proposal
from gatepass.scenarios.site_to_site.tunnels import MOST
from support.session import session
from support.trial_runs import Far

RATE = "ipsec_throughput"
"""How measurements of it are recorded."""


def promised_tunnels() -> int:
    """How many the tier promises.

    Raises:
        NotApplicable: none.
        NotProven: more than there are addresses for.
    """
    promised = session.order.promise.ipsec_tunnels
    if not promised:
        raise NotApplicable(say("no_tunnels", tier=session.order.tier))
    if promised > MOST:
        raise NotProven(f"{promised} tunnels are promised, and no more than {MOST} can be tried.")
    return promised


def preferred() -> Proposal:
    """What the order names first; the strongest that comes without an order."""
    return PROPOSALS[session.order.vpn.ipsec[0]]


def behind_the_peer(address: str) -> Far:
    """The peer under one of its addresses behind a tunnel."""
    port = session.testbed.endpoints.peer.iperf3_port
    return Far(session.peer, address, port, by_policy=False, clear=False)


def beside_the_tunnel() -> Far:
    """The peer under its own address, which no tunnel leads to."""
    return replace(behind_the_peer(session.site.peer), clear=True)


def esp_words() -> str:
    """Where ESP is done on the peer."""
    return session.site_vpn.peer.charon.esp
