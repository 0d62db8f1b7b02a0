"""Why a promise was missed: what was seen while the trials ran, held against the shortfall.

Each candidate looks for its own traces. One that finds them says so in a sentence with figures,
and how much of the shortfall they explain: 1 for all of it. The verdict never depends on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from gatepass.results.gateway_state import GatewayLoad, Licence, Shaper
from gatepass.results.record import Cause, Measurement, figure
from gatepass.results.trial import Trial
from gatepass.verdict.breaks import MTU, stalled
from gatepass.verdict.endpoint_load import EndpointLoads
from gatepass.verdict.scatter import explained
from gatepass.verdict.tcp_metrics import (
    ETHERNET_MTU,
    full_segment,
    goodput_share,
    transfer_time_ratio,
)
from gatepass.verdict.throughput import buffer_delay_of, efficiency_of

SHAPER, CPU, MEMORY, LICENCE = "shaper", "gateway CPU", "gateway memory", "licence"
SEGMENTS, LOSS = "segment size", "loss"
ENDPOINT_CPU, DRIFT, INSPECTION = "endpoint CPU", "drift of the rig", "inspection"
SCATTER, UNKNOWN = "scatter", "unknown"

_WORTH_A_WORD = 0.3
"""What explains less than this is not named."""
_SUFFICES = 0.8
"""What explains so much leaves no room for a guess."""
_BUSY, _FULL = 80, 90
"""Per cent of the gateway's CPU from where it may slow traffic, and from where it must."""
_MEMORY_SHORT, _CONSERVE = 80, 88
"""Per cent of memory; FortiOS begins to refuse sessions at 88 (conserve mode, its default)."""
_SMALL_SEGMENT = 0.9
"""Of a full segment; tunnels with their own headers stay above."""
_SHAPED_SPREAD = 0.05
"""A limit keeps the rate steadier than anything else does: standard deviation over mean."""
_LOSSY_PERCENT, _SOME_LOSS_PERCENT = 1.0, 0.1
"""Of all TCP segments; what a shaper drops to slow a sender stays below the first."""
_DRIFT = 0.9
_DELAYS = ("added_delay", "queue_delay")
_NEAR = 0.1


@dataclass(frozen=True)
class Observations:
    """What was seen while the trials of one measurement ran; None or empty where nothing was.

    Attributes:
        measurement: with its threshold.
        by_rig: whether the rig itself could not have shown the threshold.
        trials: of iperf3.
        without: rates on the path without the gateway at the same time, Mbit/s.
        before: mean rate of that path before the checks, Mbit/s.
        shaped: whether what was sent is held by any shaper.
        services_off: mean rate through the gateway without inspection, Mbit/s.
        shaper: the tightest one that is in use.
        load: of the gateway meanwhile.
        licence: of the gateway.
    """

    measurement: Measurement
    by_rig: bool = False
    trials: tuple[Trial, ...] = ()
    without: Sequence[float] = ()
    before: float | None = None
    shaped: bool = True
    services_off: float | None = None
    shaper: Shaper | None = None
    load: GatewayLoad | None = None
    licence: Licence | None = None

    @property
    def undecided(self) -> bool:
        """Whether the figure's interval lies on both sides of its threshold."""
        held = self.measurement
        return held.threshold is not None and held.lower < held.threshold <= held.upper

    @property
    def shortfall(self) -> float:
        """By what share of the threshold the figure misses it, at least a hundredth."""
        wanted = self.measurement.threshold or 1
        return max(0.01, abs(wanted - self.measurement.value) / wanted)

    def explained(self, predicted: float) -> float:
        """The share of the shortfall that a rate predicted by a cause explains, 0 to 1."""
        wanted = self.measurement.threshold or 1
        return min(1.0, max(0.0, (wanted - predicted) / wanted / self.shortfall))


def causes(seen: Observations) -> list[Cause]:
    """What may have caused a missed or undecided figure, the best explanation first.

    Returns:
        At least one; where nothing that was seen explains it, one that says so.
    """
    if seen.undecided and (scatter := explained(seen.trials)):
        return [Cause(SCATTER, scatter, 1.0), *_found(_RIG, seen)]
    return _found(_candidates(seen), seen) or [_unknown(seen)]


def _found(
    candidates: Sequence[Callable[[Observations], Cause | None]], seen: Observations
) -> list[Cause]:
    found = [
        cause
        for candidate in candidates
        if (cause := candidate(seen)) and cause.weight >= _WORTH_A_WORD
    ]
    if candidates is not _RIG and not any(cause.weight >= _SUFFICES for cause in found):
        found += [steady] if (steady := _steady(seen)) else []
    return sorted(found, key=lambda cause: -cause.weight)


def _candidates(seen: Observations) -> tuple[Callable[[Observations], Cause | None], ...]:
    if seen.by_rig:
        return _RIG
    of_rig = _RIG if seen.undecided else ()  # a figure that is missed is the gateway's
    if seen.measurement.unit == "%":
        return _datagrams, _cpu, _memory, _licence, *of_rig
    if seen.measurement.promise in _DELAYS:
        return _cpu, _memory, _licence, *of_rig
    if seen.measurement.relation == "at most":
        return (_limit_that_does_not_hold,)
    return _stalled, _shaper, _cpu, _memory, _licence, _segments, _loss, _inspection, *of_rig


