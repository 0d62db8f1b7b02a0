"""From trials of probes to a figure: which count, when they suffice, what the rig adds itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from gatepass.base.phrase import Phrase
from gatepass.results.agreement import NOTHING_KNOWN, Agreement
from gatepass.results.datagrams import Carried
from gatepass.results.delays import DelayTrial, Kind
from gatepass.results.measurements import estimated
from gatepass.results.record import Measurement
from gatepass.stats.intervals import Interval
from gatepass.stats.percentiles import fewest
from gatepass.verdict.added_delay import LATE_US, AddedDelay
from gatepass.verdict.disturbance import Watched, aside_in_words, disturbed_by, host_facts
from gatepass.verdict.judgement import (
    ALL_ASIDE,
    FEWEST_CONTROLS,
    UNDECIDED,
    WITHOUT,
    Rig,
    Rule,
    TrialSeries,
    decide,
)

HELD = 99.0
"""The percentile that is held against a limit: of a call of a minute half a second may be late."""
TOLD = (50.0, 99.0, 99.9)
"""Those that are told."""
_FEWEST, _MOST = 3, 4
"""Trials at least, and how many times as many at most."""
_UNSENT = 0.01
"""Of a stream: what was sent too late is a gap in which nobody looked."""
_LATE_PERCENT = 100 - HELD
"""Of the time that a program which carries the packets waits for a processor: so many packets, and
more, are late then, and the percentile that is held tells of them."""
_SHORT = 0.05
"""By which share a load may fall short of the rate that it should have."""


def rule_of_delays(rule: Rule) -> Rule:
    """How often; also where a profile has one long trial of TCP, as trials tell each other.

    Args:
        rule: of the run.
    """
    fewest = max(_FEWEST, rule.min_trials)
    return rule.of_trials(fewest, _MOST * fewest)


def disturbed(trial: DelayTrial) -> str:
    """What the rig did that could have caused a trial's delays; empty where it did nothing."""
    for pair in trial.pairs.values():
        for seen in (pair.through, pair.beside):
            if seen and seen.unsent > _UNSENT * seen.stream.count:
                share = f"{seen.unsent:,} of {seen.stream.count:,}"
                return f"the sender was too late for {share} probes"
    if trial.load and trial.load.sent_per_s < (1 - _SHORT) * trial.load.stream.per_s:
        return (
            f"the sender sent {trial.load.sent_per_s:,.0f} of {trial.load.stream.per_s:,.0f} "
            "datagrams a second of the load"
        )
    return disturbed_by(trial.conduct) or _late_program(trial)


def _late_program(trial: DelayTrial) -> str:
    """How long the end of a tunnel had no processor, where that could have made packets late."""
    conduct = trial.conduct.get(trial.carried_by)
    if conduct is None or conduct.late_percent <= _LATE_PERCENT:
        return ""
    return (
        f"programs on the {trial.carried_by}, one of which ends the tunnel, waited for a processor "
        f"{conduct.late_percent:.1f} % of the time, up to {conduct.longest_late_s * 1000:.0f} ms"
    )


def added_by(
    kind: Kind,
    trials: Sequence[DelayTrial],
    clocks: Agreement = NOTHING_KNOWN,
    lost_is_late: bool = True,
) -> AddedDelay:
    """What the gateway added to probes of one kind in these trials."""
    return AddedDelay([trial.pairs[kind] for trial in trials], clocks, lost_is_late)


def facts_of(trial: DelayTrial) -> dict:
    """One trial for the record: its percentiles and what its rig did meanwhile."""
    seen = {
        f"{kind.name}_{way}_us": carried.delay.summary()
        for kind, pair in trial.pairs.items()
        for way, carried in (("through", pair.through), ("beside", pair.beside))
        if carried
    }
    return {
        "mbps": round(trial.load.received_mbps, 3) if trial.load else 0.0,
        **seen,
        "lasted_s": round(trial.ended - trial.began, 3),
        "hosts": host_facts(trial.conduct),
        "set_aside": disturbed(trial),
        **({"carried_by": trial.carried_by} if trial.carried_by else {}),
    }


def until_told(
    trial: Callable[[], DelayTrial],
    rule: Rule,
    measure: Callable[[Sequence[DelayTrial]], Sequence[Measurement]],
) -> TrialSeries[DelayTrial]:
    """Repeat a trial until it decides about each kind of probe, or the budget is spent.

    Args:
        trial: runs one.
        rule: how often at least and at most.
        measure: what follows from the trials that count, each held against its limit.
    """
    series: TrialSeries[DelayTrial] = TrialSeries()
    while series.spent < rule.max_trials and not series.in_vain:
        made = trial()
        if reason := disturbed(made):
            series.aside.append((made, reason))
            continue
        series.counted.append(made)
        if len(series.counted) >= rule.min_trials and not any(
            decide(one, one.threshold or 0, one.relation) == UNDECIDED
            for one in measure(series.counted)
        ):
            break
    return series


def delay(
    promise: str, conditions: Phrase, added: AddedDelay, rule: Rule, limit_ms: float
) -> Measurement:
    """The added delay as a record: the middle of what its 99th percentile lies between.

    Args:
        promise, conditions: of the measurement.
        added: what was seen.
        rule: after which trials were repeated.
        limit_ms: that it is held against.
    """
    low, high = added.bounds_ms(HELD, rule.level, limit_ms)
    samples = added.samples_ms(HELD)
    longest = max(samples, default=math.nan)
    if low > limit_ms:  # decided: nothing hangs on an upper bound that is not there
        high = min(high, max(longest, low))
    value = Interval(longest, None)
    if math.isfinite(high):
        surely, _ = added.bounds_ms(HELD, rule.fail_level, limit_ms)
        middle = (low + high) / 2
        value = Interval(
            middle,
            (high - low) / 2,
            fail_half_width=middle - min(low, surely),
            fail_error=rule.fail_error,
        )
    return estimated(
        promise,
        conditions,
        samples,
        value,
        rule.confidence,
        threshold=limit_ms,
        facts=_facts(added, rule, limit_ms),
    )


