"""Throughput of a path, as a measurement with its interval and what was seen beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from gatepass.base.errors import NotProven
from gatepass.base.phrase import NOTHING, Phrase
from gatepass.results.measurements import estimated
from gatepass.results.promises import PROMISES
from gatepass.results.record import Measurement
from gatepass.results.trial import CONGESTION_CONTROL, Trial
from gatepass.stats.intervals import FEWEST_TO_SEE_DEPENDENCE, Interval
from gatepass.verdict.disturbance import aside_in_words, disturbance
from gatepass.verdict.endpoint_load import EndpointLoads
from gatepass.verdict.judgement import FEWEST_CONTROLS, Rig, Rule, TrialSeries, until_decided
from gatepass.verdict.tcp_metrics import (
    buffer_delay_percent,
    efficiency_percent,
    transfer_time_ratio,
)

LONGEST_SERIES = 60
"""Figures; more do not show on a page, and a trial of a day has 1440. Neighbours are averaged."""

UNSEEN = f"not looked at, as there are fewer than {FEWEST_TO_SEE_DEPENDENCE} trials"
"""Whether trials hang together."""


@dataclass(frozen=True)
class Trials:
    """The trials of one path under one load.

    Attributes:
        trials: that count, in the order they ran.
        rule: after which they were repeated.
        layer: of the figures.
        aside: those that count for nobody, each with what the rig did in it.
        controls: on the path without the gateway, in turns with the others; None where there is no
            such path.
        controls_aside: those of them that count for nobody.
    """

    trials: tuple[Trial, ...]
    rule: Rule
    layer: str
    aside: tuple[tuple[Trial, str], ...] = ()
    controls: tuple[Trial, ...] | None = None
    controls_aside: tuple[tuple[Trial, str], ...] = ()

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
        """Mean and decision interval, Mbit/s."""
        return self.rule.interval(self.samples)

    @property
    def rig(self) -> Rig:
        """What the rig could do meanwhile."""
        rates = None if self.controls is None else [trial.mbps for trial in self.controls]
        limit = EndpointLoads.of(self.trials).limit()
        if self.controls_aside and not rates:
            limit = limit or (
                "No trial without the gateway was left undisturbed to compare the figure with. "
                f"{aside_in_words(self.controls_aside)}"
            )
        fewest = 1 if self.rule.by_intervals else FEWEST_CONTROLS
        return Rig(rates, limit, fewest=fewest)

    @property
    def received_bytes(self) -> int:
        """All bytes that came through, the slow starts included."""
        return sum(trial.all_bytes for trial in self.trials)

    @property
    def seen(self) -> set[str]:
        """The addresses that the server saw."""
        return set().union(*(trial.seen for trial in self.trials))

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
        conditions: Phrase = NOTHING,
        threshold: float | None = None,
        baseline: Interval | None = None,
    ) -> Measurement:
        """The trials as a record."""
        at_least = PROMISES[promise].relation == "at least"
        facts: dict[str, float | int | str | None] = {
            "client_cpu_percent": round(self.client_cpu, 1),
            "server_cpu_percent": round(self.server_cpu, 1),
            "received_bytes": self.received_bytes,
            "seconds": round(sum(trial.seconds for trial in self.trials), 3),
            "streams_rtt_ms": _mean([trial.rtt_ms for trial in self.trials]),
            "retransmits": _sum([trial.retransmits for trial in self.trials]),
            "lost_percent": _mean([trial.lost_percent for trial in self.trials]),
            **tcp_facts(self.trials, threshold if at_least else None),
            **self._rig_facts(),
        }
        made = estimated(
            promise,
            conditions,
            self.rates,
            self.interval,
            self.rule.confidence,
            layer=self.layer,
            threshold=threshold,
            baseline=baseline and baseline.mean,
            facts=facts,
            numbers=tuple(trial.number for trial in self.trials if trial.number),
            **self._series(),
        )
        return replace(made, facts={**made.facts, **self._watched()})

    def _watched(self) -> dict[str, float | None]:
        """What was seen of the hosts meanwhile; None is what nobody looked at, and no nothing."""
        wire = [trial.wire_mbps for trial in self.trials]
        return {
            **EndpointLoads.of(self.trials).facts(),
            "interface_mbps": _mean(wire),
        }

    def _rig_facts(self) -> dict[str, float | int | str | None]:
        """What the rig did, and what that makes of the trials."""
        value = self.interval
        controls = [round(trial.mbps, 3) for trial in self.controls or ()]
        return {
            "independent_samples": None if value.worth is None else round(value.worth, 1),
            "independence": None if value.worth else UNSEEN,
            "set_aside": len(self.aside),
            "set_aside_because": "; ".join(dict.fromkeys(why for _, why in self.aside)) or None,
            "controls": len(controls),
            "slowest_control_mbps": min(controls, default=None),
            "congestion_control": CONGESTION_CONTROL if self.trials[0].mss else None,
        }

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
    control: Callable[[], Trial] | None = None,
) -> Trials:
    """Run trials until they decide about the thresholds (Mbit/s; see `until_decided`).

    Raises:
        NotProven: the rig disturbed so many that too few are left.
    """

    def samples_of(trials: Sequence[Trial]) -> list[float]:
        return samples(trials, rule)

    decides = bool(threshold) or at_most is not None  # what is told for comparison blames nobody
    disturbed = disturbance if decides else _never
    series: TrialSeries[Trial] = until_decided(
        trial, samples_of, rule, threshold, relation, at_most, disturbed, control
    )
    must_be_enough(series, rule)
    aside = tuple((one, why) for one in series.controls if (why := disturbance(one)))
    left = tuple(one for one in series.controls if not disturbance(one))
    controls = None if control is None else left
    return Trials(tuple(series.counted), rule, layer, tuple(series.aside), controls, aside)


def must_be_enough(series: TrialSeries, rule: Rule) -> None:
    """Raises NotProven where the rig disturbed so many trials that too few are left."""
    if len(series.counted) < rule.min_trials:
        ran, left = len(series.counted) + len(series.aside), len(series.counted)
        which = f"only {left} of {ran} trials" if left else f"none of the {ran} trials"
        raise NotProven(
            f"{which} could be used ({rule.min_trials} are needed). {aside_in_words(series.aside)}"
        )


def _never(trial: Trial) -> str:
    return ""


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
