"""Hosts that pretend to be others and are not stopped, or stop the right one, are found out."""

from __future__ import annotations

import pytest
from cases import FAIL, Case, alone, cases_of, prove, together
from faulty_lab import FaultyLab

BOUND = "A Host With Another's Hardware Address Is Stopped"
BORROWED = "A Borrowed Source Address Is Refused Where It Cannot Come From"
FIXED = "ARP Does Not Move A Host That Is Fixed"
HOSTS = ("*.The edge of the network.Hosts.*",)
WINDOW = "Segments Beyond A Connection's Window Are Stopped"
BROADCAST = "Nobody Outside Reaches All Hosts Of A Network At Once"
PACKETS = ("*.The edge of the network.Packets.*",)

RUNS = [
    together(
        Case(
            ("binding-ignored",),
            HOSTS,
            {
                BOUND: (
                    FAIL,
                    "from another hardware address is stopped: not the case",
                    "10 of 10 datagrams with the client's IP address",
                )
            },
        ),
        Case(
            ("source-check-ignored",),
            HOSTS,
            {
                BORROWED: (
                    FAIL,
                    "a borrowed source address is refused: not the case",
                    "10 of 10 datagrams from 198.18.2.2 and 10 of 10 datagrams from 203.0.113.1",
                )
            },
        ),
        Case(
            ("arp-entry-ignored",),
            HOSTS,
            {FIXED: (FAIL, "stays with it", "10 went to the wrong host and 0 to the right one")},
        ),
        Case(
            ("anti-replay-ignored",),
            PACKETS,
            {WINDOW: (FAIL, "are stopped: not", "40 of 40 segments outside the window arrived")},
        ),
        Case(
            ("broadcasts-forwarded",),
            PACKETS,
            {
                BROADCAST: (
                    FAIL,
                    "to all hosts of a network at once is stopped: not the case",
                    "10 of 10 datagrams to 198.18.1.255 arrived",
                )
            },
        ),
    ),
    *alone(
        Case(
            ("binding-stops-host",),
            (f"*.{BOUND}",),
            {
                BOUND: (
                    FAIL,
                    "A bound host and its neighbours get through: not the case",
                    "0 of 10 of the client's own and 10 of 10 of another host's",
                )
            },
        )
    ),
]
CASES = cases_of(RUNS)


@pytest.mark.parametrize("cases", RUNS)
def test_caught(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)
