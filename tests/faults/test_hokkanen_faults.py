"""The study of Hokkanen holds the gateway to what was ordered, by its own conditions."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import FAIL, Case, alone, cases_of, prove, together
from faulty_lab import FaultyLab
from study_orders import order_with

POLICIES = tuple(
    f"Test 1, {count} {nat} NAT"
    for count in ("One Policy", "100 Policies", "1000 Policies")
    for nat in ("Without", "With")
)
DOWNLOADS, SSL_VPN = "Test 2, FTP Downloads", "Test 4, SSL VPN"
CIPHERS = {
    "Test 3, AES256 SHA256 DH 14": "AES256, SHA256, DH 14",
    "Test 3, AES128 SHA256 DH 5": "AES128, SHA256, DH 5",
    "Test 3, 3DES SHA1 DH 2": "3DES, SHA1, DH 2",
}

RUNS = [
    *alone(
        Case(
            ("shaper-below-tier",),
            ("*.Hokkanen2016.Test 1*",),
            {
                name: (FAIL, "as in Hokkanen 2016", "promised is at least 300 Mbit/s", "shaper")
                for name in POLICIES
            },
        ),
        Case(
            ("nat-not-applied",),
            ("*.Hokkanen2016.Test 1, One*",),
            {POLICIES[1]: (FAIL, "The server sees 198.18.1.10; it should see 198.18.2.1")},
        ),
    ),
    together(
        Case(
            ("inspection-slow", "mbps=100"),
            ("*.Hokkanen2016.Test 2*",),
            {DOWNLOADS: (FAIL, "promised is at least 120 Mbit/s", "With services off it carried")},
        ),
        Case(
            ("ipsec-other-cipher",),
            ("*.Hokkanen2016.Test 3*",),
            {name: (FAIL, f"Configured is {label}; in use") for name, label in CIPHERS.items()},
        ),
        Case(
            ("vpn-slow",),
            ("*.Hokkanen2016.Test 4*",),
            {SSL_VPN: (FAIL, "at least 50 Mbit/s", "The same path without a tunnel carried")},
        ),
    ),
]
CASES = cases_of(RUNS)


@pytest.mark.long
@pytest.mark.parametrize("cases", RUNS)
def test_measured(lab: FaultyLab, cases: tuple[Case, ...], tmp_path: Path) -> None:
    prove(lab, *cases, order=order_with(tmp_path, "hokkanen2016"))
