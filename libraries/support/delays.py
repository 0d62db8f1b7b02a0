"""Trials of how long packets take, as every chapter runs them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from gatepass.base.errors import NotProven
from gatepass.base.phrase import Phrase, say
from gatepass.endpoint import delay_probes
from gatepass.endpoint.clock_agreement import agreement
from gatepass.endpoint.delay_probes import PORTS, Target
from gatepass.endpoint.shell import Shell
from gatepass.results.agreement import NOTHING_KNOWN, Agreement
from gatepass.results.datagrams import Carried
from gatepass.results.delays import DelayTrial, Kind
from gatepass.results.record import Measurement
from gatepass.verdict.delay_trials import (
    DelayOfTheRig,
    added_by,
    controls,
    delay,
    facts_of,
    in_words,
    rule_of_delays,
    until_told,
)
from gatepass.verdict.disturbance import Watched, aside_in_words
from gatepass.verdict.judgement import WITHOUT, Rule, TrialSeries, joined
from support.check_context import CheckContext
from support.reasons import conclude
from support.run_context import RunContext
from support.steps import Steps

Measure = Callable[[Sequence[DelayTrial], Kind, Agreement], Measurement]
"""What follows from trials for one kind of probe, and from what is known of the clocks."""
_AFTER_PROBE_PORT = 10


@dataclass
class Tried:
    """Probes beside one load.

    Attributes:
        series: the trials.
        kinds: of the probes.
        clocks: how far the receiver's was ahead of the sender's, where nothing but that tells.
        counted: bytes that the gateway's policies counted meanwhile, by IP version.
        path: the one beside, as a sentence begins with it.
        control: trials of the same without the gateway, sent when first asked for; None where there
            is no such path.
    """

    series: TrialSeries[DelayTrial]
    kinds: tuple[Kind, ...]
    clocks: Agreement = NOTHING_KNOWN
    counted: dict[int, int] = field(default_factory=dict)
    path: str = WITHOUT
    control: Callable[[], Sequence[DelayTrial]] | None = None

    def received(self, version: int) -> int:
        """Bytes of UDP payload that arrived through the gateway over this version of IP."""
        every = [*self.series.counted, *(trial for trial, _ in self.series.aside)]
        through = [
            pair.through
            for trial in every
            for kind, pair in trial.pairs.items()
            if pair.through and kind.version == version
        ]
        loads = [trial.load for trial in every if trial.load and version == 4]
        return sum(seen.received * seen.stream.payloads[0] for seen in [*through, *loads])


class Delayed(Steps):
    """What was sent.

    Attributes:
        tried: the probes beside one load.
        kind: of the probe that the check is about.
        measure: what follows from its trials.
        lost_is_late: see `AddedDelay`.
    """

    tried: Tried
    kind: Kind
    measure: Measure
    lost_is_late: bool

    def through(self) -> list[Carried]:
        """The probes of that kind, in the trials that count."""
        pairs = [trial.pairs[self.kind] for trial in self.tried.series.counted]
        return [pair.through for pair in pairs if pair.through]


class DelayRunner:
    """Trials of one check.

    Args:
        check: that the trials are noted in.
    """

    def __init__(self, check: CheckContext) -> None:
        self._check, self._run = check, check.run

    @property
    def rule(self) -> Rule:
        """How often."""
        return rule_of_delays(self._run.rule)

    def until_told(
        self,
        target: Target,
        kinds: Sequence[Kind],
        load_mbps: float,
        measure: Measure,
        seconds: float | None = None,
        far: Shell | None = None,
        carried_by: str = "",
    ) -> Tried:
        """Trials until each kind of probe is decided about, or the budget is spent.

        Args:
            target: where the probes arrive.
            kinds: of the probes.
            load_mbps: that goes the same way, probes included; 0 for none.
            measure: what follows from trials for a kind.
            seconds: of a trial; the profile's unless given.
            far: the other endpoint; the server unless given.
            carried_by: of the trials through the gateway; see `DelayTrial`.
        """
        there = [kind for kind in kinds if kind.version in target.through]
        tier = self._run.promised("stateful_throughput")
        length = seconds or self._run.profile.delay_trial_s

        def trial(to: Target) -> DelayTrial:
            streams = delay_probes.plan(to, there, length, tier, load_mbps)
            return self.one(streams, there, far, carried_by if to.through else "")

        before = self._clocks(target, far)
        series = until_told(
            lambda: trial(target),
            self.rule,
            lambda trials: [measure(trials, kind, before) for kind in there],
        )
        tried = Tried(series, tuple(there), before.and_then(self._clocks(target, far)))
        alone = replace(target, through={})
        if 4 in target.beside:
            tried.control = cache(lambda: controls(lambda: trial(alone)))
        return tried

    def _clocks(self, target: Target, far: Shell | None) -> Agreement:
        """What is known of the clocks; nothing where each way has one beside it that tells."""
        if not target.through.keys() - target.beside.keys():
            return NOTHING_KNOWN
        far, port = far or self._run.server, next(target.ports())
        return agreement(self._run.client, far, target.through[4], port)

    def one(
        self,
        streams: Sequence,
        kinds: Sequence[Kind],
        far: Shell | None = None,
        carried_by: str = "",
    ) -> DelayTrial:
        """One trial from the client, with what the rig did meanwhile; its JSON is kept."""
        run, far = self._run, far or self._run.server
        run.trials += 1
        begun = run.rig.mark({"client": run.client, far.name: far})
        trial = delay_probes.run(run.client, far, streams, kinds)
        trial = replace(trial, conduct=run.rig.since(begun), carried_by=carried_by)
        self.keep(trial, streams[0].address)
        return trial

    def keep(self, trial: DelayTrial, address: str) -> None:
        """Keep the JSON of the run's last trial, and note it."""
        run = self._run
        path = run.folder / "trials" / f"{run.trials:03d}-delays.json"
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(trial.record()))
        about = {"number": run.trials, "to": address, **facts_of(trial)}
        self._check.note("trial", about, aside=True)


