"""The gateway's clock, as its API tells it."""

from __future__ import annotations

from pydantic import BaseModel, Field


class Clock(BaseModel):
    """What it shows.

    Attributes:
        time: seconds since the epoch.
    """

    time: float = Field(ge=0, allow_inf_nan=False)


class TimeAnswer(BaseModel):
    """The answer of ``monitor/system/time``."""

    results: Clock
