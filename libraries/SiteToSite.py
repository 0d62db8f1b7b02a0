"""Tunnels between sites: how they are encrypted, what they carry, and what without them."""

from __future__ import annotations

import time
from dataclasses import replace

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import say
from gatepass.base.waiting import until
from gatepass.endpoint.strongswan import USER_SPACE
from gatepass.endpoint.wire_watch import PacketCounts
from gatepass.gateway.shapers import Held, held, held_alike
from gatepass.inputs.proposals import PROPOSALS, Proposal, ProposalName
from gatepass.results.record import Measurement, figure
from gatepass.scenarios.site_to_site.tunnels import MOST, Tunnel
from gatepass.verdict import ceiling
from gatepass.verdict.endpoint_load import at_its_limit
from gatepass.verdict.judgement import Rig, joined
from gatepass.verdict.throughput import Trials
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.policies import COUNTERS_LAG_S
from support.reasons import throughput_should_reach
from support.robot_log import set_check_message
from support.steps import Steps
from support.tunnels import (
    RATE,
    agreed_mbps,
    behind_the_peer,
    beside_the_tunnel,
    both_ends_counted,
    esp_words,
    preferred,
    promised_tunnels,
)

_PULSES = 20


class TunnelTraffic(Steps):
    """What was sent to the other site.

    Attributes:
        wire_before: what the peer's interface had seen before.
        bytes_before: what the tunnel's two ends had counted before.
        rig: what limits the rig itself.
        fastest: as fast as it goes.
        reached: whether a host behind the tunnel answered while it was up.
    """

    wire_before: PacketCounts
    bytes_before: tuple[int, int]
    rig: Rig
    fastest: Measurement
    reached: bool


