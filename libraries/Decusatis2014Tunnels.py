"""DeCusatis 2014 on the gateway: throughput through an IPsec tunnel, tunnels a second."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter

from gatepass.base.errors import NotProven
from gatepass.base.phrase import say
from gatepass.endpoint.paths import mtu_to
from gatepass.gateway.fortigate import Refused
from gatepass.gateway.shapers import held, held_alike
from gatepass.inputs.proposals import PROPOSALS
from gatepass.results.datagrams import Stream
from gatepass.results.measurements import estimated
from gatepass.results.study import StudyTable
from gatepass.scenarios.studies import decusatis2014 as study
from gatepass.scenarios.studies import decusatis2014_tables as tables
from gatepass.scenarios.studies.decusatis2014 import Round, figures, published_figure
from gatepass.scenarios.studies.frames import Way, Ways
from gatepass.scenarios.studies.throughput import throughput
from gatepass.scenarios.studies.trials import Ledger, Seen, Send, between
from gatepass.stats.intervals import interval
from gatepass.verdict.disturbance import Watched
from gatepass.verdict.endpoint_load import at_its_limit
from support.frames_held import measured
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.steps import Steps
from support.tunnels import RATE, both_ends_counted, preferred, promised_tunnels

_SET_UP = "ipsec_set_up"


class SentThroughIt(Steps):
    """What was sent through a tunnel.

    Attributes:
        counted_before: what its two ends had counted before, bytes.
        arrived: of UDP payload, bytes.
    """

    counted_before: tuple[int, int]
    arrived: int


class Decusatis2014Tunnels(KeywordLibrary):
    """Keywords of the study DeCusatis 2014, as far as it is about IPsec."""

    @keyword()
    def a_tunnel_encrypted_as_in_the_source_is_up(self) -> None:
        """Triple DES and SHA-1, or what the order names first where the gateway takes no such.

        Raises:
            AssertionError: it does not come up.
        """
        self._configure(1)
        self.run.site_vpn.raise_one(self.run.site_vpn.current, self.run.client)

    @keyword()
    def the_throughput_of_each_workload_through_the_tunnel_is_searched(self) -> None:
        """Table 3: IMIX, and packets of 64 bytes.

        The rig's share is the same path without a tunnel, held by the shapers that hold the tunnel.

        Raises:
            NotProven: a workload could not be measured.
        """
        run, vpn = self.run, self.run.site_vpn
        tunnel, port = vpn.current, run.testbed.endpoints.peer.iperf3_port
        ways = Ways(Way(tunnel.host, port), Way(run.site.peer, port), "a tunnel")
        # of a mix of which some is lost it is not known which: payload leaves room for that
        ledger = Ledger(attrgetter("received_bytes"))
        mtu = mtu_to(run.client, tunnel.host)
        sent = self.check.left(SentThroughIt)
        sent.counted_before, found = vpn.counted(tunnel), []
        workloads = study.tunnelled(mtu)
        send = ledger.kept(self._to_the_peer())
        shaped = held(run.gateway, run.testbed.gateway.client_port, tunnel.name)
        alike = run.gateway, run.workspace.changes, run.rules, run.site.port, shaped
        with held_alike(*alike):
            for one in workloads:
                found.append((one, throughput(send, ways, one.size, self._conditions.searches)))
        sent.arrived = ledger.arrived({tunnel.host})
        label = tunnel.proposal.label
        self._tell(tables.tunnel_table(found, figures(RATE, workloads), label, mtu))
        for one, seen in found:
            conditions = say("frames_in_tunnel", frame=one.size.label, label=label)
            self.check.note("measurement", measured(seen, conditions, promise=RATE))

    @keyword()
    def both_its_ends_should_have_counted_what_arrived(self) -> None:
        """The tunnel's counters grew by at least what arrived, on the gateway and on the peer.

        Raises:
            AssertionError: they did not.
        """
        sent = self.check.left(SentThroughIt)
        both_ends_counted(self.check, sent.counted_before, sent.arrived)

    @keyword()
    def as_many_tunnels_as_promised_are_configured_as_in_the_source(self) -> None:
        """Each to a remote site of its own; one of them comes up, to see that they are in force.

        Raises:
            NotApplicable: the tier promises none.
            AssertionError: it does not come up.
        """
        self._configure(promised_tunnels(self.run))
        self.run.site_vpn.raise_one(self.run.site_vpn.current, self.run.client)

    @keyword()
    def all_of_them_are_brought_up_at_once_several_times(self) -> None:
        """How many come up a second, by the time until the last is up."""
        vpn, confidence = self.run.site_vpn, self.run.profile.confidence
        names, label = [tunnel.name for tunnel in vpn.there], vpn.current.proposal.label
        found = study.brought_up(
            lambda: self._round(names),
            lambda: vpn.peer.charon.terminate(names),
            self._conditions.rounds,
        )
        published = published_figure(_SET_UP, {"tunnel": "ipsec"})
        self._tell(tables.set_up_table(found, label, published, confidence))
        if counted := [one.per_s for one in found if not one.disturbed]:
            conditions = say("set_up_at_once", tunnels=len(names), label=label)
            value = interval(counted, confidence)
            self.check.note(
                "measurement", estimated(_SET_UP, conditions, counted, value, confidence)
            )
        else:
            raise NotProven(f"no round can be used, as {found[-1].disturbed}. Run again.")

    # -- helpers -----------------------------------------------------------------------------

    @property
    def _conditions(self) -> study.Conditions:
        return study.CONDITIONS[self.run.profile.studies]

    def _configure(self, count: int) -> None:
        """So many tunnels with the source's cipher, or the order's where that is refused."""
        vpn, wanted = self.run.site_vpn, PROPOSALS[study.SOURCE_CIPHER]
        try:
            vpn.configure(vpn.new(wanted, count))
        except Refused:
            vpn.configure(vpn.new(preferred(self.run), count))

    def _to_the_peer(self) -> Send:
        """What sends to it, and tells where its own strongSwan was the limit."""
        run, charon = self.run, self.run.site_vpn.peer.charon
        send = between(run.client, run.peer, run.rig, self._note)

        def watched(streams: Sequence[Stream]) -> Seen:
            before = charon.cpu_s()
            seen = send(streams)
            busy = 100 * (charon.cpu_s() - before) / max(one.seconds for one in streams)
            limit = at_its_limit(("peer", "strongSwan", busy))
            return replace(seen, limit=limit.rstrip("."))

        return watched

    def _round(self, names: Sequence[str]) -> Round:
        charon, ends = self.run.site_vpn.peer.charon, {"peer": self.run.peer}
        begun, before, at = self.run.rig.mark(ends), charon.cpu_s(), time.monotonic()
        came = charon.initiate(names)
        lasted, used = time.monotonic() - at, charon.cpu_s() - before
        disturbed = Watched(0, self.run.rig.since(begun)).disturbed
        slowest = max(came.values(), default=0.0)
        return Round(len(came), slowest, 100 * used / (slowest or lasted), disturbed)

    def _note(self, told: dict) -> None:
        self.check.note("trial", told, aside=True)

    def _tell(self, table: StudyTable) -> None:
        self.check.note("study", table.as_json(), aside=True)
