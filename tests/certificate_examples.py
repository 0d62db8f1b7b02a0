"""Outcomes as whole runs would leave them, for the tests of the certificate.

`python certificate_examples.py FILE.html [approved|rejected|not-proven]` writes the certificate of
one of them, such as for the picture in the documentation.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from gatepass.outcome import Check, Outcome
from gatepass.record import (
    FAIL,
    NOT_APPLICABLE,
    NOT_PROVEN,
    PASS,
    Evidence,
    Measurement,
    Restoration,
    measured,
)

DIGEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

RUN = {
    "run_id": "20261121-072231-5c1e",
    "started": "2026-11-21T07:22:31+02:00",
    "gatepass": "0.1.0",
    "profile": {
        "name": "quick",
        "description": "A first answer, in minutes",
        "trial_s": 4,
        "omit_s": 1,
        "streams": 4,
        "min_trials": 3,
        "max_trials": 5,
        "confidence": 0.95,
        "sampling": "trials",
    },
    "order": {
        "order": "lab",
        "customer": "Embedded lab",
        "tier": "SGW-200",
        "service_level": "Gold",
        "language": "en",
        "options": {
            "security_services": True,
            "snmp_reporting": False,
            "flow_reporting": False,
            "security_reporting": False,
        },
        "shaper": {"name": "sgw-200", "burst_allowance_percent": 5.0},
        "notes": "A stand-in for a FortiGate, on one machine. Its figures are no FortiGate's.",
    },
    "tier": {
        "size": "large",
        "stateful_mbps": 300,
        "security_services_mbps": 120,
        "ipsec_tunnels": 20,
        "vpn_users": 50,
        "proxy_users": 75,
        "recommended_users": [50, 150],
        "log_mb_per_day": 2000,
        "service_requests_per_month": 3,
    },
    "testbed": {"name": "lab-default", "client_port": "port2", "server_port": "port1"},
    "gateway": {
        "host": "198.18.0.2",
        "serial": "LABGW0000000001",
        "model": "FortiGate-VM64-LAB",
        "version": "v7.4.8",
        "build": 2795,
        "licence": "valid until 2027-11-20",
        "vcpus": 2,
        "memory_mb": 4096,
        "hostname": "sgw-lab",
    },
    "endpoints": {
        "client": {"kernel": "6.1.0-41-amd64", "iperf3": "3.12", "cpus": 2, "clock_offset_s": 0.01},
        "server": {"kernel": "6.1.0-41-amd64", "iperf3": "3.12", "cpus": 2, "clock_offset_s": 0.0},
    },
    "plan": [],
    "robot_arguments": [],
}

CHAPTERS = {
    "Preflight": "Before any load, the gateway is the one that was ordered and the rig can reach "
    "it. A test of the wrong device says nothing.",
    "Baseline": "What the endpoints carry without the gateway, so that a slow rig is not taken for "
    "a slow gateway.",
    "Stateful Firewall": "The gateway carries the throughput that the customer bought, whatever "
    "the size of the rule set,\nwith and without address translation. The last policy matches.",
    "Policy Enforcement": "What no policy permits does not get through, so the customer's network "
    "is as closed as it was ordered.",
    "Ceiling": "The customer gets the ordered rate and no more than was allowed on top of it.",
    "Handover": "The gateway is given back as it was found.",
}


def throughput(policies: int, nat: bool, value: float, half_width: float, **more) -> Check:
    """A check of the stateful throughput, as the suite records it."""
    noun = "policy" if policies == 1 else "policies"
    conditions = f"{policies} {noun}, NAT {'on' if nat else 'off'}"
    spread = (-0.4, 0.1, 0.3)
    counted = 4.89e8 + policies * 1000
    measurement = Measurement(
        promise="Stateful throughput",
        conditions=conditions,
        value=value,
        unit="Mbit/s",
        layer="TCP goodput",
        half_width=half_width,
        trials=tuple(value + part * half_width for part in spread),
        threshold=300,
        baseline=18_420.0,
        facts={"client_cpu_percent": 21.3, "retransmits": 12},
    )
    seen, whose = ("198.18.2.1", "gateway") if nat else ("198.18.1.10", "client")
    return Check(
        chapter="Stateful Firewall",
        name=f"{policies} {noun.title()}, {'With' if nat else 'Without'} NAT",
        verdict=more.get("verdict", PASS),
        message=more.get("message", f"Stateful throughput, {conditions}: {measured(measurement)}."),
        measurements=[measurement],
        evidence=more.get(
            "evidence",
            [
                Evidence(
                    "The test policy counted at least the bytes that the server received",
                    f"counted {counted * 1.04 / 1e6:.1f} MB, received {counted / 1e6:.1f} MB",
                    True,
                ),
                Evidence(f"The server saw the {whose}'s address", f"saw {seen}", True),
            ],
        ),
        tags=("stateful", "throughput"),
        elapsed_s=21.4,
    )


def baseline(when: str, value: float) -> Check:
    """A check of the path without the gateway."""
    measurement = Measurement(
        promise="Baseline without the gateway",
        conditions=when,
        value=value,
        unit="Mbit/s",
        layer="TCP goodput",
        half_width=210.0,
        trials=(value - 90, value + 20, value + 70),
    )
    return Check(
        "Baseline",
        f"{when.title()} The Gateway's Checks",
        PASS,
        f"The path without the gateway carried {measured(measurement)}.",
        measurements=[measurement],
        tags=("baseline",),
    )


def ceiling() -> Check:
    """A check that the shaper lets through no more than was ordered."""
    measurement = Measurement(
        promise="Ceiling of the tier",
        conditions="twice the rate offered, burst allowance 5 %",
        value=308.4,
        unit="Mbit/s",
        layer="TCP goodput",
        half_width=0.6,
        trials=(308.2, 308.4, 308.6),
        threshold=315,
        relation="at most",
    )
    return Check(
        "Ceiling",
        "No More Than The Tier's Rate",
        PASS,
        f"Ceiling of the tier: {measured(measurement)}.",
        measurements=[measurement],
        evidence=[
            Evidence(
                "The shaper is on the path",
                "shaper “sgw-200” dropped 1 204 packets while the trials ran",
                True,
            )
        ],
        tags=("ceiling",),
    )


def _preflight(gateway: dict) -> list[Check]:
    model, serial = gateway["model"], gateway["serial"]
    said = {
        "The Gateway Is The One That Was Ordered": f"{model}, serial {serial}, v7.4.8; ordered is "
        f"{model}, 7.4 or later.",
        "The Licence Is Valid": "Licence valid until 2027-11-20.",
        "The Gateway Has The Resources": "2 vCPUs and 4 096 MB; at least 2 and 3 072 are ordered.",
        "The Management Plane Is Closed": "It answers over HTTPS alone, with TLS 1.2 or later and "
        "the pinned certificate, and refuses a call without a token.",
        "The Endpoints Are Ready": "Both answer over SSH with the known host keys; iperf3 3.12.",
        "Traffic Gets From Client To Server": "One connection went through, before any load.",
    }
    return [Check("Preflight", name, PASS, message) for name, message in said.items()]


def _enforcement() -> list[Check]:
    said = {
        "What No Policy Permits Is Blocked": "20 of 20 connections were blocked.",
        "Nothing Gets In From The Server's Side": "20 of 20 connections were blocked.",
        "The Order Of Policies Holds": "A deny above the permit blocked 20 of 20 connections.",
        "A Disabled Policy Does Nothing": "20 of 20 connections were blocked.",
        "The Implicit Deny Counts": "The implicit deny counted 60 sessions of 60 tried.",
    }
    seen = Evidence("What is to be blocked did not arrive", "0 of 20 connections arrived", True)
    return [
        Check(
            "Policy Enforcement", name, PASS, text, evidence=[seen] if "counted" not in text else []
        )
        for name, text in said.items()
    ]


def _checks(gateway: dict) -> list[Check]:
    figures = ((1, 309.2, 0.7), (100, 308.9, 0.9), (1000, 308.1, 1.2))
    return [
        *_preflight(gateway),
        baseline("before", 18_420.0),
        *(throughput(n, nat, value - nat * 0.6, h) for n, value, h in figures for nat in (0, 1)),
        *_enforcement(),
        ceiling(),
        Check(
            "Handover",
            "IPv6 Is Enforced As IPv4 Is",
            NOT_APPLICABLE,
            "The order does not name IPv6.",
        ),
        baseline("after", 18_310.0),
        Check("Handover", "The Configuration Is Back As It Was", PASS, "It compares equal."),
    ]


def approved(**gateway) -> Outcome:
    """An approved run; keywords replace facts of the gateway."""
    run = RUN | {"gateway": RUN["gateway"] | gateway}
    return Outcome(run, _checks(run["gateway"]), dict(CHAPTERS), Restoration(True), 154.2)


def rejected() -> Outcome:
    """A gateway of a site that misses its promise in one check and translates no address."""
    outcome = approved(serial="FGVM02TM24001234", model="FortiGate-VM64-KVM", hostname="sgw-fi-01")
    outcome.run["order"] = RUN["order"] | {
        "order": "4711-02",
        "customer": "Example Oy",
        "notes": "",
    }
    outcome.run["testbed"] = RUN["testbed"] | {"name": "rack-7"}
    slow = throughput(1000, False, 287.4, 3.9, verdict=FAIL)
    slow.message = (
        f"Stateful throughput, 1000 policies, NAT off: {measured(slow.measurements[0])}; promised "
        "is at least 300 Mbit/s. The path without the gateway carried 18\u202f420. The gateway's "
        "shaper “sgw-200” limits to 290 Mbit/s."
    )
    wrong = throughput(100, True, 308.3, 0.9, verdict=FAIL)
    wrong.evidence[1] = Evidence("The server saw the gateway's address", "saw 198.18.1.10", False)
    wrong.message = (
        "The server saw 198.18.1.10, the client's own address; with NAT on it should see one of "
        "the gateway's. Address translation is not in force on the policy that permits the traffic."
    )
    outcome.checks[10], outcome.checks[11] = wrong, slow
    return outcome


def not_proven() -> Outcome:
    """A run in which the client was lost after the first throughput check."""
    outcome = approved()
    lost = (
        "The client at 198.18.0.11 no longer answers over SSH. Check the host and its network, "
        "then run again."
    )
    outcome.checks[8:] = [
        Check(check.chapter, check.name, NOT_PROVEN, lost, tags=check.tags)
        if position == 8
        else replace(
            check,
            verdict=NOT_PROVEN,
            message="The run's plan holds this check, but it did not run.",
            measurements=[],
            evidence=[],
            tags=(),
        )
        for position, check in enumerate(outcome.checks[8:], start=8)
    ]
    outcome.restoration = Restoration(
        False,
        differences=(
            "+ config firewall policy",
            "+     edit 12",
            '+         set name "gp-5c1e-p12"',
        ),
        left=("firewall/policy 12 (gp-5c1e-p12)",),
        problem="The gateway did not answer while its configuration was restored. "
        "Run ./run.sh restore when it answers again.",
    )
    return outcome


def nothing_known() -> Outcome:
    """A run that ended before it knew anything."""
    return Outcome({}, [], {}, None, 0.4)


EXAMPLES = {"approved": approved, "rejected": rejected, "not-proven": not_proven}

if __name__ == "__main__":
    from gatepass.certificate import render

    page = render(EXAMPLES[sys.argv[2] if len(sys.argv) > 2 else "approved"](), DIGEST)
    Path(sys.argv[1]).write_text(page, encoding="utf-8")
