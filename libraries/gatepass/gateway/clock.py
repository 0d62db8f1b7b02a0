"""The gateway's clock, as its API tells it."""

from __future__ import annotations

from pydantic import BaseModel, Field

from gatepass.base.errors import NotProven
from gatepass.base.finding import Finding
from gatepass.gateway.answers import Unanswered, validated
from gatepass.gateway.fortigate import FortiGate, Refused

_SAME_CLOCK_S = 60


class Clock(BaseModel):
    """What it shows.

    Attributes:
        time: seconds since the epoch.
    """

    time: float = Field(ge=0, allow_inf_nan=False)


class TimeAnswer(BaseModel):
    """The answer of ``monitor/system/time``."""

    results: Clock


def look(gateway: FortiGate) -> Finding:
    """Whether it agrees with this machine's, so that the gateway's log can be read.

    Raises:
        NotProven: the gateway does not tell its time.
    """
    try:
        answer = gateway.monitor("system/time")
    except Unanswered as unanswered:
        raise NotProven(f"the gateway's time is not known: {unanswered}") from None
    except Refused:
        raise NotProven("the gateway does not report its time (monitor system/time).") from None
    clock = validated(TimeAnswer, answer, "GET monitor/system/time").results.time
    offset = clock - gateway.answered_s
    what = (
        f"its clock is {abs(offset):.0f} s {'ahead of' if offset > 0 else 'behind'} this "
        f"machine's; {_SAME_CLOCK_S} s are allowed"
    )
    if abs(offset) <= _SAME_CLOCK_S:
        return Finding("gateway", what)
    return Finding("gateway", what, "Set up NTP on the gateway.", ("preflight",))
