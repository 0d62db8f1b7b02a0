"""How long packets take through what inspects or encrypts them, where a chapter has it at work."""

from __future__ import annotations

from gatepass.base.phrase import Phrase, say
from gatepass.base.waiting import until
from gatepass.endpoint.delay_probes import Target
from gatepass.endpoint.shell import Shell
from gatepass.gateway.shapers import held, held_alike
from gatepass.results.delays import SMALL, Kind
from gatepass.verdict.judgement import WITHOUT
from gatepass.verdict.throughput import must_be_enough
from support.connections import address_of
from support.delays import (
    Delayed,
    DelayRunner,
    Measure,
    came_from,
    first_port,
    measured,
    through_the_gateway,
)
from support.guard import keyword
from support.inspection_proof import inspection
from support.keyword_library import KeywordLibrary
from support.policies import COUNTERS_LAG_S
from support.tunnels import behind_the_peer
from support.vpn_users import VpnUsers

_KIND = Kind(SMALL, 4)
"""What fits into any tunnel whole."""
_SHARE = 0.5
"""Of the rate that is promised or agreed: what is sent beside the probes."""


class LatencyThrough(KeywordLibrary):
    """Keywords that send probes through inspection and tunnels."""

    @keyword()
    def packets_are_sent_while_security_services_inspect(self) -> None:
        """Small packets beside datagrams at half of the tier's rate with services on.

        Before and after it the virus test file shows that services are on. The probes have to come
        from the gateway's own address, as the policy that inspects translates.

        Raises:
            AssertionError: services are not on, or the probes came from another address.
            NotProven: the rig disturbed so many trials that too few are left.
        """
        rate = self.run.promised("services_throughput") * _SHARE
        with inspection(self.check, on=True):
            self._send(through_the_gateway(self.run), rate, say("services_inspect"))
        came_from(self.check, self._left.through(), address_of(self.run, "gateway"))

    @keyword()
    def packets_are_sent_through_the_tunnel_and_beside_it(self) -> None:
        """Small packets to a host behind the peer, and to the peer itself beside the tunnel.

        Beside them go datagrams at half of what was agreed on, where the order has such a figure.
        What counts as added is what the tunnel adds; both take the same shapers. The tunnel's two
        ends have to count the probes.

        Raises:
            AssertionError: they do not.
            NotProven: the rig disturbed so many trials that too few are left.
        """
        run, vpn = self.run, self.run.site_vpn
        tunnel, port = vpn.current, run.testbed.endpoints.peer.probe_port
        behind = behind_the_peer(run, tunnel.host)
        target = Target(
            {4: tunnel.host}, {4: run.site.peer}, first_port(port), avoid=behind.port
        )
        shapers = held(run.gateway, run.testbed.gateway.client_port, tunnel.name)
        before = self._counted()
        with held_alike(
            run.gateway, run.workspace.changes, run.rules, run.site.port, shapers
        ):
            agreed = (run.order.vpn.ipsec_mbps or 0) * _SHARE
            way = say("through_tunnel", label=tunnel.proposal.label)
            self._send(
                *(target, agreed, way, run.peer, "The same path without a tunnel"),
                carried_by=run.peer.name if vpn.peer.charon.in_user_space else "",
            )
        received = self._left.tried.received(4)

        def grown() -> list[int]:
            return [now - then for now, then in zip(self._counted(), before, strict=True)]

        reached = until(lambda: min(grown()) >= received, COUNTERS_LAG_S)
        gateway, peer = grown()
        self.check.evidence(
            say("tunnel_counted"),
            f"The gateway sent {gateway:,} bytes into the tunnel and the peer received {peer:,} "
            f"from it; the receiver got {received:,}.",
            reached,
        )

    @keyword()
    def packets_are_sent_over_remote_access(self) -> None:
        """Small packets of the connected user, and of the client past the gateway.

        Beside them go datagrams at half of what was agreed on, where the order has such a figure.

        Raises:
            AssertionError: the probes did not come from the user's address.
            NotProven: the rig disturbed so many trials that too few are left.
        """
        (one,) = self.check.left(VpnUsers).connected
        directly = through_the_gateway(self.run)
        target = Target(
            {4: directly.through[4]},
            {4: directly.beside[4]} if 4 in directly.beside else {},
            directly.first_port,
            one.address,
            directly.avoid,
        )
        agreed = (self.run.order.vpn.remote_access_mbps or 0) * _SHARE
        way = say("over_access", way=self.run.remote_access.way)
        self._send(target, agreed, way, carried_by=self.run.client.name)
        came_from(self.check, self._left.through(), one.address)

    # -- helpers ------------------------------------------------------------------------------

    @property
    def _left(self) -> Delayed:
        return self.check.left(Delayed)

    def _send(
        self,
        target: Target,
        load_mbps: float,
        way: Phrase,
        far: Shell | None = None,
        path: str = WITHOUT,
        carried_by: str = "",
    ) -> None:
        runner, left = DelayRunner(self.check), self._left
        left.kind, left.lost_is_late = _KIND, True
        left.measure = self._measure(load_mbps, way)
        left.tried = runner.until_told(
            target, [_KIND], load_mbps, left.measure, far=far, carried_by=carried_by
        )
        left.tried.path = path
        must_be_enough(left.tried.series, runner.rule)

    def _measure(self, load_mbps: float, way: Phrase) -> Measure:
        load = say("beside_load", mbps=load_mbps) if load_mbps else say("at_rest")
        what = say("delay_of", packets=say("small_packets"), by="IPv4", load=load)
        conditions = say("delay_with_rules", what=what, rules=way)
        rule, limit = DelayRunner(self.check).rule, self.run.profile.added_delay_ms
        return measured("added_delay", lambda kind: conditions, limit, rule)

    def _counted(self) -> tuple[int, int]:
        """Bytes that the gateway sent into the tunnel, and that the peer took out of it."""
        vpn = self.run.site_vpn
        status = vpn.gateway.status(vpn.current)
        return int(status.get("outgoing_bytes", 0)), vpn.child(vpn.current).bytes_in
