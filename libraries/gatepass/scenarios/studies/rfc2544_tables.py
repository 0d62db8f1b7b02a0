"""The tables of the study RFC 2544: in the RFC's layout, published figures beside the measured."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from gatepass.results.study import Cell, Column, Drawn, StudyTable
from gatepass.scenarios.studies.back_to_back import Bursts
from gatepass.scenarios.studies.frames import FrameSize
from gatepass.scenarios.studies.latency import Latency
from gatepass.scenarios.studies.loss_curve import Point
from gatepass.scenarios.studies.published import Beside
from gatepass.scenarios.studies.recovery import Recovery
from gatepass.scenarios.studies.rfc2544 import NAME
from gatepass.scenarios.studies.throughput import Throughput

_table = partial(StudyTable.of, NAME)
"""A table of this study; see `StudyTable`."""

_LINE_MBPS = 1000
"""Of the Ethernet whose theoretical frame rates stand beside the measured ones."""
_SIZE = (Column("family", "IP"), Column("frame", "Frame, bytes"))
_SHAPED = (
    "What waits in a queue at the end of a trial was neither lost nor carried at the trial's rate: "
    "it counts as it comes out. The burst that a shaper lets pass after a pause lifts short trials "
    "by its share of them."
)


def throughput_table(found: Sequence[Throughput], published: Beside) -> StudyTable:
    """RFC 2544, 26.1: beside the theoretical rate of the medium.

    Args:
        found: by frame size.
        published: what others measured, Mbit/s of frames.
    """
    return _table(
        "throughput",
        "Throughput",
        "The highest rate at which no frame is lost, by frame size. A search tells a rate that "
        "came through and one that is too high; the truth lies between them.",
        "RFC 2544, 26.1; theoretical rates: RFC 5180, appendix A.1",
        (
            *_SIZE,
            Column("line", "Line of 1 Gbit/s", "frames/s", 0, "published"),
            Column("published", published.names, "Mbit/s", 0, "published"),
            Column("per_s", "Carried", "frames/s", 0, "measured"),
            Column("upper", "At most", "frames/s", 0, "measured"),
            Column("mbps", "Carried, frames", "Mbit/s", 1, "measured"),
            Column("line_mbps", "Carried, on the line", "Mbit/s", 1, "measured"),
            Column("some", "With 0.5 % lost", "frames/s", 0, "measured"),
            Column("rig", "Carried", "frames/s", 0, "rig"),
            Column("share", "Share of the rig's", "%", 0, "rig"),
            Column("told", "What is known"),
        ),
        [_throughput(one, published) for one in found],
        (
            Drawn("bars", "Throughput, frames a second", "frame", "per_s", "family"),
            Drawn("bars", "Throughput, Mbit/s of frames", "frame", "mbps", "family"),
        ),
        (
            "Mbit/s of frames count header and check sequence; on the line come 20 bytes of "
            "preamble and gap to each frame.",
            _SHAPED,
            *published.devices,
            *(
                f"{one.size}: the search ended with its time, so its bounds lie further apart."
                for one in found
                if not one.found.whole
            ),
        ),
    )


def _throughput(one: Throughput, published: Beside) -> dict[str, Cell]:
    size, bounds = one.size, one.without_loss
    return {
        **_of(size),
        "line": int(size.line_per_s(_LINE_MBPS)),
        "published": published.figures.get(size),
        "per_s": round(bounds.lower),
        "upper": None if bounds.upper is None else round(bounds.upper),
        "mbps": round(size.mbps(bounds.lower), 2),
        "line_mbps": round(size.line_mbps(bounds.lower), 2),
        "some": round(one.with_some_loss.lower),
        "rig": round(one.rig_per_s),
        "share": round(100 * bounds.lower / one.rig_per_s, 1),
        "told": one.told,
    }


def latency_table(found: Sequence[Latency], repeats: int, published: Beside) -> StudyTable:
    """RFC 2544, 26.2.

    Args:
        found: by frame size.
        repeats: trials of each.
        published: what others measured, microseconds.
    """
    return _table(
        "latency",
        "Latency",
        f"At the throughput's rate, one way, mean of {repeats} trials.",
        "RFC 2544, 26.2",
        (
            *_SIZE,
            Column("published", published.names, "us", 0, "published"),
            Column("per_s", "Sent", "frames/s", 0, "measured"),
            Column("mean", "Mean", "us", 0, "measured"),
            Column("half_width", "±, 95 %", "us", 0, "measured"),
            Column("p50", "Half are below", "us", 0, "measured"),
            Column("p99", "99 % are below", "us", 0, "measured"),
            Column("longest", "Longest", "us", 0, "measured"),
            Column("lost", "Lost", "%", 3, "measured"),
            Column("rig", "Rig alone, mean", "us", 0, "rig"),
            Column("error", "Clocks, ±", "us", 0, "rig"),
        ),
        [
            {
                **_of(one.size),
                "per_s": round(one.per_s),
                "published": published.figures.get(one.size),
                "mean": _finite(one.through.mean.mean),
                "half_width": _finite(one.through.mean.half_width),
                "p50": _finite(one.through.p50),
                "p99": _finite(one.through.p99),
                "longest": _finite(one.through.longest),
                "lost": round(100 * one.through.lost, 4),
                "rig": _finite(one.beside.mean.mean),
                "error": one.error_us,
            }
            for one in found
        ],
        (Drawn("bars", "Mean latency at the throughput, microseconds", "frame", "mean", "family"),),
        (
            "The RFC times one tagged frame a trial. Here every frame of a trial is timed.",
            "At the throughput a queue is about to fill: what waits there is part of the latency.",
            *published.devices,
        ),
    )


def loss_table(curves: Sequence[Sequence[Point]]) -> StudyTable:
    """RFC 2544, 26.3."""
    points = [point for curve in curves for point in curve]
    return _table(
        "loss",
        "Frame loss rate",
        "Over the offered load, downwards until two trials lose nothing.",
        "RFC 2544, 26.3",
        (
            *_SIZE,
            Column("percent", "Of what it can offer", "%", 0, "rig"),
            Column("per_s", "Offered", "frames/s", 0, "measured"),
            Column("mbps", "Offered, frames", "Mbit/s", 1, "measured"),
            Column("loss", "Lost", "%", 2, "measured"),
            Column("told", "What is known"),
        ),
        [
            {
                **_of(point.size),
                "percent": point.percent,
                "per_s": round(point.per_s),
                "mbps": round(point.size.mbps(point.per_s), 2),
                "loss": None if point.loss_percent is None else round(point.loss_percent, 4),
                "told": f"not told: {point.by_rig}" if point.by_rig else "",
                "size": str(point.size),
            }
            for point in points
        ],
        (Drawn("lines", "Loss over the offered load, %", "mbps", "loss", "size"),),
        (
            "The RFC begins at the medium's rate; here it is what the rig can offer the gateway.",
            "What waits in a queue at the end of a trial is not lost: short trials lose less.",
        ),
    )


def burst_table(found: Sequence[Bursts]) -> StudyTable:
    """RFC 2544, 26.4."""
    return _table(
        "back_to_back",
        "Back-to-back frames",
        "The longest burst that loses nothing.",
        "RFC 2544, 26.4",
        (
            *_SIZE,
            Column("per_s", "Rate within", "frames/s", 0, "rig"),
            Column("frames", "Longest burst", "frames", 0, "measured"),
            Column("ms", "It lasts", "ms", 1, "measured"),
            Column("repeats", "Repeats", "bursts", 0, "measured"),
            Column("told", "What is known"),
        ),
        [
            {
                **_of(one.size),
                "per_s": round(one.per_s),
                "frames": round(one.frames),
                "ms": round(one.seconds * 1000, 2),
                "repeats": one.repeats,
                "told": "at least: no longer one was tried" if one.whole else "",
            }
            for one in found
        ],
        (),
        (
            "The RFC sends them with the smallest gap of the medium; here they go as fast as the "
            "rig can offer them to the gateway.",
        ),
    )


def recovery_table(found: Sequence[Recovery]) -> StudyTable:
    """RFC 2544, 26.5."""
    return _table(
        "recovery",
        "Recovery from overload",
        "For how long frames are lost after an overload of 110 % of the throughput has "
        "sunk to half of it.",
        "RFC 2544, 26.5",
        (
            *_SIZE,
            Column("per_s", "Throughput", "frames/s", 0, "measured"),
            Column("lost", "Lost in all", "frames", 0, "measured"),
            Column("seconds", "Recovered after", "s", 1, "measured"),
            Column("told", "What is known"),
        ),
        [
            {
                **_of(one.size),
                "per_s": round(one.per_s),
                "lost": one.lost,
                "seconds": one.seconds,
                "told": one.why if one.why else "to within 0.1 s",
            }
            for one in found
        ],
    )



def _of(size: FrameSize) -> dict[str, Cell]:
    return {"family": size.family, "frame": size.label}


def _finite(figure: float | None) -> Cell:
    return None if figure is None or figure != figure else round(figure, 1)
