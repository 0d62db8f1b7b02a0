"""The customer's flows, tried on the configuration as delivered: each mistake is found out."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from cases import FAIL, NOT_PROVEN, Case, cases_of, prove, together
from faulty_lab import PROJECT, FaultyLab

PASSES, BLOCKED = "Every Flow That Is To Pass Passes", "Every Flow That Is To Be Blocked Is Blocked"
TRANSLATED = "Every Flow Is Translated As Agreed"
FLOWS = ("*.The customer's own rules.*Flow*",)
WEB = "“web from the office”, 10.20.1.10 to 203.0.113.80 by tcp/80"

RUNS = [
    together(
        Case(
            ("deny-above",),
            FLOWS,
            {
                PASSES: (FAIL, f"{WEB} is to pass and did not arrive behind port1",
                         "By the rule set policy 1 “customer-web” accepts it."),
                TRANSLATED: (NOT_PROVEN, WEB, "it did not arrive, so its marking was not seen"),
            },
        ),
        Case(
            ("leak", "of=rdp-from-outside"),
            FLOWS,
            {BLOCKED: (FAIL, "arrived at 10.20.1.10 port 3389 behind port2, from 203.0.113.80")},
        ),
    ),
    together(
        Case(
            ("nat-always",),
            FLOWS,
            {TRANSLATED: (FAIL, f"{WEB} was seen from 198.18.2.1, agreed is 10.20.1.10")},
        ),
        Case(
            ("any-any",),
            FLOWS,
            {
                BLOCKED: (
                    *(FAIL, "by tcp/23 is to be blocked and arrived at 203.0.113.80 port 23"),
                    "“remote desktop from outside”, 203.0.113.80 to 10.20.1.10 by tcp/3389 is to",
                    "By the rule set the implicit deny denies it.",
                )
            },
        ),
    ),
]
CASES = cases_of(RUNS)


@pytest.mark.parametrize("cases", RUNS)
def test_caught(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)


def _order(folder: Path, *flows: dict) -> Path:
    order = yaml.safe_load((PROJECT / "variables" / "orders" / "lab.yaml").read_text())
    order["flows"] = list(flows)
    path = folder / "order.yaml"
    path.write_text(yaml.safe_dump(order))
    return path


def test_every_sort_of_flow_and_what_cannot_be_told(lab: FaultyLab, tmp_path: Path) -> None:
    def flow(source: str, target: str, service: str, expect: str = "block", **more: str) -> dict:
        return {"from": source, "to": target, "service": service, "expect": expect, **more}

    office, outside = "10.20.1.10", "203.0.113.80"
    six, six_outside = "2001:2:0:1::77", "2001:2:0:2::77"
    order = _order(
        tmp_path,
        flow(office, outside, "udp/53"),
        flow(office, outside, "icmp"),
        *(flow(office, outside, f"ip/{number}") for number in (47, 50, 132)),
        flow(six, six_outside, "tcp/443"),
        flow(six_outside, six, "icmp"),
        flow("198.18.1.77", outside, "tcp/443"),
        flow(office, outside, "tcp/8443", "pass"),
        flow(office, "192.0.2.80", "tcp/443", "pass"),
    )
    ended = lab.run(*FLOWS, order=order)
    passes, blocked = ended.ran[PASSES], ended.ran[BLOCKED]
    assert blocked.verdict == "pass", blocked.message
    assert passes.verdict == FAIL and "by tcp/8443 is to pass and did not arrive" in passes.message
    assert ended.ran[TRANSLATED].verdict == "not applicable"
    listed = (ended.folder / "flows.csv").read_text().splitlines()
    assert "the gateway has no route to 192.0.2.80" in listed[10]
    assert len(listed) == 11

    with lab.faults(("any-any",)):
        ended = lab.run(*FLOWS, order=order)
    told = ended.ran[BLOCKED].message
    assert ended.ran[BLOCKED].verdict == FAIL
    services = ("udp/53", "icmp", "ip/47", "ip/50", "ip/132")
    for service in (*services, f"{six_outside} by tcp/443", f"{six} by icmp"):
        assert f"{service} is to be blocked and arrived" in told, service
    assert lab.is_as_delivered()
