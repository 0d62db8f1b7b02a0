"""Throughput of frames: as a measurement, and held against what the tier promises to TCP."""

from __future__ import annotations

from gatepass.base.errors import NotProven
from gatepass.base.phrase import Phrase
from gatepass.results.measurements import observed
from gatepass.results.record import Measurement, figure
from gatepass.scenarios.studies.frames import IPV4, FrameSize
from gatepass.scenarios.studies.throughput import Throughput
from gatepass.verdict.judgement import Rig
from support.check_context import CheckContext
from support.reasons import conclude

FRAME_THROUGHPUT, STATEFUL = "frame_throughput", "stateful_throughput"
LARGEST = FrameSize(IPV4, (1518,))
"""Frames that carry as much as a full TCP segment does, so that the tier's rate can be held
against them."""
_OF_TCP = 1460 / 1518
"""TCP goodput that such frames stand for: less 18 bytes of Ethernet, 40 of IPv4 and TCP."""


def must_carry_the_tier(check: CheckContext, found: Throughput, conditions: Phrase) -> None:
    """Hold the throughput of the largest frames against the rate that the tier promises to TCP.

    So many frames a second carry the tier's goodput in full segments. As TCP makes good for what
    is lost, up to 0.5 % of the frames may be.

    Raises:
        AssertionError: they do not come through, and the rig could have carried them.
        NotProven: the rig cannot carry them, or the search's bounds straddle the rate.
    """
    bounds = found.with_some_loss
    held = measured(found, conditions, check.run.promised(STATEFUL) / _OF_TCP)
    check.measured(held)
    rig = Rig((LARGEST.mbps(found.rig_per_s),))
    short = held.value < held.threshold
    if short and bounds.upper is None:
        raise NotProven(
            f"{held.subject}: no more than {figure(held.value)} of {figure(held.threshold)} "
            f"Mbit/s came through, and the test set-up was the limit: {bounds.by_rig}."
        )
    if short and LARGEST.mbps(bounds.upper) >= held.threshold:
        raise NotProven(
            f"{held.subject}: {figure(held.value)} Mbit/s came through without loss, and "
            f"{figure(LARGEST.mbps(bounds.upper))} Mbit/s or more did not; the promised "
            f"{figure(held.threshold)} Mbit/s lie between the two. Choose a profile with longer "
            "trials."
        )
    conclude(check, held, rig, lambda: _beside_the_gateway(found))


def measured(
    found: Throughput,
    conditions: Phrase,
    threshold: float | None = None,
    promise: str = FRAME_THROUGHPUT,
) -> Measurement:
    """A throughput as a measurement, Mbit/s of frames: without loss, or with 0.5 % to be held."""
    bounds = found.without_loss if threshold is None else found.with_some_loss
    return observed(
        promise,
        conditions,
        round(found.size.mbps(bounds.lower), 3),
        threshold=None if threshold is None else round(threshold, 3),
        layer="frames",
        facts={
            "carried_per_s": round(bounds.lower),
            "lost_at_per_s": None if bounds.upper is None else round(bounds.upper),
            "loss_ratio": bounds.ratio,
            "rig_per_s": round(found.rig_per_s),
        },
    )


def _beside_the_gateway(found: Throughput) -> str:
    rate = found.size.mbps(found.rig_per_s)
    return f"The path without the gateway carried {figure(rate)} Mbit/s of them without loss."
