"""Tunnels between two sites, both sides together: up, down, and what tells that they are."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from gatepass.base.errors import NotProven
from gatepass.base.waiting import until
from gatepass.endpoint.ike import Child, IkeSa
from gatepass.endpoint.pulse import Pulse, Pulses
from gatepass.endpoint.shell import Shell
from gatepass.inputs.proposals import Proposal
from gatepass.scenarios.site_to_site.peer import SitePeer
from gatepass.scenarios.site_to_site.tunnels import SiteTunnels, Tunnel

UP_S = 30
"""How long a tunnel may take to come up after it was configured; FortiOS applies asynchronously."""
_AT_ONCE_S = 5
_FEW, _PAUSE_S = 5, 0.05


@dataclass
class SiteVpn:
    """The tunnels of one run.

    Attributes:
        gateway: their side on the gateway.
        peer: their far side.
        there: those that are configured now, but for the ones that are kept.
    """

    gateway: SiteTunnels
    peer: SitePeer
    there: list[Tunnel] = field(default_factory=list)

    def new(self, proposal: Proposal, count: int = 1, **more: object) -> list[Tunnel]:
        """Tunnels from number 1 on; nothing is made yet."""
        return [self.gateway.new(number, proposal, **more) for number in range(1, count + 1)]

    @property
    def current(self) -> Tunnel:
        """The one that is there, or the last of them.

        Raises:
            NotProven: none is.
        """
        if not self.there:
            raise NotProven("there is no tunnel at the moment; the step before this one failed.")
        return self.there[-1]

    def configure(self, tunnels: Sequence[Tunnel]) -> None:
        """Have these tunnels on both sides, and none of those that were there before.

        Raises:
            Refused, AssertionError: see `SiteTunnels.make`.
        """
        self.drop()
        self.there = list(tunnels)
        # the peer first: a gateway that initiates does so at once
        self.peer.know(tunnels)
        self.gateway.make(tunnels)

    def drop(self) -> None:
        """Take those tunnels away on both sides."""
        if self.there:
            self.peer.charon.forget([tunnel.name for tunnel in self.there])
            self.gateway.remove(self.there)
            self.there = []

    def raise_one(self, tunnel: Tunnel, client: Shell) -> IkeSa:
        """Have a tunnel up, by the peer; its SA.

        Args:
            tunnel: configured on both sides.
            client: who tells whether the gateway can be reached at all, where it does not come up.

        Raises:
            AssertionError: it does not come up, with the peer's own words.
            NotProven: nothing gets from the client to the peer without a tunnel either.
        """
        charon, why = self.peer.charon, ""

        def up() -> bool:
            # told at once where it is refused, as it is until the gateway applied the change
            nonlocal why
            why = charon.try_one(tunnel.name, _AT_ONCE_S)
            return not why

        if not until(up, UP_S):
            words = f"{why}; its log ends with “{charon.last_words()}”"
            self.must_reach(client)
            raise AssertionError(
                f"The tunnel with {tunnel.proposal.label} does not come up. The peer says: {words}."
            )
        return self.sa(tunnel)

    def await_up(self, tunnel: Tunnel, patience_s: float) -> float | None:
        """Seconds until a tunnel was up that the gateway brings up; None where it was not."""
        begun = time.monotonic()
        found = until(lambda: self.peer.charon.sa(tunnel.name) is not None, patience_s)
        return time.monotonic() - begun if found else None

    def sa(self, tunnel: Tunnel) -> IkeSa:
        """The SA of a tunnel that is up.

        Raises:
            AssertionError: it is not.
        """
        found = self.peer.charon.sa(tunnel.name)
        if found is None:
            raise AssertionError(
                f"The tunnel with {tunnel.proposal.label} is not up any more; the peer's log ends "
                f"with “{self.peer.charon.last_words()}”."
            )
        return found

    def child(self, tunnel: Tunnel) -> Child:
        """The newest ESP SAs of a tunnel that is up; as `sa`."""
        found = self.sa(tunnel).child
        assert found is not None  # `sa` looks for it
        return found

    def counted(self, tunnel: Tunnel) -> tuple[int, int]:
        """Bytes that the gateway has sent into a tunnel that is up, and the peer has taken out."""
        status = self.gateway.status(tunnel)
        return int(status.get("outgoing_bytes", 0)), self.child(tunnel).bytes_in

    def pulses(
        self, client: Shell, counts: dict[str, int], interval_s: float = _PAUSE_S
    ) -> dict[str, Pulses]:
        """Send so many datagrams to each of these hosts behind the peer; what became of them."""
        return Pulse(client, "pulse", counts, self.peer.port, interval_s).wait()

    def reaches(self, client: Shell, tunnel: Tunnel) -> bool:
        """Whether a host behind the tunnel answers the client."""
        return self.pulses(client, {tunnel.host: _FEW})[tunnel.host].answered > 0

    def must_reach(self, client: Shell) -> None:
        """Without a tunnel the client must reach the peer, or nothing can be said of one.

        Raises:
            NotProven: it does not.
        """
        here = self.peer.site.peer
        if not self.pulses(client, {here: _FEW})[here].answered:
            raise NotProven(
                f"nothing gets from the client to the peer ({here}) without a tunnel either, "
                f"although a policy permits it. Check the peer's route to {self.peer.client}, "
                f"its firewall at UDP port {self.peer.port}, and the gateway's "
                f"{self.peer.site.port}."
            )
