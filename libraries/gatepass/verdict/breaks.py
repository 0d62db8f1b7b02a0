"""Why transfers break off on their way through the gateway: what is worth a look first."""

from __future__ import annotations

from collections.abc import Sequence

from gatepass.results.broken import (
    CLOSED,
    CONTROL_LOST,
    FIRST_LOST,
    INCOMPLETE,
    RESET,
    STOPPED,
    TOO_LARGE,
    Broken,
)
from gatepass.results.gateway_state import Sessions
from gatepass.results.record import Cause
from gatepass.results.trial import Trial

MTU, ENDED = "path MTU", "sessions ended"
FIRST, TABLE, OPENING = "first packet", "session limit", "opening"
_FULL = 0.95
"""Of the sessions that there may be."""
_SILENT_S = 0.5
"""At the end of each trial; TCP that is slow is never silent for so long."""


def begins_late(seen: str) -> Cause:
    """Why a connection begins late.

    Args:
        seen: what became of it, in words.
    """
    return Cause(FIRST, f"the first packet of each connection gets lost: one was {seen}.", 0.9)


def cause_of_break(broken: Broken, sessions: Sessions | None) -> Cause:
    """What fits best.

    Args:
        broken: how a transfer broke off.
        sessions: of the gateway right after; None where it does not tell.
    """
    if broken.how == TOO_LARGE:
        return Cause(
            MTU,
            f"the gateway takes no packets of {broken.packet:,} bytes: its path has a smaller MTU.",
            0.9,
        )
    if broken.early:
        return _of_the_begin(broken, sessions)
    said = {
        RESET: "the gateway resets sessions that are in use.",
        CLOSED: "the gateway closes sessions that are in use.",
        STOPPED: "the gateway forgets sessions that are in use, or drops what belongs to them.",
        CONTROL_LOST: "the gateway forgets sessions that are idle for a few seconds.",
        INCOMPLETE: "the gateway ends sessions that are in use.",
    }
    return Cause(ENDED, said[broken.how], 0.7)


def _of_the_begin(broken: Broken, sessions: Sessions | None) -> Cause:
    if sessions and sessions.limit and sessions.current >= _FULL * sessions.limit:
        return Cause(
            TABLE,
            f"the gateway had {sessions.current:,} of the {sessions.limit:,} sessions that it may "
            "have.",
            0.95,
        )
    if broken.how == FIRST_LOST:
        return Cause(FIRST, "the gateway loses the packet that a session begins with.", 0.7)
    if 0 < broken.opened < broken.wanted:
        there = f"; it tells of {sessions.current:,} in all" if sessions else ""
        return Cause(
            TABLE,
            f"the gateway let {broken.opened:,} of {broken.wanted:,} connections begin, as with a "
            f"limit of sessions{there}.",
            0.8,
        )
    return Cause(OPENING, "the gateway lets no session of this kind begin.", 0.5)


def stalled(trials: Sequence[Trial]) -> Cause | None:
    """Why connections that opened carried nothing, or nothing any more; None where they did.

    Args:
        trials: behind a rate that was missed.
    """
    tcp = [trial for trial in trials if trial.mss]
    if not tcp:
        return None
    if not any(trial.all_bytes for trial in tcp):
        return Cause(
            MTU,
            "connections opened and none of their content arrived: packets of full size get lost, "
            "as where the path takes smaller ones and nobody says so.",
            0.95,
        )
    silent_s = min(_silence(trial.intervals) * trial.interval_s for trial in tcp)
    if silent_s < _SILENT_S:
        return None
    carried_s = min(trial.seconds for trial in tcp) - silent_s
    return Cause(
        ENDED,
        f"nothing came any more once a transfer had gone on for about {carried_s:.1f} s: sessions "
        "that are in use are forgotten.",
        0.95,
    )


def _silence(intervals: Sequence[float]) -> int:
    """How many intervals at the end carried nothing."""
    return next((at for at, rate in enumerate(reversed(intervals)) if rate), len(intervals))
