"""The whole suite beside a fault: the checks that are there for it fail, everything else passes.

With one fault of each chapter at the same time, and with each of them alone. Each takes minutes, so
they run where they are asked for: `./run.sh test -m long`.
"""

from __future__ import annotations

import pytest
from cases import BACK, FAIL, Case, prove_whole
from faulty_lab import FaultyLab
from table import all_cases

CHAPTERS = {
    "Before the test": "clock-off",
    "Stateful firewall": "large-ruleset-slow",
    "Policy enforcement": "implicit-deny-uncounted",
    "The tier's ceiling": "shaper-missing",
    "Security services": "file-filter-not-ftp",
    "Web proxy": "proxy-open",
    "Site-to-site VPN": "ipsec-few-tunnels",
    "Remote access": "disabled-users-let-in",
    "Provisioning of tenants": "objects-lost",
    "The edge of the network": "flood-stops-neighbours",
}
"""Chapters of the gateway's checks, and a fault that concerns no other."""
# What goes with the last policy of the security services is deleted at the end alone.
NOT_BACK = Case(
    ("delete-ignored", "path=antivirus/profile"),
    (),
    {BACK: (FAIL, "objects of the run could not be removed")},
    left=True,
)
ONE_EACH = [
    *(next(case for case in all_cases() if case.name == name) for name in CHAPTERS.values()),
    NOT_BACK,
]


@pytest.mark.long
def test_measured_together(lab: FaultyLab) -> None:
    prove_whole(lab, *ONE_EACH)


@pytest.mark.long
@pytest.mark.parametrize("case", ONE_EACH, ids=str)
def test_measured(lab: FaultyLab, case: Case) -> None:
    prove_whole(lab, case)
