"""Throughput of a path, as a measurement with its interval and what was seen beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from gatepass.endpoint_load import Ends
from gatepass.iperf import Trial
from gatepass.judgement import Rule, until_decided
from gatepass.record import Measurement
from gatepass.statistics import Interval, interval
from gatepass.tcp_metrics import buffer_delay_percent, efficiency_percent, transfer_time_ratio

LONGEST_SERIES = 60
"""Figures; more do not show on a page, and a trial of a day has 1440. Neighbours are averaged."""


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
            **tcp_facts(self.trials, threshold if relation == "at least" else None),
            **Ends.of(self.trials).facts(),
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
            **self._series(),
        )

    def _series(self) -> dict:
        """The rate over time of the trial in the middle, which stands for all of them."""
        trial = sorted(self.trials, key=lambda one: one.mbps)[len(self.trials) // 2]
        if not trial.intervals:
            return {}
        joined = -(-len(trial.intervals) // LONGEST_SERIES)
        parts = [
            trial.intervals[start : start + joined]
            for start in range(0, len(trial.intervals), joined)
        ]
        return {
            "series": tuple(round(fmean(part), 1) for part in parts),
            "series_interval_s": round(trial.interval_s * joined, 3),
        }


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


def tcp_facts(
    trials: Sequence[Trial], ideal_mbps: float | None
) -> dict[str, float | int | str | None]:
    """RFC 6349's three metrics and the size of the segments; empty where no TCP was sent.

    Args:
        trials: at least one.
        ideal_mbps: the rate that the path is to carry; None where nothing is promised.
    """
    efficiency = efficiency_of(trials)
    if efficiency is None:
        return {}
    delay, rate = buffer_delay_of(trials), fmean(trial.mbps for trial in trials)
    return {
        "transfer_time_ratio": round(transfer_time_ratio(rate, ideal_mbps), 3)
        if rate and ideal_mbps
        else None,
        "tcp_efficiency_percent": round(efficiency, 3),
        "buffer_delay_percent": None if delay is None else round(delay, 1),
        "least_rtt_ms": min((one.least_rtt_ms for one in trials if one.least_rtt_ms), default=None),
        "mss_bytes": min((trial.mss for trial in trials if trial.mss), default=None),
        "path_mtu_bytes": min((one.path_mtu for one in trials if one.path_mtu), default=None),
    }


def efficiency_of(trials: Sequence[Trial]) -> float | None:
    """TCP efficiency over all trials, per cent; None where no TCP was sent."""
    tcp = [trial for trial in trials if trial.sent_bytes and trial.mss]
    if not tcp:
        return None
    sent = sum(trial.sent_bytes or 0 for trial in tcp)
    again = sum(trial.retransmits or 0 for trial in tcp)
    return efficiency_percent(sent, again, max(trial.mss or 0 for trial in tcp))


def buffer_delay_of(trials: Sequence[Trial]) -> float | None:
    """Buffer delay over all trials, per cent; None where round trips are not known."""
    loaded = [trial.rtt_ms for trial in trials if trial.rtt_ms]
    rest = [trial.least_rtt_ms for trial in trials if trial.least_rtt_ms]
    return buffer_delay_percent(fmean(loaded), min(rest)) if loaded and rest else None


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(fmean(known), 3) if known else None


def _sum(values: Sequence[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
