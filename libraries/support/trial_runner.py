"""Trials of iperf3 from the client to another endpoint, as every chapter runs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from gatepass.base.phrase import Phrase, say
from gatepass.endpoint import iperf, overload
from gatepass.endpoint.probe import Probe, start_responder
from gatepass.endpoint.shell import Shell
from gatepass.endpoint.where_lost import must_be_lost_in_between
from gatepass.results.broken import FIRST_LOST, Broken
from gatepass.results.measurements import observed
from gatepass.results.record import Measurement
from gatepass.results.trial import Load, Trial
from gatepass.verdict import ceiling
from gatepass.verdict.disturbance import (
    Watched,
    disturbance,
    disturbed_by,
    host_facts,
    trial_facts,
    wire_mbps,
)
from gatepass.verdict.endpoint_load import EndpointLoads
from gatepass.verdict.judgement import HEADROOM, Rule
from gatepass.verdict.throughput import Trials, measure
from support.check_context import CheckContext
from support.policies import decided_by
from support.transfers import WITHOUT, alone, whole

_CONTROL_S = 10
"""For how long at least a long transfer that broke off goes on without the gateway."""

_RESPONDER_S = 60

Made = TypeVar("Made")


@dataclass(frozen=True)
class RemoteEnd:
    """The other end of a path.

    Attributes:
        shell: the endpoint there.
        address: of it on that path.
        port: where its test server may listen.
        by_policy: whether the gateway's policies decide about the path.
        clear: whether packets arrive there as they were sent, and not out of a tunnel.
        beside: the end of the path that passes nothing of what is judged; None where there is none.
        without: what of the path is left out, in words; empty where something on it is judged.
    """

    shell: Shell
    address: str
    port: int
    by_policy: bool = True
    clear: bool = True
    beside: RemoteEnd | None = None
    without: str = ""


class TrialRunner:
    """Trials of one check.

    Args:
        check: that the trials are noted in.
    """

    def __init__(self, check: CheckContext) -> None:
        self._check, self._run = check, check.run

    def server(self) -> RemoteEnd:
        """The server behind the gateway."""
        host = self._run.testbed.endpoints.server
        address = host.address if self._check.ip_version == 4 else host.address6
        beside = self.server_directly()
        return RemoteEnd(self._run.server, address, host.iperf3_port, beside=beside)

    def server_directly(self) -> RemoteEnd | None:
        """The server on the path without the gateway; None where the testbed names none."""
        shell, host = self._run.server, self._run.testbed.endpoints.server
        fourth = self._check.ip_version == 4
        address = host.direct_address if fourth else host.direct_address6
        if address is None:
            return None
        return RemoteEnd(shell, address, host.iperf3_port, by_policy=False, without=WITHOUT)

    def load(
        self,
        reverse: bool = False,
        udp_mbps: float | None = None,
        source: str = "",
        promised_mbps: float | None = None,
    ) -> Load:
        """A trial's traffic as the profile wants it: TCP, or UDP where a rate is given.

        Args:
            reverse, udp_mbps, source: see `Load`.
            promised_mbps: about which the trial is to decide; TCP is offered at a multiple of it.
        """
        profile = self._run.profile
        ratio = profile.offered_ratio
        paced = promised_mbps and ratio and not udp_mbps
        return Load(
            seconds=profile.trial_s,
            omit_s=profile.omit_s,
            streams=1 if udp_mbps else profile.streams,
            interval_s=profile.interval_s,
            udp_mbps=udp_mbps,
            pace_mbps=promised_mbps * ratio if paced else None,
            reverse=reverse,
            source=source,
        )

    def control(
        self, load: Load, promised_mbps: float, remote: RemoteEnd | None = None
    ) -> Callable[[], Trial] | None:
        """The same kind of traffic at the promised rate on a path that passes nothing judged.

        Args:
            load: that is judged.
            promised_mbps: at the load's layer; the control is paced a little above it (`HEADROOM`).
            remote: the end of that path; the server on the path without the gateway unless given.

        Returns:
            What runs one such trial; None where there is no such path.
        """
        remote = remote or self.server_directly()
        if remote is None:
            return None
        rate = promised_mbps * HEADROOM
        if load.udp_mbps:
            asked = replace(load, source="", udp_mbps=min(rate, load.udp_mbps))
        else:
            asked = replace(load, source="", pace_mbps=rate)
        return lambda: self.one(asked, remote)

    def one(self, load: Load, remote: RemoteEnd) -> Trial:
        """One trial from the client, with what the rig did meanwhile; its JSON is kept.

        Raises:
            AssertionError: it breaks off, and without what is judged it does not.
            NotProven: it breaks off there as well; an endpoint was lost or a program failed.
        """
        return self.whole(
            remote, lambda end, broken: self._one(as_long(load, broken), end), load.source
        )

    def whole(
        self,
        remote: RemoteEnd,
        run: Callable[[RemoteEnd, Broken | None], Made],
        source: str = "",
    ) -> Made:
        """A transfer to the remote end, held against the path beside where it breaks off.

        Args:
            remote: the end.
            run: a transfer to an end; on the path beside it is told how that to `remote` broke off.
            source: address of the client that it comes from; empty leaves that to its routes.

        Raises:
            AssertionError, NotProven: see `one`.
        """
        if remote.without:
            return alone(lambda: run(remote, None), remote.without)
        beside = remote.beside
        decides = remote.by_policy and ":" not in remote.address  # the look-up is one of IPv4

        def control(broken: Broken) -> object:
            assert beside is not None
            return run(beside, broken)

        return whole(
            self._check,
            lambda: run(remote, None),
            control if beside else None,
            lambda: decided_by(self._run, remote.port) if decides else "",
            beside.without if beside else WITHOUT,
            lambda broken: self._must_be_lost_in_between(broken, remote, source),
        )

    def _must_be_lost_in_between(self, broken: Broken, remote: RemoteEnd, source: str) -> None:
        """What did not begin was lost at no endpoint, see `must_be_lost_in_between`."""
        protocol = "udp" if broken.how == FIRST_LOST else "tcp"
        probe = Probe(protocol, remote.address, remote.port, via=source)
        answering = start_responder(
            remote.shell, [remote.address], [remote.port], _RESPONDER_S, "test-port"
        )
        try:
            must_be_lost_in_between(self._run.client, remote.shell, [probe])
        finally:
            answering.stop()

    def _one(self, load: Load, remote: RemoteEnd, attempts: int = 2) -> Trial:
        """One trial.

        Args:
            load, remote: see `one`.
            attempts: for a flow that does not open on a path on which nothing is judged.

        Raises:
            Broken: it breaks off.
        """
        self._run.trials += 1
        keep = self._run.folder / "trials" / f"{self._run.trials:03d}"
        keep.parent.mkdir(exist_ok=True)
        shells = {"client": self._run.client, remote.shell.name: remote.shell}
        begun = self._run.rig.mark(shells)
        try:
            run = overload.run if overload.needed(load) else iperf.run
            trial = run(self._run.client, remote.shell, remote.address, remote.port, load, keep)
        except Broken as broken:
            # iperf3 opens a flow of UDP with one datagram each way, and sends neither again
            if broken.how == FIRST_LOST and remote.without and attempts > 1:
                return self._one(load, remote, attempts - 1)
            broken.disturbed = disturbed_by(self._run.rig.since(begun))
            raise
        conduct = self._run.rig.since(begun)
        receiver = conduct.get("client" if load.reverse else remote.shell.name)
        in_clear = remote.clear and not load.source
        counted = receiver and in_clear and not trial.impossible
        wire = wire_mbps(trial, receiver, load.omit_s) if counted else None
        wire = None if wire is None else round(wire, 4)
        trial = replace(trial, conduct=conduct, wire_mbps=wire, number=self._run.trials)
        about = {"number": self._run.trials, "to": remote.address, **trial_facts(trial)}
        if trial.remarks:
            about["remarks"] = list(trial.remarks)
        if asked := load.udp_mbps or load.pace_mbps:
            about["asked_mbps"] = round(asked, 4)
        self._check.note("trial", about, aside=True)
        return trial

    def both_ways(self, load: Load, remote: RemoteEnd) -> tuple[Watched, Watched]:
        """TCP to the remote end and back at once: what either way carried.

        Raises:
            AssertionError, NotProven: see `one`.
        """
        return self.whole(remote, lambda end, broken: self._both_ways(as_long(load, broken), end))

    def _both_ways(self, load: Load, remote: RemoteEnd) -> tuple[Watched, Watched]:
        client = self._run.client
        begun = self._run.rig.mark({"client": client, remote.shell.name: remote.shell})
        with iperf.both_ways(client, remote.shell, remote.address, remote.port, load) as rates:
            carried = rates()
        conduct = self._run.rig.since(begun)
        there, back = (Watched(mbps, conduct) for mbps in carried)
        about = {"to": remote.address, "there": carried[0], "back": carried[1]}
        told = {**about, "hosts": host_facts(conduct), "set_aside": there.disturbed}
        self._check.note("trial", told, aside=True)
        return there, back

    def until_decided(
        self,
        load: Load,
        remote: RemoteEnd,
        threshold: float = 0,
        at_most: float | None = None,
        control: Callable[[], Trial] | None = None,
    ) -> Trials:
        """Trials until they decide about the thresholds, Mbit/s; the fewest without one."""
        return measure(
            lambda: self.one(load, remote),
            self._run.rule,
            load.layer,
            threshold,
            "at least",
            at_most,
            control,
        )

    def repeated(self, trial: Callable[[], Trial], threshold: float) -> Trials:
        """Trials of this kind until they decide about the threshold, Mbit/s."""
        return measure(trial, self._run.rule, "TCP goodput", threshold)

    def once(self, load: Load, remote: RemoteEnd) -> Trials:
        """One trial, for comparison: no verdict hangs on it."""
        rule = Rule(1, 1, self._run.profile.confidence)
        return Trials((self.one(load, remote),), rule, load.layer)

    def fastest(
        self,
        load: Load,
        remote: RemoteEnd,
        promise: str,
        conditions: Phrase,
        facts: Mapping[str, str] | None = None,
    ) -> Measurement:
        """One trial as fast as it goes, held against the tier's ceiling and told for comparison."""
        trial = self.one(load, remote)
        by_rig = disturbance(trial) or EndpointLoads.of([trial]).limit() or None
        seen = observed(
            promise,
            say("fastest", what=conditions),
            round(trial.mbps, 3),
            layer=load.layer,
            facts={**(facts or {}), "by_rig": by_rig},
        )
        held = ceiling.held_against(seen, self._run.order.ceiling_mbps)
        self._check.note("measurement", held)
        return held


def as_long(load: Load, broken: Broken | None) -> Load:
    """A load as it is; for a control, twice as long as it went on through the gateway at most.

    Args:
        load: that was sent through the gateway.
        broken: how that broke off; None where it is no control.
    """
    if broken is None:
        return load
    seconds = min(load.seconds, max(_CONTROL_S, 2 * broken.seconds))
    return replace(load, source="", seconds=seconds)
