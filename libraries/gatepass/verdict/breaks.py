"""Why transfers break off on their way through the gateway: what is worth a look first."""

from __future__ import annotations

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
from gatepass.verdict.causes import MTU

ENDED, FIRST, TABLE, OPENING = "sessions ended", "first packet", "session limit", "opening"
_FULL = 0.95
"""Of the sessions that there may be."""


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