def measured(
    promise: str,
    conditions: Callable[[Kind], Phrase],
    limit_ms: float,
    rule: Rule,
    lost_is_late: bool = True,
) -> Measure:
    """What makes a measurement of trials, for one kind of probe."""

    def measure(trials: Sequence[DelayTrial], kind: Kind, clocks: Agreement) -> Measurement:
        added = added_by(kind, trials, clocks, lost_is_late)
        return delay(promise, conditions(kind), added, rule, limit_ms)

    return measure


def through_the_gateway(run: RunContext) -> Target:
    """The server, through the gateway and without it."""
    far = run.testbed.endpoints.server
    return Target(
        _by_version(far.address, far.address6),
        _by_version(far.direct_address, far.direct_address6),
        first_port=first_port(far.probe_port),
        avoid=far.iperf3_port,
    )


def back_to_the_client(run: RunContext) -> Target:
    """The client, as the server's answers reach it through the gateway, and without it."""
    near, far = run.testbed.endpoints.client, run.testbed.endpoints.server
    ports = {"first_port": first_port(far.probe_port) + PORTS, "avoid": far.iperf3_port}
    beside = _by_version(near.direct_address, near.direct_address6)
    return Target(_by_version(near.address, near.address6), beside, **ports)


def came_from(check: CheckContext, seen: Sequence[Carried], wanted: str) -> None:
    """Hold the addresses that probes came from against the one that they should come from.

    Raises:
        AssertionError: they came from another.
    """
    sources = set().union(*(one.sources for one in seen))
    told = " and ".join(sorted(sources)) or "no address"
    observed = f"The server saw {told}; expected is {wanted}."
    check.evidence(say("delay_seen"), observed, sources == {wanted})


def delay_should_keep(check: CheckContext, left: Delayed, rule: Rule) -> str:
    """Hold the delay that was added against its limit; what was seen, in sentences.

    Raises:
        AssertionError: it is longer, and the rig's own is not.
        NotProven: the rig delays as well, or the bounds lie on both sides of the limit.
    """
    tried, kind, held = left.tried, left.kind, check.measurement
    added = added_by(kind, tried.series.counted, tried.clocks, left.lost_is_late)
    told = in_words(added, rule, held.threshold, tried.path)
    aside = aside_in_words([(Watched(0.0, one.conduct), why) for one, why in tried.series.aside])
    if held.half_width is None:
        raise NotProven(joined(told, aside))
    rig = DelayOfTheRig(tried.control, kind, tried.path)
    conclude(check, held, rig, lambda: joined(told, rig.compared()), disturbed=aside)
    return told


def first_port(probe_port: int) -> int:
    """The first of the ports that probes take on an endpoint."""
    after = probe_port + _AFTER_PROBE_PORT
    return after if after + 2 * PORTS < 1 << 16 else probe_port - 3 * PORTS


def _by_version(fourth: str | None, sixth: str | None) -> dict[int, str]:
    return {version: text for version, text in ((4, fourth), (6, sixth)) if text}
