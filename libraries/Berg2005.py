"""Berg 2005 on the gateway: few and fast connections and file transfers, over longer paths."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property

from gatepass.base.errors import NotProven
from gatepass.base.paths import VARIABLES
from gatepass.base.phrase import say
from gatepass.inputs.published import Published, load_published
from gatepass.inputs.scope import NO_DIRECT_PATH
from gatepass.results.conduct import Conduct
from gatepass.results.study import StudyTable
from gatepass.results.trial import Load, Trial
from gatepass.scenarios.studies import berg2005 as study
from gatepass.scenarios.studies import berg2005_tables as tables
from gatepass.scenarios.studies.berg2005 import (
    CONNECTIONS,
    FIFTY,
    TRANSFERS,
    Carried,
    Conditions,
    Path,
    Traffic,
)
from gatepass.scenarios.studies.berg2005_tables import PACKET_FILTER, VPN, Added
from gatepass.scenarios.studies.delay_line import Target, held_back
from gatepass.verdict.disturbance import disturbance, disturbed_by
from gatepass.verdict.judgement import HEADROOM
from gatepass.verdict.throughput import Trials
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.trial_runner import RemoteEnd
from support.tunnels import behind_the_peer, esp_words

_STATEFUL = "stateful_throughput"
_HARDLY_MBPS, _AT_REST_S = 1.0, 1.0


class Berg2005(KeywordLibrary):
    """Keywords of the study Berg 2005."""

    # -- the rig -----------------------------------------------------------------------------

    @keyword()
    def the_added_delays_are_measured_without_the_gateway(self) -> None:
        """What each adds by itself, and all that the study sends, beside the gateway.

        Raises:
            NotProven: there is no such path, or the client cannot hold packets back.
        """
        remote = self.runner.server_directly()
        if remote is None:
            raise NotProven(". ".join(NO_DIRECT_PATH))
        asked, path = self._conditions, self._path(remote)
        self._rig, at_rest = path, {}

        @contextmanager
        def noted(delay_ms: float) -> Iterator[None]:
            with self._longer(remote, delay_ms) as by:
                if delay_ms not in at_rest:
                    at_rest[delay_ms] = by, self._rtt_ms(remote)
                yield

        path.delayed = noted
        path.measure(CONNECTIONS, asked.delays_ms)
        path.measure(TRANSFERS, asked.transfer_delays_ms)
        added = [
            Added(delay_ms or None, by, rtt, *tables.ceilings(path.found, delay_ms))
            for delay_ms, (by, rtt) in sorted(at_rest.items())
        ]
        try:
            added.insert(1, self._held_for_nothing(remote))
        except NotProven as why:
            path.troubles[0] = str(why.reason)
        self._tell(tables.differences_table(asked))
        if added:
            self._tell(tables.delay_table(added, self.run.promised(_STATEFUL)))
        path.must_be_measured()  # as fast as it goes the rig disturbs itself, which is its limit

    # -- through the gateway -----------------------------------------------------------------

    @keyword()
    def connections_are_sent_through_the_packet_filter_over_longer_and_longer_paths(self) -> None:
        """One connection, one each way, and fifty (tables and figures 1).

        Raises:
            NotProven: a delay could not be added, or the rig disturbed a trial each time.
        """
        self._connections(PACKET_FILTER, self.runner.server())

    @keyword()
    def files_are_sent_through_the_packet_filter_over_longer_and_longer_paths(self) -> None:
        """There, back, both ways, and three at once (table 2).

        Raises:
            NotProven: see the connections.
        """
        self._transfers(PACKET_FILTER, self.runner.server())

    @keyword("Connections Are Sent Through The VPN Over Longer And Longer Paths")
    def connections_are_sent_through_the_vpn(self) -> None:
        """The same through the tunnel that is up.

        Raises:
            NotProven: see the packet filter.
        """
        self._connections(VPN, self._behind_the_tunnel(), self._of_the_tunnel())

    @keyword("Files Are Sent Through The VPN Over Longer And Longer Paths")
    def files_are_sent_through_the_vpn(self) -> None:
        """The same through the tunnel that is up.

        Raises:
            NotProven: see the packet filter.
        """
        self._transfers(VPN, self._behind_the_tunnel(), self._of_the_tunnel())

    @keyword("Fifty Connections Are Sent About The Tier's Rate")
    def fifty_connections_are_sent(self) -> None:
        """Trials of them until they decide whether the tier's stateful rate is reached.

        They are let go a little above it, as their controls beside the gateway are: fifty that go
        as fast as they can fill each queue at once, and what is lost then is no promise's.
        """
        promised = self.run.promised(_STATEFUL)
        pace = promised * HEADROOM
        load = replace(self.runner.load(), streams=FIFTY.streams, pace_mbps=pace)
        control = self.runner.control(load, promised)
        trials = self.runner.until_decided(
            load, self.runner.server(), promised, control=control
        )
        self.check.trials = trials
        conditions = say("tcp_connections", count=FIFTY.streams)
        self.check.measured(trials.measurement(_STATEFUL, conditions, promised))

    # -- helpers -----------------------------------------------------------------------------

    _rig: Path | None = None
    """What the rig carries beside the gateway, once a run."""

    @property
    def _conditions(self) -> Conditions:
        return study.CONDITIONS[self.run.profile.studies]

    @cached_property
    def _published(self) -> Published:
        return load_published(VARIABLES / "published_results.yaml")

    def _connections(self, name: str, remote: RemoteEnd, notes: Sequence[str] = ()) -> None:
        path = self._path(remote)
        found = path.measure(CONNECTIONS, self._conditions.delays_ms)
        rig = self._rig.found if self._rig else {}
        self._tell(tables.connection_table(name, found, rig, self._published, notes))
        path.must_be_whole()

    def _transfers(self, name: str, remote: RemoteEnd, notes: Sequence[str] = ()) -> None:
        path = self._path(remote)
        found = path.measure(TRANSFERS, self._conditions.transfer_delays_ms)
        rig = self._rig.found if self._rig else {}
        self._tell(tables.transfer_table(name, found, rig, self._published, notes))
        path.must_be_whole()

    def _path(self, remote: RemoteEnd) -> Path:
        """Its trials to the server are kept, for the steps that look for evidence."""
        there: list[Trial] = []

        def send(kind: Traffic, load: Load) -> Carried:
            if kind.there and kind.back:
                to_server, to_client = self.runner.both_ways(load, remote)
                rest, limit = self._without_esp(to_server.conduct)
                sent = to_server.mbps, to_client.mbps
                return Carried(*sent, disturbed=disturbed_by(rest), limit=limit)
            trial = self.runner.one(load, remote)
            rest, limit = self._without_esp(trial.conduct)
            told = {
                "rtt_ms": trial.rtt_ms,
                "least_rtt_ms": trial.least_rtt_ms,
                "disturbed": disturbance(replace(trial, conduct=rest)),
                "limit": limit,
            }
            if load.reverse:
                return Carried(back_mbps=trial.mbps, **told)
            there.append(trial)
            self.check.trials = Trials(tuple(there), self.run.rule, load.layer)
            return Carried(trial.mbps, **told)

        def longer(delay_ms: float) -> object:
            return self._longer(remote, delay_ms)

        return Path(send, longer, self._conditions, self.run.profile.confidence)

    @contextmanager
    def _longer(self, remote: RemoteEnd, delay_ms: float) -> Iterator[str]:
        """The path with so many milliseconds more; who holds packets back, empty for nobody."""
        if not delay_ms:
            yield ""
            return
        target = Target(remote.address, remote.port)
        with held_back(self.run.client, target, delay_ms) as by:
            yield by

    def _rtt_ms(self, remote: RemoteEnd) -> float | None:
        load = Load(_AT_REST_S, interval_s=_AT_REST_S / 2, pace_mbps=_HARDLY_MBPS)
        return self.runner.one(load, remote).least_rtt_ms

    def _held_for_nothing(self, remote: RemoteEnd) -> Added:
        """Packets take the way of those that are held back, and are not."""
        with held_back(self.run.client, Target(remote.address, remote.port), 0) as by:
            rtt, loads = self._rtt_ms(remote), (kind.load(self._conditions) for kind in _CEILINGS)
            one, fifty = (self.runner.one(load, remote).mbps for load in loads)
        return Added(0.0, by, rtt, one, fifty)

    def _without_esp(
        self, conduct: Mapping[str, Conduct]
    ) -> tuple[Mapping[str, Conduct], str]:
        """What hosts did, and what ESP in a program of the peer did not get through.

        TCP goes as fast as that loses packets: it is what limits the rig, and disturbs nothing.
        """
        peer = conduct.get("peer")
        if peer is None or not peer.socket_lost or not self.run.site_vpn.peer.charon.in_user_space:
            return conduct, ""
        limit = f"ESP on the peer lost {peer.socket_lost:,} packets"
        return {**conduct, "peer": replace(peer, socket_lost=0)}, limit

    def _behind_the_tunnel(self) -> RemoteEnd:
        return behind_the_peer(self.run, self.run.site_vpn.current.host)

    def _of_the_tunnel(self) -> tuple[str, ...]:
        label, where = self.run.site_vpn.current.proposal.label, esp_words(self.run)
        return (f"The tunnel: {label}. ESP on the peer is done in {where}.",)

    def _tell(self, table: StudyTable) -> None:
        self.check.note("study", table.as_json(), aside=True)


_CEILINGS = (study.ONE, FIFTY)
"""What tells how much passes where packets are held back."""
