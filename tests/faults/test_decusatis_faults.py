"""The study of DeCusatis holds the gateway to what was ordered, and knows what passed it."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import FAIL, Case, alone, cases_of, prove, together
from faulty_lab import FaultyLab
from study_orders import order_with

WORKLOADS = "Throughput Is Known For Each Workload"
PLAIN = "Packets Of 1500 Bytes Carry The Rate Of The Tier"
TRANSLATED = "Packets Of 1500 Bytes Carry The Rate Of The Tier With NAT"
DELAY = "Latency Is Known For Packets Of 512 Bytes"
TUNNEL, SET_UP = "Throughput Is Known Through A Tunnel", "Tunnels A Second Are Known"
SLOW = (FAIL, "frame 1518", "promised is at least 311.918 Mbit/s", "shaper")
SILENT = (FAIL, "No frame over IPv", "gets through the gateway")
UNTRANSLATED = (FAIL, "The server saw 198.18.1.10")
RUNS = [
    together(
        Case(("shaper-below-tier",), (PLAIN, TRANSLATED), {PLAIN: SLOW, TRANSLATED: SLOW}),
        Case(
            ("ipsec-other-cipher",),
            (TUNNEL,),
            {TUNNEL: (FAIL, "Configured is 3DES, SHA1, DH 2; in use are")},
        ),
        Case(
            ("ipsec-few-tunnels", "tunnels=12"),
            (SET_UP,),
            {SET_UP: (FAIL, "of 20 are up, according to gateway and peer")},
        ),
    ),
    *alone(
        Case(
            ("nat-not-applied",),
            (WORKLOADS, TRANSLATED),
            {WORKLOADS: UNTRANSLATED, TRANSLATED: UNTRANSLATED},
        ),
        Case(
            ("policy-missing",),
            (WORKLOADS, PLAIN, TRANSLATED, DELAY),
            {name: SILENT for name in (WORKLOADS, PLAIN, TRANSLATED, DELAY)},
        ),
    ),
]
CASES = cases_of(RUNS)


@pytest.mark.long
@pytest.mark.parametrize("cases", RUNS)
def test_measured(lab: FaultyLab, cases: tuple[Case, ...], tmp_path: Path) -> None:
    prove(lab, *cases, order=order_with(tmp_path, "decusatis2014"))
