"""What the gateway does to connections and flows of a trial fails it, and is told as its doing."""

from __future__ import annotations

import pytest
from cases import (
    FAIL,
    LOSS,
    ONE,
    PATH,
    PERMITS,
    UDP,
    Case,
    alone,
    cases_of,
    prove,
)
from faulty_lab import FaultyLab

ALONE = "; without the gateway the same transfer ran to its end each time."


def broke(happened: str, cause: str) -> tuple[str, ...]:
    """A transfer that broke off through the gateway, and not without it."""
    words = (f"Through the gateway {happened}", f" times{ALONE}", f"Likely cause: {cause}")
    return (FAIL, *words)


RUNS = alone(
    Case(
        ("sessions-reset",),
        (PATH, ONE),
        {ONE: broke("the connection from client to server was reset after", "the gateway resets")},
    ),
    Case(
        ("few-sessions",),
        (PATH, ONE),
        {ONE: broke("a connection from client to server got no answer", "the gateway let ")},
    ),
    Case(
        ("first-datagram-lost",),
        (PATH, LOSS),
        {LOSS: broke("the first datagram of the flow from client", "the gateway loses the packet")},
    ),
    Case(
        ("mtu-small",),
        (PATH, LOSS),
        {LOSS: broke("a packet of 1,428 bytes", "the gateway takes no packets of 1,428 bytes")},
    ),
    Case(
        ("policed-after-burst",),
        (PATH, f"*.{UDP}"),
        {
            UDP: (
                *(FAIL, "at least 300 Mbit/s", "Of 375 Mbit/s of datagrams the path without the"),
                "gateway carried",
            )
        },
    ),
    Case(
        ("sessions-begin-late",),
        (PATH, PERMITS),
        {
            name: (
                *(FAIL, "The first packet of a session gets through: not the case", "only after "),
                *("as its first packet got lost. On the path without the gateway", "is answered"),
            )
            for name in (PATH, PERMITS)
        },
    ),
)
CASES = cases_of(RUNS)


@pytest.mark.parametrize("cases", RUNS)
def test_caught(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)
