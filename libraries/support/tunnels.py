"""The ordered tunnels, and what lies behind them."""

from __future__ import annotations

from dataclasses import replace

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import say
from gatepass.inputs.proposals import PROPOSALS, Proposal
from gatepass.scenarios.site_to_site.tunnels import MOST
from support.run_context import RunContext
from support.trial_runner import RemoteEnd

RATE = "ipsec_throughput"
"""How measurements of it are recorded."""


def promised_tunnels(run: RunContext) -> int:
    """How many the tier promises.

    Raises:
        NotApplicable: none.
        NotProven: more than there are addresses for.
    """
    promised = run.order.promise.ipsec_tunnels
    if not promised:
        raise NotApplicable(say("no_tunnels", tier=run.order.tier))
    if promised > MOST:
        raise NotProven(f"{promised} tunnels are promised, and no more than {MOST} can be tried.")
    return promised


def preferred(run: RunContext) -> Proposal:
    """What the order names first; the strongest that comes without an order."""
    return PROPOSALS[run.order.vpn.ipsec[0]]


def behind_the_peer(run: RunContext, address: str) -> RemoteEnd:
    """The peer under one of its addresses behind a tunnel."""
    port = run.testbed.endpoints.peer.iperf3_port
    return RemoteEnd(run.peer, address, port, by_policy=False, clear=False)


def beside_the_tunnel(run: RunContext) -> RemoteEnd:
    """The peer under its own address, which no tunnel leads to."""
    return replace(behind_the_peer(run, run.site.peer), clear=True)


def esp_words(run: RunContext) -> str:
    """Where ESP is done on the peer."""
    return run.site_vpn.peer.charon.esp
