"""What the programs that send and take datagrams write, as their types (`remote/datagram_*.py`)."""

from __future__ import annotations

from typing import Annotated, NotRequired

from pydantic import AfterValidator, Field
from typing_extensions import TypedDict

from gatepass.base.figures import NotNegative
from gatepass.endpoint.answers import Address, Count, Interface, Nothing

_MOST_TICKS = 2_000_000
"""Tenths of a second: more than two days, and no trial is longer than one."""


def _near(ticks: list[tuple[int, int]]) -> list[tuple[int, int]]:
    numbers = [tick for tick, _ in ticks]
    if numbers and max(numbers) - min(numbers) > _MOST_TICKS:
        raise ValueError("its ticks are further apart than a trial lasts")
    return ticks


Ticks = Annotated[list[tuple[int, Count]], AfterValidator(_near)]
"""Of tenths of a second, how many each."""
Times = list[tuple[int, Count]]
"""Microseconds, and how often each; by two hosts' clocks a delay may be below nothing."""


class Back(TypedDict):
    """Of what came back to the sender."""

    delays_us: Times


class Sent(TypedDict):
    """Of a stream, by its sender."""

    sent: Count
    unsent: Count
    seconds: NotNegative
    by_tick: Ticks
    late_us: Count
    path_mtu: Count
    cpu_s: NotNegative
    back: Back | None


class Taken(TypedDict):
    """Of a stream, by its receiver."""

    received: Count
    doubled: Count
    overtaken: Count
    seconds: NotNegative
    gaps: list[tuple[Count, Count, Count]]
    delays_us: Times
    variations_us: list[tuple[Count, Count]]
    ticks: Ticks
    arrivals: Ticks
    tick_delays: list[tuple[int, float, int]]
    foreign: Count
    socket_lost: Count
    sources: list[Address]
    tos: list[Annotated[int, Field(ge=0, le=255)]]
    cpu_s: NotNegative
    interface: NotRequired[Interface | Nothing]
    arrived: NotRequired[Count]
