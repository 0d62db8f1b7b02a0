"""The ordered tunnels, and what lies behind them."""

from __future__ import annotations

from dataclasses import replace

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import say
from gatepass.base.waiting import until
from gatepass.inputs.proposals import PROPOSALS, Proposal
from gatepass.scenarios.site_to_site.tunnels import MOST
from support.check_context import CheckContext
from support.policies import COUNTERS_LAG_S
from support.run_context import RunContext
from support.transfers import WITHOUT_TUNNEL
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


def agreed_mbps(run: RunContext, proposal: Proposal) -> int | None:
    """What a tunnel has to carry that is encrypted like this, Mbit/s; None for one unasked for."""
    ordered = (PROPOSALS[name] for name in run.order.vpn.ipsec)
    return run.order.vpn.ipsec_mbps if proposal in ordered else None


def behind_the_peer(run: RunContext, address: str) -> RemoteEnd:
    """The peer under one of its addresses behind a tunnel."""
    beside = beside_the_tunnel(run)
    return replace(beside, address=address, clear=False, beside=beside, without="")


def beside_the_tunnel(run: RunContext) -> RemoteEnd:
    """The peer under its own address, which no tunnel leads to; it passes the gateway as well."""
    port = run.testbed.endpoints.peer.iperf3_port
    return RemoteEnd(run.peer, run.site.peer, port, by_policy=False, without=WITHOUT_TUNNEL)


def both_ends_counted(check: CheckContext, before: tuple[int, int], received: int) -> None:
    """The counters of the tunnel that is up grew by what was received, on gateway and peer.

    Args:
        check: that it is evidence of.
        before: what they had counted, see `SiteVpn.counted`.
        received: bytes.

    Raises:
        AssertionError: they did not.
    """
    vpn = check.run.site_vpn

    def grown() -> tuple[int, ...]:
        return tuple(b - a for a, b in zip(before, vpn.counted(vpn.current), strict=True))

    reached = until(lambda: min(grown()) >= received, COUNTERS_LAG_S)
    gateway, peer = grown()
    check.evidence(
        say("tunnel_counted"),
        f"The gateway sent {gateway:,} bytes into the tunnel and the peer received {peer:,} from "
        f"it; the receiver got {received:,}.",
        reached,
    )


def esp_words(run: RunContext) -> str:
    """Where ESP is done on the peer."""
    return run.site_vpn.peer.charon.esp