class SiteToSite(KeywordLibrary):
    """Keywords about IPsec tunnels to the peer, which stands for all other sites."""

    # once a run, for all tunnels to be compared with
    _plain: Trials | None = None
    _held: Held | None = None

    @keyword()
    def the_tunnels_between_sites_are_prepared(self) -> None:
        """The peer has strongSwan at work, and an address for each remote site and its network.

        Raises:
            NotApplicable: the tier promises no tunnels.
            NotProven: the testbed names no peer, or something is missing there.
        """
        promised = promised_tunnels(self.run)
        vpn = self.run.site_vpn
        if vpn.peer.is_open:  # another chapter has done it
            return
        one_more = vpn.gateway.new(MOST + 1, preferred(self.run))
        vpn.peer.open([*vpn.new(preferred(self.run), promised), one_more])
        vpn.gateway.prepare()
        esp = vpn.peer.charon.esp
        self.run.endpoint_facts.setdefault("peer", {})["esp"] = esp
        self.check.note("run", {"endpoints": self.run.endpoint_facts})

    # -- one tunnel ---------------------------------------------------------------------------

    @keyword("A tunnel with ${name} is up")
    def tunnel_is_up(self, name: ProposalName) -> None:
        """One tunnel, encrypted like this, which the peer brings up.

        Example: ``A Tunnel With aes256gcm-dh14 Is Up``

        Args:
            name: as the order names it, such as aes256-sha256-dh14.

        Raises:
            NotApplicable: the order does not ask for it.
            AssertionError: it does not come up.
        """
        proposal = PROPOSALS[name]
        if name not in self.run.order.vpn.ipsec:
            raise NotApplicable(say("not_asked_for", label=proposal.label))
        self._one_up(proposal)

    @keyword()
    def a_tunnel_is_up(self) -> None:
        """One tunnel, encrypted as the order names it first."""
        self._one_up(preferred(self.run))

    @keyword()
    def tcp_is_sent_through_the_tunnel(self) -> None:
        """Trials from the client to a host behind the peer, and once on the same path without."""
        vpn = self.run.site_vpn
        if self._plain is None:
            self._plain = self._without_a_tunnel(vpn.current)
            without = self._plain.measurement("path_without_tunnel", say("to_peer"))
            self.check.note("measurement", without)
        self.note_what_the_tunnel_has_counted()
        self._through(vpn.current)

    @keyword()
    def note_what_the_tunnel_has_counted(self) -> None:
        """Its two ends, and the peer's interface: what comes after counts beyond that."""
        vpn = self.run.site_vpn
        self._traffic.wire_before = vpn.peer.wire.look()
        self._traffic.bytes_before = vpn.counted(vpn.current)

    @keyword()
    def the_tunnel_should_be_encrypted_as_configured(self) -> None:
        """Cipher, integrity and group of the SAs are the configured ones.

        FortiOS's REST API does not tell them, so they are taken from the peer, which offered other
        ones as well: what is in use is what the gateway chose.
        """
        vpn = self.run.site_vpn
        sa, child, own = vpn.sa(vpn.current), vpn.child(vpn.current), vpn.current.proposal
        used = (child.encryption, child.integrity, sa.encryption, sa.group)
        wanted = (own.encryption, own.integrity, own.encryption, own.group)
        esp = "/".join(word for word in used[:2] if word)
        self.check.evidence(
            say("encrypted"),
            f"Configured is {own.label}; in use are {esp} for ESP, and {sa.encryption} with "
            f"{sa.group} for IKE, according to the peer's SA.",
            used == wanted,
        )

    @keyword()
    def its_counters_should_have_counted_the_traffic(self) -> None:
        """The SA's counters grew by at least the bytes received, on the gateway and on the peer."""
        received = self.check.trials.received_bytes
        both_ends_counted(self.check, self._traffic.bytes_before, received)

    @keyword()
    def what_is_sent_should_take_the_tunnel(self) -> None:
        """A few packets, before any load: those that go beside the tunnel are seen there.

        Raises:
            AssertionError: they do, or none is answered.
            NotProven: none is answered without a tunnel either.
        """
        vpn = self.run.site_vpn
        tunnel = vpn.current
        self._traffic.wire_before = vpn.peer.wire.look()
        reached = until(lambda: vpn.reaches(self.run.client, tunnel), COUNTERS_LAG_S)
        if not reached:
            vpn.must_reach(self.run.client)
        self.only_encrypted_packets_should_have_come_to_the_peer()
        self.check.evidence(
            say("behind_tunnel"),
            f"{tunnel.host} behind the tunnel {'answers' if reached else 'does not answer'}.",
            reached,
        )

    @keyword()
    def only_encrypted_packets_should_have_come_to_the_peer(self) -> None:
        """On the peer's interface towards the gateway: ESP, and no packet of the test in clear."""
        seen = self.run.site_vpn.peer.wire.look() - self._traffic.wire_before
        self.check.evidence(
            say("only_encrypted"),
            f"{seen.tunnel:,} packets of ESP and IKE and {seen.clear:,} in clear were seen on the "
            f"peer's interface; ESP on the peer is done in {esp_words(self.run)}.",
            seen.tunnel > 0 and seen.clear == 0,
        )

    @keyword("The tunnel's rate should reach what was agreed")
    def the_rate_should_reach_what_was_agreed(self) -> None:
        """The lower bound of the interval reaches the order's figure, where it has one.

        A weak cipher, and a rate above the tier's ceiling, are named in the check's message.

        Raises:
            AssertionError: the upper bound is under it, and the rig could have carried it.
            NotProven: the rig cannot carry it, or the interval straddles it.
        """
        check = self.check
        if check.measurement.threshold is not None:
            throughput_should_reach(
                check,
                check.measurement,
                check.trials,
                self._traffic.rig,
                self._compared,
                shaped=bool(self._held),
            )
        set_check_message(self._compared())

    # -- without a tunnel ---------------------------------------------------------------------

    @keyword()
    def its_network_is_asked_for_comparison(self) -> None:
        """Whether a host behind the peer answers the client while the tunnel is up."""
        vpn, client = self.run.site_vpn, self.run.client
        self._traffic.reached = until(lambda: vpn.reaches(client, vpn.current), COUNTERS_LAG_S)

    @keyword()
    def the_peer_ends_the_tunnel_and_takes_no_other(self) -> None:
        """The peer ends the tunnel and knows it no more; the gateway keeps its configuration."""
        vpn = self.run.site_vpn
        vpn.peer.charon.forget([vpn.current.name])
        self._traffic.wire_before = vpn.peer.wire.look()

    @keyword()
    def nothing_of_its_network_should_pass(self) -> None:
        """No host behind the peer answers, and no packet for it leaves the gateway in clear.

        Raises:
            AssertionError: one does.
            NotProven: with the tunnel up no host answered either, so that silence says nothing.
        """
        vpn = self.run.site_vpn
        tunnel = vpn.current
        pulses = vpn.pulses(self.run.client, {tunnel.host: _PULSES})[tunnel.host]
        seen = vpn.peer.wire.look() - self._traffic.wire_before
        self.check.evidence(
            say("no_clear"),
            f"{pulses.sent} packets were sent to {tunnel.host}, {pulses.answered} were answered, "
            f"and {seen.clear} in clear were seen on the peer's interface.",
            not pulses.answered and not seen.clear,
        )
        if not self._traffic.reached:
            raise NotProven(
                f"the host behind the tunnel ({tunnel.host}) did not answer while the tunnel was "
                "up either, so its silence shows nothing."
            )

    # -- helpers ------------------------------------------------------------------------------

    def _one_up(self, proposal: Proposal) -> None:
        vpn = self.run.site_vpn
        tunnels = vpn.new(proposal)
        vpn.configure(tunnels)
        vpn.raise_one(vpn.current, self.run.client)

    def _without_a_tunnel(self, tunnel: Tunnel) -> Trials:
        """The path beside the tunnel, held by the shapers that hold the tunnel."""
        gateway, site = self.run.gateway, self.run.site
        self._held = held(gateway, self.run.testbed.gateway.client_port, tunnel.name)
        with held_alike(
            gateway, self.run.workspace.changes, self.run.rules, site.port, self._held
        ):
            return self.runner.once(self.runner.load(), beside_the_tunnel(self.run))

    @property
    def _traffic(self) -> TunnelTraffic:
        return self.check.left(TunnelTraffic)

    def _through(self, tunnel: Tunnel) -> None:
        charon, agreed = self.run.site_vpn.peer.charon, agreed_mbps(self.run, tunnel.proposal)
        behind, cipher = behind_the_peer(self.run, tunnel.host), tunnel.proposal
        load = self.runner.load(promised_mbps=agreed)
        control = (
            self.runner.control(load, agreed, beside_the_tunnel(self.run)) if agreed else None
        )
        cpu, begun = charon.cpu_s(), time.monotonic()
        trials = self.runner.until_decided(load, behind, agreed or 0, control=control)
        peer_cpu = (charon.cpu_s() - cpu) / (time.monotonic() - begun) * 100
        self.check.trials, conditions = trials, say("cipher", label=cipher.label)
        measured = trials.measurement(RATE, conditions, agreed, baseline=self._plain.interval)
        weak = {"weak": cipher.weak} if cipher.weak else {}
        measured.facts.update(weak, shaper=str(self._held))
        self.check.measured(measured)
        self._traffic.rig = self._rig(trials, peer_cpu)
        self._traffic.fastest = self.runner.fastest(
            self.runner.load(), behind, RATE, conditions, weak
        )

    def _rig(self, trials: Trials, peer_cpu: float) -> Rig:
        """What limits the rig: the controls beside the tunnel, and who was busy at its ends."""
        busy = [("client", "iperf3", trials.client_cpu), ("peer", "iperf3", trials.server_cpu)]
        if self.run.site_vpn.peer.charon.esp == USER_SPACE:
            busy.append(("peer", "strongSwan", peer_cpu))
        path = "The same path without a tunnel"
        return replace(trials.rig, path=path, limit=at_its_limit(*busy) or trials.rig.limit)

    def _compared(self) -> str:
        """What a reader should hold the rate against, in sentences."""
        proposal = self.run.site_vpn.current.proposal
        plain = figure(self._plain.interval.mean)
        weak = f"A deviation that the order asks for: {proposal.weak}." if proposal.weak else ""
        return joined(
            f"The same path without a tunnel carried {plain} Mbit/s; both took {self._held}.",
            weak,
            ceiling.words(self._traffic.fastest),
        )