def in_sentences(found: Sequence[Cause], seen: Observations) -> str:
    """The causes in a few sentences, with RFC 6349's figures where TCP is concerned."""
    best, *others = found
    words = [best.sentence if best.name in (UNKNOWN, SCATTER) else f"Likely cause: {best.sentence}"]
    if others:
        words.append("Seen as well: " + " ".join(cause.sentence for cause in others))
    if not seen.by_rig and (figures := rfc6349(seen)):
        words.append(figures)
    return " ".join(words)


def rfc6349(seen: Observations) -> str:
    """RFC 6349's three metrics in a sentence; empty where no TCP was sent."""
    threshold, value = seen.measurement.threshold, seen.measurement.value
    efficiency, delay = efficiency_of(seen.trials), buffer_delay_of(seen.trials)
    if efficiency is None or not value or not threshold or seen.measurement.relation == "at most":
        return ""
    ratio = transfer_time_ratio(value, threshold)
    parts = [f"transfer time ratio {ratio:.2f}", f"efficiency {efficiency:.2f} %"]
    if delay is not None:
        parts.append(f"buffer delay {delay:.0f} %")
    return f"RFC 6349: {', '.join(parts)}."


# -- the rig ---------------------------------------------------------------------------------


def _endpoint_cpu(seen: Observations) -> Cause | None:
    ends = EndpointLoads.of(seen.trials)
    if limit := ends.limit():
        return Cause(ENDPOINT_CPU, limit, 1.0)
    for name, end in ends.both():
        if (end.busy_percent or 0) >= _FULL:
            return Cause(
                ENDPOINT_CPU,
                f"the {name}'s processors were {end.busy_percent:.0f} % busy during the trials; "
                f"iperf3 took {end.iperf_percent:.0f} % of one core.",
                0.7,
            )
    return None


def _drift(seen: Observations) -> Cause | None:
    threshold = seen.measurement.threshold
    if not (seen.before and seen.without and threshold):
        return None
    now = fmean(seen.without)
    if now >= seen.before * _DRIFT or now >= threshold:
        return None
    return Cause(
        DRIFT,
        "the test set-up itself became slower: without the gateway it carried "
        f"{figure(seen.before)} Mbit/s before the checks and {figure(now)} now.",
        0.6,
    )


_RIG = (_endpoint_cpu, _drift)

# -- the gateway and the path ----------------------------------------------------------------


def _stalled(seen: Observations) -> Cause | None:
    return stalled(seen.trials)


def _shaper(seen: Observations) -> Cause | None:
    """A limit in the configuration that is lower than the promise needs."""
    limit, threshold = seen.shaper, seen.measurement.threshold or 0
    if limit is None or _goodput(limit) >= threshold:
        return None
    goodput = _goodput(limit)
    near = abs(seen.measurement.value - goodput) <= goodput * _NEAR
    weight = seen.explained(goodput) if near else 0.8 * seen.explained(goodput)
    return Cause(SHAPER, f"{_is_set(limit)}, of which TCP can use {figure(goodput)}.", weight)


def _steady(seen: Observations) -> Cause | None:
    """A limit that lets less through than its configuration says."""
    limit, spread = seen.shaper, _spread(seen)
    held = seen.measurement
    # the plateau itself has to be low: one that merely scatters around the promise is no limit's
    about_a_rate = held.unit != "%" and held.relation == "at least"
    about_a_rate = about_a_rate and held.value < (held.threshold or 0) and not seen.undecided
    if limit is None or spread is None or spread > _SHAPED_SPREAD or not about_a_rate:
        return None
    if _goodput(limit) < (seen.measurement.threshold or 0):
        return None
    return Cause(
        SHAPER,
        f"the rate was constant to within {spread * 100:.1f} %, as under a rate limit; "
        f"{_is_set(limit)}, which is enough for the promise: check whether it lets less through.",
        0.75 if spread < _SHAPED_SPREAD / 2 else 0.5,
    )


def _goodput(limit: Shaper) -> float:
    """What TCP can use of a limit on frames, Mbit/s."""
    return limit.mbps * goodput_share(full_segment(ETHERNET_MTU))


def _is_set(limit: Shaper) -> str:
    return f'the gateway\'s shaper "{limit.name}" is set to {limit.mbps:g} Mbit/s'


def _limit_that_does_not_hold(seen: Observations) -> Cause:
    if seen.shaper is None:
        return Cause(SHAPER, "no shaper is in use on the gateway.", 1.0)
    limit = seen.shaper
    holds = "" if seen.measurement.value <= limit.mbps else ", but more gets through"
    return Cause(SHAPER, f"{_is_set(limit)}{holds}.", 1.0)


def _cpu(seen: Observations) -> Cause | None:
    load = seen.load
    if load is None or load.cpu_percent < _BUSY:
        return None
    return Cause(
        CPU,
        f"the gateway's CPU was at {load.cpu_percent:.0f} % during the trials (mean "
        f"{load.cpu_mean_percent:.0f} % of {load.readings} readings).",
        0.95 if load.cpu_percent >= _FULL else 0.65,
    )


