"""RFC 6349 on the gateway: the path without load, and TCP by window and number of connections."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from gatepass.base.errors import NotProven
from gatepass.endpoint.paths import mtu_to
from gatepass.inputs.scope import NO_DIRECT_PATH
from gatepass.results.study import StudyTable
from gatepass.results.trial import Load, Trial
from gatepass.scenarios.studies import conditions as rfc2544
from gatepass.scenarios.studies import rfc6349
from gatepass.scenarios.studies import rfc6349_tables as tables
from gatepass.scenarios.studies.frames import IPV4, FrameSize, Way, Ways
from gatepass.scenarios.studies.rfc6349 import Baseline, Conditions, Fared
from gatepass.scenarios.studies.throughput import throughput
from gatepass.scenarios.studies.trials import between
from gatepass.verdict.throughput import Trials
from support.guard import keyword
from support.keyword_library import KeywordLibrary

_FULL = FrameSize(IPV4, (1518,))
_HARDLY_MBPS, _AT_REST_S = 1.0, 1.0


class Rfc6349(KeywordLibrary):
    """Keywords of the study RFC 6349."""

    @keyword()
    def the_path_without_load_is_measured(self) -> None:
        """Its MTU, its shortest round trip and its bottleneck (RFC 6349, 3.1 and 3.2).

        Raises:
            NotProven: one of them cannot be told.
        """
        path = self._path
        self._tell(tables.differences_table(self._conditions))
        self._tell(tables.path_table(path, self.run.promised("stateful_throughput")))

    @keyword()
    def tcp_is_sent_with_windows_around_what_fills_the_path(self) -> None:
        """One connection with each window (RFC 6349, 3.3), told by the three metrics (4).

        Raises:
            NotProven: the rig disturbed a trial each time.
        """
        found = rfc6349.by_window(self._send, self._path, self._conditions)
        self._tell(tables.window_table(found))
        self._keep(found)

    @keyword()
    def tcp_is_sent_over_several_connections(self) -> None:
        """Several at once (RFC 6349, 5.1), told by the three metrics (4).

        Raises:
            NotProven: the rig disturbed a trial each time.
        """
        found = rfc6349.by_connections(self._send, self._path, self._conditions)
        self._tell(tables.connection_table(found))
        self._keep(found)

    # -- helpers -----------------------------------------------------------------------------

    @property
    def _conditions(self) -> Conditions:
        return rfc6349.CONDITIONS[self.run.profile.studies]

    @cached_property
    def _path(self) -> Baseline:
        """The path without load, measured once a run."""
        mtu = mtu_to(self.run.client, self.run.testbed.endpoints.server.address)
        return Baseline(mtu, self._rtt_ms(), self._frames_per_s())

    def _rtt_ms(self) -> float:
        seen = self._send(Load(_AT_REST_S, interval_s=_AT_REST_S / 2, pace_mbps=_HARDLY_MBPS))
        if not seen.least_rtt_ms:
            raise NotProven(
                "iperf3 on the client reports no round-trip times. Use a later version."
            )
        return seen.least_rtt_ms

    def _frames_per_s(self) -> float:
        """Of full size, with half a per cent lost."""
        server = self.run.testbed.endpoints.server
        if server.direct_address is None:
            raise NotProven(". ".join(NO_DIRECT_PATH))
        pair = server.address, server.direct_address
        ways = Ways(*(Way(address, server.iperf3_port) for address in pair))
        ends = self.run.client, self.run.server
        send = between(*ends, self.run.rig, lambda told: self.check.note("trial", told, aside=True))
        asked = rfc2544.CONDITIONS[self.run.profile.studies]
        found = throughput(send, ways, _FULL, asked).with_some_loss
        if not found.lower:
            raise NotProven("the path loses more than 0.5 % of full frames at every rate.")
        return found.lower

    def _send(self, load: Load) -> Trial:
        return self.runner.one(load, self.runner.server())

    def _keep(self, found: Sequence[Fared]) -> None:
        """The trials, for the steps that look for evidence.

        Raises:
            NotProven: the rig disturbed one each time.
        """
        trials = tuple(one.trial for one in found)
        self.check.trials = Trials(trials, self.run.rule, "TCP goodput")
        for one in found:
            if one.disturbed:
                raise NotProven(f"a trial cannot be used, as {one.disturbed}. Run again.")

    def _tell(self, table: StudyTable) -> None:
        self.check.note("study", table.as_json(), aside=True)
