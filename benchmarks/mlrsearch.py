"""MLRsearch through the lab's gateway, whose shapers' rates are known, beside a binary search.

- *Held*: in how many searches the bounds hold the shaper's rate. It counts frames without their
  check sequence. Where the rig is the limit there is no upper bound, and the lower one is at most
  that rate.
- *Bounds*: the lower and the upper one, as per cent of that rate.
- *Traffic*: seconds that MLRsearch sent for, without loss and with 0.5 % at once, beside a binary
  search without loss in trials of the same length (RFC 2544, 26.1), as close.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from statistics import fmean

from benchmarks.bench_lab import SHAPER, BenchLab, labs
from benchmarks.table import show, spread
from gatepass.endpoint.rig_watch import RigWatch
from gatepass.scenarios.studies.frames import IMIX, IPV4, FrameSize, Way, Ways, sizes
from gatepass.scenarios.studies.search import Bounds, Effort, Found, search
from gatepass.scenarios.studies.throughput import offered_rate, rig_rate
from gatepass.scenarios.studies.trials import Send, between, tried

SHAPERS_MBPS = (50, 100, 300)
SIZES = (*sizes(IPV4, (64, 512, 1518)), IMIX)
_EFFORT = Effort(0.02, first_s=0.5, final_s=2.0, sum_s=2.0, exceed=0.0, limit_s=300.0)
_RIG_S, _PORT = 1.0, 39_500
_CHECK_SEQUENCE = 4
"""Bytes of a frame that the lab's shapers do not count."""
_LEAST = 1e-3

HEAD = (
    *("shaper, Mbit/s", "frame, bytes", "frames/s", "searches", "held"),
    *("lower, %", "upper, %", "trials", "traffic, s", "binary search, s"),
)
Row = tuple[object, ...]


def main(args: Namespace) -> None:
    """All shapers with all frame sizes."""
    with labs() as (lab,):
        show(HEAD, list(rows(lab, args.times or 2)))


def rows(
    lab: BenchLab,
    times: int,
    shapers: tuple[int, ...] = SHAPERS_MBPS,
    frames: tuple[FrameSize, ...] = SIZES,
) -> Iterator[Row]:
    """A row for each shaper and frame size.

    Args:
        lab: is up.
        times: searches of each.
        shapers: their rates, Mbit/s.
        frames: sizes.
    """
    with lab.inside(), lab.endpoints() as (client, server):
        gateway, watch = lab.gateway(), RigWatch(lab.folder)
        lab.rules(gateway).set(1, nat=False)
        send = between(client, server, watch, lambda told: None)
        far = lab.testbed.endpoints.server
        ways = Ways(Way(far.address, _PORT), Way(far.direct_address, _PORT))
        (name,) = (row["name"] for row in gateway.rows(SHAPER) if row["name"].startswith("sgw-"))
        for mbps in shapers:
            gateway.change(SHAPER, name, {"maximum-bandwidth": mbps * 1000})
            for size in frames:
                yield _row(send, ways, size, mbps, times)
        watch.end()
        gateway.close()


def _row(send: Send, ways: Ways, size: FrameSize, mbps: int, times: int) -> Row:
    true = mbps * 1e6 / 8 / (fmean(size.sizes) - _CHECK_SEQUENCE)
    found, seconds = [], []
    for _ in range(times):
        rig = rig_rate(send, ways.beside, size, _RIG_S)
        most = offered_rate(send, ways.through, size, rig, _RIG_S)
        found.append(_searched(send, ways.through, size, most))
        seconds.append(_binary(send, ways.through, size, most))
    bounds = [one.bounds[0.0] for one in found]
    upper = [100 * one.upper / true for one in bounds if one.upper is not None]
    return (
        mbps,
        size.label,
        f"{true:,.0f}",
        times,
        sum(_holds(one, true) for one in bounds),
        spread([100 * one.lower / true for one in bounds], 1),
        spread(upper, 1) if upper else "the rig's limit",
        spread([float(len(one.attempts)) for one in found], 0),
        spread([one.traffic_s for one in found], 1),
        spread(seconds, 1),
    )


def _searched(send: Send, way: Way, size: FrameSize, rig: float) -> Found:
    def trial(per_s: float, seconds: float) -> tuple:
        seen, why = tried(send, way.stream(size, per_s, seconds))
        return seen.one, why

    return search(trial, rig * _LEAST, rig, _EFFORT)


def _binary(send: Send, way: Way, size: FrameSize, rig: float) -> float:
    """Seconds of traffic until the highest rate without loss is known as closely."""
    low, high, seconds = 0.0, rig, 0.0
    rate = high
    while high - low > _EFFORT.width * high:
        seen, why = tried(send, way.stream(size, rate, _EFFORT.final_s))
        seconds += _EFFORT.final_s
        if why or seen.one.lost:
            high = rate
        elif rate == rig:
            break
        else:
            low = rate
        rate = (low + high) / 2
    return seconds


def _holds(bounds: Bounds, true: float) -> bool:
    return bounds.lower <= true and (bounds.upper is None or true <= bounds.upper)