def _memory(seen: Observations) -> Cause | None:
    share = seen.load and seen.load.memory_percent
    if not share or share < _MEMORY_SHORT:
        return None
    return Cause(
        MEMORY,
        f"the gateway's memory was {share:.0f} % used; FortiOS begins to refuse sessions at "
        f"{_CONSERVE} % (conserve mode).",
        0.85 if share >= _CONSERVE else 0.4,
    )


def _licence(seen: Observations) -> Cause | None:
    held = seen.licence
    if held is None:
        return None
    over = [
        f"{used} {what} of {allowed} allowed"
        for what, used, allowed in (
            ("CPUs", held.cpus_used, held.cpus_allowed),
            ("units of memory", held.memory_used, held.memory_allowed),
        )
        if used and allowed and used > allowed
    ]
    if "eval" in held.status.lower():
        limit = f"; it may use {held.cpus_allowed} CPU" if held.cpus_allowed else ""
        return Cause(LICENCE, f"the gateway runs on an evaluation licence{limit}.", 0.9)
    if over:
        return Cause(LICENCE, f"the gateway exceeds its licence: {', '.join(over)}.", 0.8)
    if not held.valid:
        return Cause(LICENCE, f"the gateway's licence is not valid ({held.status}).", 0.5)
    return None


def _segments(seen: Observations) -> Cause | None:
    sizes = [trial.mss for trial in seen.trials if trial.mss]
    if not sizes:
        return None
    mss, full = min(sizes), full_segment(ETHERNET_MTU)
    if mss >= full * _SMALL_SEGMENT:
        return None
    payload, usual = goodput_share(mss), goodput_share(full)
    mtu = min((trial.path_mtu for trial in seen.trials if trial.path_mtu), default=ETHERNET_MTU)
    # a rate limit counts headers; without one each segment costs the gateway about the same
    lost = 1 - payload / usual
    weight = min(0.97, max(0.5, lost / seen.shortfall))
    carries = f"TCP's segments carried {mss} bytes of payload instead of {full}"
    share = f"{(1 - payload) * 100:.0f} % of the line went to headers"
    if full_segment(mtu) <= mss + 12:  # with or without time stamps
        return Cause(MTU, f"the path's MTU is {mtu} bytes: {carries}, and {share}.", weight)
    return Cause(
        SEGMENTS,
        f"{carries}, although the path's MTU is {mtu} bytes (the MSS is clamped on the way); "
        f"{share}.",
        weight,
    )


def _loss(seen: Observations) -> Cause | None:
    efficiency = efficiency_of(seen.trials)
    if efficiency is None:
        return None
    again = 100 - efficiency
    if again < _SOME_LOSS_PERCENT:
        return None
    count = sum(trial.retransmits or 0 for trial in seen.trials)
    return Cause(
        LOSS,
        f"packets got lost on the way through the gateway: TCP sent {count:,} segments again, "
        f"{again:.2f} % of all.",
        0.85 if again >= _LOSSY_PERCENT else 0.35,
    )


def _datagrams(seen: Observations) -> Cause:
    return Cause(
        LOSS,
        f"packets got lost on the way through the gateway: {figure(seen.measurement.value)} % of "
        "the datagrams.",
        0.6,
    )


def _inspection(seen: Observations) -> Cause | None:
    off, threshold = seen.services_off, seen.measurement.threshold
    if not (off and threshold) or off < threshold:
        return None
    return Cause(
        INSPECTION,
        f"inspection itself: with services off the gateway carried {figure(off)} Mbit/s.",
        0.6,
    )


def _unknown(seen: Observations) -> Cause:
    """What was looked at and explains nothing."""
    parts = []
    if seen.by_rig:
        parts += [
            f"the {name}'s processors were {end.busy_percent:.0f} % busy"
            for name, end in EndpointLoads.of(seen.trials).both()
            if end.busy_percent is not None
        ]
    elif seen.load:
        parts.append(f"the gateway's CPU was at {seen.load.cpu_percent:.0f} %")
        if seen.load.memory_percent is not None:
            parts.append(f"its memory at {seen.load.memory_percent:.0f} %")
    if not seen.by_rig and (efficiency := efficiency_of(seen.trials)) is not None:
        parts.append(f"{100 - efficiency:.2f} % of TCP's segments were sent again")
    if not seen.by_rig and seen.shaper and seen.measurement.relation == "at least":
        parts.append(f"{_is_set(seen.shaper)}, enough for the promise")
    looked = f" ({', '.join(parts)})" if parts else ""
    return Cause(UNKNOWN, f"Nothing that was seen explains it{looked}.", 0.0)


# -- figures of the trials -------------------------------------------------------------------


def _spread(seen: Observations) -> float | None:
    """Standard deviation over mean of the trials' rates; None with fewer than two."""
    rates = seen.measurement.trials
    if len(rates) < 2 or not fmean(rates):
        return None
    return pstdev(rates) / fmean(rates)
