"""The intervals of an iperf3 report: how many bytes came in each, and in what time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import Any

from gatepass.results.trial import MEGA

_WHOLE = 0.99


@dataclass(frozen=True)
class Interval:
    """What one end told of an interval after the slow start.

    Attributes:
        bytes: that came, or were sent, in it.
        seconds: that they took.
        ended_s: when it ended, from the end of the slow start on.
        retransmits: segments sent again in it; None of a receiver and of UDP.
        whole: whether its bytes took all of the time that iperf3 tells; only then its rate has
            always been a sample, so that figures of before can be made again.
    """

    bytes: int
    seconds: float
    ended_s: float
    retransmits: int | None
    whole: bool

    @property
    def mbps(self) -> float:
        """Its rate, Mbit/s of 10^6 bit/s."""
        return self.bytes * 8 / self.seconds / MEGA

    @property
    def middle_s(self) -> float:
        """The moment in its middle, from the end of the slow start on."""
        return self.ended_s - self.seconds / 2


def nominal_s(report: Mapping[str, Any]) -> float:
    """How long an interval of a report lasts, in the middle; 0 without any."""
    return median([part["sum"]["seconds"] for part in report["intervals"]] or [0])


def counted(report: Mapping[str, Any]) -> list[Interval]:
    """The intervals that count, in order; without stubs, whose rates mean nothing.

    Where the slow start ends, iperf3 3.12 counts bytes anew and begins an interval, but tells as
    its length the time since the one before had ended (`iperf_reset_stats` in its source): up to
    twice what its bytes took. `end` counts from the end of the slow start, so they took no longer.

    Args:
        report: the JSON of one end of a trial.

    Raises:
        KeyError, TypeError: it is not whole.
    """
    sums = [part["sum"] for part in report["intervals"]]
    shortest = nominal_s(report) / 2
    found = []
    for one in sums:
        seconds = min(one["seconds"], one["end"])
        if one.get("omitted") or seconds <= shortest:
            continue
        whole = seconds > one["seconds"] * _WHOLE
        found.append(
            Interval(one["bytes"], seconds, one["end"], one.get("retransmits"), whole)
        )
    return found