def _facts(
    added: AddedDelay, rule: Rule, limit_ms: float
) -> dict[str, float | int | str | None]:
    facts: dict[str, float | int | str | None] = {
        "probes": added.count,
        "lost": added.late,
        "probes_without_the_gateway": added.beside.count or None,
    }
    for percent in TOLD:
        name = f"p{percent:g}_ms".replace(".", "_")
        low, high = added.bounds_ms(percent, *_asked(percent, rule, limit_ms))
        facts[f"through_{name}"] = _ms(added.through.percentile(percent))
        facts[f"without_{name}"] = _ms(added.beside.percentile(percent))
        facts[f"added_{name}_at_least"] = _ms(low * 1000)
        facts[f"added_{name}_at_most"] = _ms(high * 1000)
    return facts


def _ms(time_us: float) -> float | None:
    return round(time_us / 1000, 4) if math.isfinite(time_us) else None


def in_words(added: AddedDelay, rule: Rule, limit_ms: float, path: str = WITHOUT) -> str:
    """Percentiles of what the gateway added, and what could not be shown, in sentences.

    Args:
        added: what was seen.
        rule: after which trials were repeated.
        limit_ms: that the delay is held against.
        path: the one beside, as a sentence begins with it.
    """
    parts, short = [], []
    for percent in TOLD:
        error, at_ms = _asked(percent, rule, limit_ms)
        low, high = added.bounds_ms(percent, error, at_ms)
        name = "median" if percent == 50 else f"{percent:g}th percentile"
        if math.isfinite(high):
            between = f"{low:.3f} to {high:.3f}" if low else f"at most {high:.3f}"
            parts.append(f"{name} {between} ms")
        else:
            short.append(
                f"No upper bound of the {name} can be given: {fewest(percent, error):,} "
                "independent probes are needed, and these are worth "
                f"{added.worth(percent, at_ms):,}."
            )
    told = f"Added to {added.count:,} probes: {'; '.join(parts) or 'no figure'}."
    if added.late:
        told += f" {added.late:,} of them never came and count as {LATE_US / 1e6:g} s late."
    return " ".join([told, *short, _without(added, path)]).strip()


def _asked(percent: float, rule: Rule, limit_ms: float) -> tuple[float, float | None]:
    """The error that a percentile is told for, and the limit that it is held against, if it is."""
    return (rule.level, limit_ms) if percent == HELD else (rule.error, None)


def _without(added: AddedDelay, path: str) -> str:
    if not added.compared:
        return ""
    median, most = (added.beside.percentile(percent) / 1000 for percent in (50, HELD))
    return (
        f"{path} had, at the same time, a median of {median:.3f} ms and a 99th percentile of "
        f"{most:.3f} ms above its shortest."
    )


def controls(trial: Callable[[], DelayTrial]) -> list[DelayTrial]:
    """Trials without the gateway until enough of them were undisturbed, or the rig is too busy."""
    made: list[DelayTrial] = []
    while sum(not disturbed(one) for one in made) < FEWEST_CONTROLS and len(made) < ALL_ASIDE:
        made.append(trial())
    return made


class DelayOfTheRig:
    """What the path without the gateway delays by itself under the same load.

    Args:
        control: trials with probes and load on that path (`controls`); None where there is none.
        kind: of the probes.
        path: that one, as a sentence begins with it.
    """

    controls: Sequence[float] | None = None

    def __init__(
        self,
        control: Callable[[], Sequence[DelayTrial]] | None,
        kind: Kind,
        path: str = WITHOUT,
    ) -> None:
        self._control, self._kind, self._path = control, kind, path
        self._own_ms: list[float] = []

    def limits(self, held: Measurement) -> str:
        """Why the rig itself could have caused that the delay misses its limit; else empty."""
        if self._control is None:
            return Rig(None).limits(held)
        trials = self._control()
        counted = [trial for trial in trials if not disturbed(trial)]
        if len(counted) < FEWEST_CONTROLS:
            aside = [(Watched(0.0, one.conduct), disturbed(one)) for one in trials]
            reasons = aside_in_words([one for one in aside if one[1]])
            return (
                f"{self._path} was tried under the same load, and {len(counted)} of {len(trials)} "
                f"trials were undisturbed. {reasons}"
            )
        found = [trial.pairs[self._kind].beside for trial in counted]
        self._own_ms = [_above_shortest_ms(seen) for seen in found if seen]
        if max(self._own_ms, default=math.inf) >= (held.threshold or 0) / 2:
            return (
                f"{self._path}, under the same load, has delays up to {max(self._own_ms):.2f} ms "
                "(99th percentile) itself, more than half of the limit."
            )
        return ""

    def compared(self) -> str:
        """What it showed, as a sentence."""
        if not self._own_ms:
            return ""
        return (
            f"{self._path}, under the same load, had a 99th percentile of "
            f"{max(self._own_ms):.2f} ms."
        )


def _above_shortest_ms(seen: Carried) -> float:
    return (seen.delay.percentile(HELD) - seen.delay.least) / 1000


class AskedRig:
    """What limits the rig, found out only where a figure misses its limit.

    Args:
        ask: why the rig could have caused it; empty where it could not.
    """

    controls: Sequence[float] | None = None

    def __init__(self, ask: Callable[[], str]) -> None:
        self._ask = ask

    def limits(self, held: Measurement) -> str:
        """Why the rig itself could have caused it; else empty."""
        return self._ask()
