"""Each fault of tunnels between sites is caught by the check that is there for it."""

from __future__ import annotations

import pytest
from cases import FAIL, Case, prove
from faulty_lab import FaultyLab

STRONG, MODERN = "AES256, SHA256, DH 14", "AES256-GCM, DH 14"
CLEAR = "Without The Tunnel Nothing Passes In Clear"
ASKED = "Keys Are Renewed Under Traffic When The Peer Asks"
BY_ITSELF = "Keys Are Renewed By The Gateway Before They Run Out"
NOT_NEW = "A tunnel's keys are renewed: not so"


def chosen(*checks: str) -> tuple[str, ...]:
    """Patterns of these checks of the chapter."""
    return tuple(f"*.Site To Site Vpn.{check}" for check in checks)


CASES = [
    Case(
        ("ipsec-other-cipher",),
        chosen(STRONG, CLEAR),
        {
            STRONG: (
                FAIL,
                "The tunnel is encrypted as configured: not so",
                "Configured is AES256, SHA256, DH 14; in use are",
            )
        },
    ),
    Case(
        ("ipsec-clear-beside",),
        chosen(MODERN, CLEAR),
        {
            MODERN: (FAIL, "Between the gateways only encrypted packets are seen: not so"),
            CLEAR: (FAIL, "Without the tunnel nothing of its network passes in clear: not so"),
        },
    ),
    Case(
        ("ipsec-never-rekeys",),
        # it still follows the peer, which asks in the first of these
        chosen(ASKED, BY_ITSELF),
        {BY_ITSELF: (FAIL, NOT_NEW, "Keys live for 120 s", "no new keys came")},
    ),
    Case(
        ("ipsec-slow",),
        chosen(STRONG, CLEAR),
        {STRONG: (FAIL, "at least 20 Mbit/s", "The same path without a tunnel carried")},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_fault(lab: FaultyLab, case: Case) -> None:
    prove(lab, case)
