"""What is measured of a class of service, each way: figures of frames that were counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from math import isfinite
from operator import sub
from statistics import fmean, median

from gatepass.base.phrase import Phrase, say
from gatepass.inputs.objectives import ServiceClass
from gatepass.results.agreement import Agreement
from gatepass.results.datagrams import TICK_S, Carried
from gatepass.results.measurements import estimated, observed
from gatepass.results.record import Measurement
from gatepass.scenarios.objectives.sent import Sent
from gatepass.scenarios.objectives.streams import (
    BEYOND,
    COMMITTED_STEPS,
    EXCESS,
    probe_name,
    step_name,
)
from gatepass.stats.intervals import Interval, burst_worth, per_cent

LAYER = "Ethernet frames"
CARRIED_SHARE = 0.99
"""Of a step's frames that have to arrive. It lasts too short to tell the loss that is allowed; that
is held against what all classes at once lose."""
EXCESS_SHARE = 0.9
"""Of the excess rate that has to be carried while there is room for all of it. ITU-T Y.1564 asks
for none of it; an order that names one is not met by none."""
SETTLED_S = 0.005
"""For so long frames may be held up without a queue that fills: a step of 0.4 s tells a rate to
within 2 % so, one of 10 s to within 1 %."""
CLOCKS_UNKNOWN = "unknown"
"""By how much clocks differ that were set, or went unevenly, while frames were sent."""
DISORDER_PERCENT = 0.1
"""That may come twice or late where the order names no loss: as the profile allows to be lost."""
SEVERE_SHARE = 0.5
"""A second in which more is lost is severely impaired (ITU-T Y.1563)."""
UNAVAILABLE_S = 10
"""So many of them in a row are unavailable time (ITU-T Y.1563), from the first of them on."""
_TICKS = round(1 / TICK_S)
_BURST_TICKS, _FEWEST_STEADY = 2, 50
_MS = 1000


@dataclass(frozen=True)
class Shown:
    """What is looked at: a class, one way.

    Attributes:
        one: the class.
        way: of `streams.WAYS`.
        confidence: of bounds, two-sided.
        beside: whether the last class was sent far beyond its rate meanwhile.
        fail_error: one-sided, of the bound that a fail takes; that of the other one where it is
            not given.
    """

    one: ServiceClass
    way: str
    confidence: float
    beside: bool = False
    fail_error: float | None = None

    @property
    def errors(self) -> tuple[float, float]:
        """One-sided, of the bounds that a pass and a fail take."""
        error = (1 - self.confidence) / 2
        return error, error if self.fail_error is None else self.fail_error

    @property
    def conditions(self) -> Phrase:
        """As every figure of it is told."""
        name = "class_beside_overload" if self.beside else "class_way"
        return say(name, label=self.one.name, way=say(self.way))

    def of(self, sent: Sent, step: str = "") -> Carried:
        """What became of its stream."""
        return sent.ways[self.way][step_name(self.one, step) if step else self.one.name]


Figure = Callable[[Shown, Sent], Measurement]


def committed(shown: Shown, sent: Sent) -> Measurement:
    """The committed rate as the worst of its steps carried it, Mbit/s."""
    parts = {step: _carried_share(shown.of(sent, str(step))) for step in COMMITTED_STEPS}
    cir = shown.one.cir_mbps
    told = {f"at_{step}_percent": _figure(part * cir * step / 100) for step, part in parts.items()}
    return observed(
        "class_committed",
        shown.conditions,
        _figure(cir * min(parts.values())),
        threshold=_figure(cir * CARRIED_SHARE),
        layer=LAYER,
        facts=told,
    )


def excess(shown: Shown, sent: Sent) -> Measurement:
    """What was carried of both rates together, Mbit/s."""
    one = shown.one
    both = one.cir_mbps + one.eir_mbps
    return observed(
        "class_excess",
        shown.conditions,
        _figure(both * _carried_share(shown.of(sent, EXCESS))),
        threshold=_figure(one.cir_mbps + EXCESS_SHARE * one.eir_mbps),
        layer=LAYER,
    )


def policed(shown: Shown, sent: Sent) -> Measurement:
    """What was carried of more than was agreed, Mbit/s, by what arrived in tenths of a second.

    Without the first two, in which a policer spends the burst that it allows. See `_steady_per_s`.
    """
    seen = shown.of(sent, BEYOND)
    mbit = fmean(seen.stream.frames) * 8 / 1e6
    return observed(
        "class_policed",
        shown.conditions,
        _figure(_steady_per_s(seen) * mbit),
        threshold=_figure(shown.one.most_mbps),
        layer=LAYER,
        facts={"asked_mbps": _figure(seen.stream.per_s * mbit)},
    )


def loss(shown: Shown, sent: Sent) -> Measurement:
    """Frames lost, per cent, with what so many frames can tell.

    Losses come in bursts. So the frames count for as many independent ones as the scatter of tenths
    of a second, and how far neighbouring tenths hang together, make them.
    """
    seen = shown.of(sent)
    tenths = [(went - came, went) for went, came in seen.ticks if went]
    part = burst_worth([lost for lost, _ in tenths], [went for _, went in tenths])
    percent = 100 * seen.loss_ratio
    value = Interval(percent, None)
    if seen.sent:
        value = per_cent(seen.lost, seen.sent, *shown.errors, part)
    return estimated(
        "class_loss",
        shown.conditions,
        [percent],
        value,
        shown.confidence,
        layer=LAYER,
        threshold=shown.one.loss_percent,
        facts={"frames": seen.sent, "lost": seen.lost},
    )


def delay(shown: Shown, sent: Sent) -> Measurement:
    """The delay that so many per cent of the frames do not pass, ms.

    One way, corrected by what the clocks differ; there and back where they do not agree.
    """
    one = shown.one
    point = one.delay_percentile
    return _delay(shown, sent, "class_delay", one.delay_ms, lambda of: of.percentile(point), point)


def mean_delay(shown: Shown, sent: Sent) -> Measurement:
    """The mean of the delay, ms."""
    limit_ms = shown.one.mean_delay_ms
    return _delay(shown, sent, "class_mean_delay", limit_ms, lambda of: of.mean)


def _delay(
    shown: Shown,
    sent: Sent,
    promise: str,
    limit_ms: float | None,
    of: Callable,
    percentile: float | None = None,
) -> Measurement:
    seen, clocks = shown.of(sent), sent.clocks_of(shown.way)
    probe = sent.ways[shown.way].get(probe_name(shown.one))
    both_ways = probe is not None
    spread = probe.round_trip if both_ways else seen.delay
    ahead_us = 0.0 if both_ways else clocks.offset_us
    value = of(spread) - ahead_us
    return observed(
        promise,
        shown.conditions,
        round(value / _MS, 4) if isfinite(value) else value,
        threshold=limit_ms,
        layer=LAYER,
        facts={
            "percentile": percentile,
            "frames": spread.count,
            "there_and_back": "yes" if both_ways else None,
            "clock_error_ms": None if both_ways else _clock_error(clocks),
            **{
                f"p{point:g}_ms": round((spread.percentile(point) - ahead_us) / _MS, 4)
                for point in (50, 99, 99.9, 100)
                if spread.count
            },
        },
    )


def _clock_error(clocks: Agreement) -> float | str:
    return round(clocks.error_us / _MS, 4) if isfinite(clocks.error_us) else CLOCKS_UNKNOWN


def variation(shown: Shown, sent: Sent) -> Measurement:
    """The variation between neighbouring frames that so many per cent of them do not pass, ms."""
    seen, one = shown.of(sent), shown.one
    value = seen.variation.percentile(one.variation_percentile)
    return observed(
        "class_variation",
        shown.conditions,
        round(value / _MS, 4) if isfinite(value) else value,
        threshold=one.variation_ms,
        layer=LAYER,
        facts={"percentile": one.variation_percentile, "frames": seen.variation.count},
    )


def disorder(shown: Shown, sent: Sent) -> Measurement:
    """Frames that came again or after a later one, per cent; held against what may be lost.

    MEF and ITU-T leave an objective to the provider: to what waits for it, a frame in the wrong
    place is one that is missing.
    """
    seen = shown.of(sent)
    wrong = seen.doubled + seen.overtaken
    count = max(1, seen.received + seen.doubled)
    value = per_cent(min(wrong, count), count, *shown.errors)
    return estimated(
        "class_disorder",
        shown.conditions,
        [value.mean],
        value if seen.received else Interval(value.mean, None),
        shown.confidence,
        layer=LAYER,
        threshold=shown.one.loss_percent or DISORDER_PERCENT,
        facts={"frames": count, "doubled": seen.doubled, "overtaken": seen.overtaken},
    )


def impaired(shown: Shown, sent: Sent) -> Measurement:
    """Seconds in which more than half of the frames were lost."""
    seconds = _seconds(shown.of(sent))
    return observed(
        "class_impaired",
        shown.conditions,
        sum(severe for severe in _severe(seconds)),
        threshold=0,
        layer=LAYER,
        facts={"seconds": len(seconds)},
    )


def availability(shown: Shown, sent: Sent) -> Measurement:
    """The share of seconds in which the class was available, per cent, with its binomial bound."""
    severe = _severe(_seconds(shown.of(sent)))
    runs = [(bad, len(list(group))) for bad, group in groupby(severe)]
    gone = sum(length for bad, length in runs if bad and length >= UNAVAILABLE_S)
    total = max(1, len(severe))
    percent = 100 * (total - gone) / total
    missing = per_cent(gone, total, *shown.errors)  # what is there is what is not missing
    value = replace(missing, mean=percent)
    return estimated(
        "class_availability",
        shown.conditions,
        [percent],
        value if severe else Interval(percent, None),
        shown.confidence,
        layer=LAYER,
        threshold=shown.one.availability_percent,
        facts={"seconds": total, "unavailable_s": gone, "impaired_s": sum(severe)},
    )


def _severe(seconds: Iterable[tuple[int, int]]) -> list[bool]:
    return [came < (1 - SEVERE_SHARE) * went for went, came in seconds if went]


def _seconds(seen: Carried) -> list[tuple[int, int]]:
    """How many frames were sent in each whole second, and how many of them arrived."""
    ticks = [seen.ticks[at : at + _TICKS] for at in range(0, len(seen.ticks), _TICKS)]
    whole = [group for group in ticks if len(group) == _TICKS] or ticks
    return [(sum(went for went, _ in group), sum(came for _, came in group)) for group in whole]


def _steady_per_s(seen: Carried) -> float:
    """Frames a second that arrived once a burst is over; of too few to tell, of all of them.

    The median over every half of that time. The rig or the gateway's own machine may hold frames up
    for a moment, which then come all at once: the halves that hold both moments do not see it, and
    of the few that hold only one of them the median takes no notice.
    """
    whole = seen.arrivals[_BURST_TICKS:-1]
    if sum(whole) < _FEWEST_STEADY:
        return seen.received_per_s
    half = max(1, len(whole) // 2)
    came = [0, *accumulate(whole)]
    return median(map(sub, came[half:], came)) / half / TICK_S


def _carried_share(seen: Carried) -> float:
    """How much of the offered rate was carried: what a queue only takes in is not.

    A queue that fills evenly makes the frames later and later; the median is half of what it takes
    to empty at the end. It is asked for the median, as single late frames say nothing of a queue.
    """
    if not (seen.sent and seen.received and seen.sending_s):
        return 0.0
    later_s = 2 * (seen.delay.percentile(50) - seen.delay.least) / 1e6
    filled_s = max(0.0, later_s - SETTLED_S)
    return (1 - seen.loss_ratio) * seen.sending_s / (seen.sending_s + filled_s)


def _figure(value: float) -> float:
    return float(f"{value:.5g}")
