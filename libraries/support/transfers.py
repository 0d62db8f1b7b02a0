"""Transfers that break off: the gateway's doing where the path without it shows none of that.

One way for whatever is sent: a transfer that breaks off is tried on the path without the gateway
right after, and then through the gateway again. It fails the check once it has broken off
`FEWEST` times with each control whole, so that no single accident rejects a gateway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TypeVar

from robot.api import logger
from robot.errors import RobotError

from gatepass.base.errors import NotProven
from gatepass.base.phrase import say
from gatepass.gateway.session_limit import sessions_of
from gatepass.results.broken import FIRST_LOST, REFUSED, TOO_LARGE, UNANSWERED, Broken
from gatepass.verdict.breaks import cause_of_break
from gatepass.verdict.judgement import joined
from support.check_context import CheckContext

FEWEST = 2
"""Breaks through the gateway that a fail stands on."""
MORE = 3
"""How often a transfer that broke off once is tried in vain for another break."""
MOST_DISTURBED = 8
"""Breaks that the rig could have caused, after which it is given up."""

KEPT, BEGUN, FIRST_PACKET, FIT = "transfer_kept", "transfer_begun", "first_packet", "packets_fit"
CLAIMS = {REFUSED: BEGUN, UNANSWERED: BEGUN, FIRST_LOST: FIRST_PACKET, TOO_LARGE: FIT}
"""What does not hold where a transfer breaks off like this; else it was not kept."""
WITHOUT, WITHOUT_TUNNEL = "without the gateway", "without a tunnel"
"""Paths that a transfer is held against."""

Made = TypeVar("Made")
Control = Callable[[Broken], object]
"""Runs the same transfer on the path without the gateway."""


def whole(
    check: CheckContext,
    through: Callable[[], Made],
    control: Control | None,
    decided: Callable[[], str] = lambda: "",
    without: str = WITHOUT,
    in_between: Callable[[Broken], None] = lambda broken: None,
) -> Made:
    """A transfer through the gateway that ran to its end.

    Args:
        check: whose transfer it is.
        through: runs it; raises `Broken` where it breaks off.
        control: the same on the path without the gateway; None where there is no such path.
        decided: what the gateway says of such a connection, in a sentence; asked for where none
            begins.
        without: what the control's path leaves out, in words.
        in_between: raises `NotProven` where a transfer that did not begin was lost at an endpoint.

    Raises:
        AssertionError: it breaks off, and on the path without the gateway it does not.
        NotProven: it breaks off there as well, or there is no such path; the rig could have caused
            it; it broke off once and not again; or an endpoint lost what came through the gateway.
    """
    breaks: list[Broken] = []
    disturbed: list[Broken] = []
    tried = 0
    while tried < FEWEST + MORE - 1 and len(disturbed) < MOST_DISTURBED:
        try:
            made = through()
        except Broken as broken:
            if broken.disturbed:
                disturbed.append(broken)
                continue
            must_be_whole_without(broken, control, without)
            tried += 1
            breaks.append(broken)
            if len(breaks) == FEWEST:
                if broken.early:
                    in_between(broken)
                happened = (
                    f"Through the gateway {broken}, {FEWEST} of {tried} times; {without} the same "
                    "transfer ran to its end each time."
                )
                observed = joined(happened, *_why(check, broken, decided))
                check.evidence(say(CLAIMS.get(broken.how, KEPT)), observed, False)
        else:
            tried += 1
            # a datagram may get lost: how many of them are allowed to is another figure
            if all(one.how == FIRST_LOST for one in breaks):
                return made
    if again := tried - len(breaks):
        raise NotProven(
            f"{breaks[0]}; {without} the same transfer ran to its end, and then through the "
            f"gateway as well, {again} times. Run again."
        )
    raise NotProven(
        f"{disturbed[0]}, and the rig could have caused it: {disturbed[0].disturbed}. Run again "
        "when it is quiet."
    )


def alone(run: Callable[[], Made], without: str = WITHOUT) -> Made:
    """A transfer on a path on which nothing is judged.

    Args:
        run: see `whole`.
        without: what the path leaves out, in words.

    Raises:
        NotProven: it breaks off.
    """
    try:
        return run()
    except Broken as broken:
        raise NotProven(f"{without} {broken}.") from broken


def must_be_whole_without(
    broken: Broken, control: Control | None, without: str = WITHOUT
) -> None:
    """What broke off through the gateway runs to its end on the path without it.

    Args:
        broken: how it broke off.
        control: see `Control`; None where there is no such path.
        without: what its path leaves out, in words.

    Raises:
        NotProven: it breaks off there as well, or there is no such path.
    """
    if control is None:
        raise NotProven(
            f"{broken}, and without a direct_address it cannot be determined whether the gateway "
            "is the cause."
        ) from broken
    try:
        control(broken)
    except Broken as there:
        raise NotProven(f"{broken}; {without} {there} as well.") from there


def _why(check: CheckContext, broken: Broken, decided: Callable[[], str]) -> Iterator[str]:
    """The likely cause, and what the gateway says of a connection that does not begin.

    A help to the reader and no part of the verdict, so that it never raises.
    """
    for tell in (lambda: _likely(check, broken), decided if broken.early else lambda: ""):
        try:
            yield tell()
        except RobotError:
            raise  # the run is being stopped
        except Exception as error:
            logger.debug(f"No cause could be looked for: {type(error).__name__}: {error}")


def _likely(check: CheckContext, broken: Broken) -> str:
    """The likely cause, recorded."""
    cause = cause_of_break(broken, sessions_of(check.run.gateway))
    check.note("cause", replace(cause, conditions=check.conditions))
    return f"Likely cause: {cause.sentence}"
