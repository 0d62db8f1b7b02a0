"""The study of Bazzi knows whether its traffic passed the gateway, as the policy has it."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import FAIL, Case, alone, cases_of, prove
from faulty_lab import FaultyLab
from study_orders import order_with

BAZZI = tuple(
    f"{protocol} {what} Are Known With And Without The Gateway"
    for what in ("Streams", "Transactions")
    for protocol in ("TCP", "UDP")
)

RUNS = alone(
    Case(
        ("policy-missing",),
        ("*.Bazzi2011.*",),
        dict.fromkeys(BAZZI, (FAIL, "No connection gets through the gateway")),
    ),
    Case(
        ("nat-not-applied",),
        ("*.Bazzi2011.*",),
        {name: (FAIL, "The server sees", "the gateway's address") for name in BAZZI},
    ),
    Case(
        ("counters-zero",),
        ("*.Bazzi2011.TCP *",),
        {name: (FAIL, "bytes more than before") for name in BAZZI if name.startswith("TCP")},
    ),
)
CASES = cases_of(RUNS)


@pytest.mark.long
@pytest.mark.parametrize("cases", RUNS)
def test_measured(lab: FaultyLab, cases: tuple[Case, ...], tmp_path: Path) -> None:
    prove(lab, *cases, order=order_with(tmp_path, "bazzi2011"))
