"""Throughput of a path, as a measurement with its interval and what was seen beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from gatepass.iperf import Trial
from gatepass.judgement import Rule, until_decided
from gatepass.record import Measurement
from gatepass.statistics import Interval, interval


@dataclass(frozen=True)
class Trials:
    """The trials of one path under one load.

    Attributes:
        trials: in the order they ran.
        rule: after which they were repeated.
        layer: of the figures.
    """

    trials: tuple[Trial, ...]
    rule: Rule
    layer: str

    @property
    def samples(self) -> list[float]:
        """The independent samples, Mbit/s: one a trial, or one an interval of a long trial."""
        return samples(self.trials, self.rule)

    @property
    def rates(self) -> list[float]:
        """The figure of each trial, Mbit/s."""
        return [trial.mbps for trial in self.trials]

    @property
    def interval(self) -> Interval:
        """Mean and confidence interval, Mbit/s."""
        return interval(self.samples, self.rule.confidence)

    @property
    def received_bytes(self) -> int:
        """All bytes that came through, the slow starts included."""
        return sum(trial.all_bytes for trial in self.trials)

    @property
    def seen(self) -> set[str]:
        """The addresses that the server saw."""
        return {trial.seen for trial in self.trials}

    @property
    def client_cpu(self) -> float:
        """The busiest trial's CPU of iperf3 on the client, per cent of one core."""
        return max(trial.client_cpu for trial in self.trials)

    @property
    def server_cpu(self) -> float:
        """The busiest trial's CPU of iperf3 on the server, per cent of one core."""
        return max(trial.server_cpu for trial in self.trials)

    def measurement(
        self,
        promise: str,
        conditions: str,
        threshold: float | None = None,
        relation: str = "at least",
        baseline: Interval | None = None,
    ) -> Measurement:
        """The trials as a record."""
        value = self.interval
        facts: dict[str, float | int | str | None] = {
            "client_cpu_percent": round(self.client_cpu, 1),
            "server_cpu_percent": round(self.server_cpu, 1),
            "received_bytes": self.received_bytes,
            "seconds": round(sum(trial.seconds for trial in self.trials), 3),
            "streams_rtt_ms": _mean([trial.rtt_ms for trial in self.trials]),
            "retransmits": _sum([trial.retransmits for trial in self.trials]),
            "lost_percent": _mean([trial.lost_percent for trial in self.trials]),
        }
        return Measurement(
            promise=promise,
            conditions=conditions,
            value=round(value.mean, 4),
            unit="Mbit/s",
            layer=self.layer,
            half_width=None if value.half_width is None else round(value.half_width, 4),
            confidence=self.rule.confidence,
            trials=tuple(round(rate, 4) for rate in self.rates),
            threshold=threshold,
            relation=relation,
            baseline=None if baseline is None else round(baseline.mean, 4),
            facts={name: fact for name, fact in facts.items() if fact is not None},
        )


def measure(
    trial: Callable[[], Trial],
    rule: Rule,
    layer: str,
    threshold: float,
    relation: str = "at least",
    at_most: float | None = None,
) -> Trials:
    """Run trials until they decide about the thresholds (Mbit/s; see `until_decided`)."""

    def samples_of(trials: Sequence[Trial]) -> list[float]:
        return samples(trials, rule)

    trials = until_decided(trial, samples_of, rule, threshold, relation, at_most)
    return Trials(tuple(trials), rule, layer)


def samples(trials: Sequence[Trial], rule: Rule) -> list[float]:
    """What the interval is computed from, Mbit/s."""
    if rule.by_intervals:
        return [rate for trial in trials for rate in trial.intervals]
    return [trial.mbps for trial in trials]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(fmean(known), 3) if known else None


def _sum(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
