"""Outcomes as whole runs would leave them, for the tests of the certificate.

`python certificate_examples.py FILE.html [approved|rejected|not-proven|…] [en|fi|sv]` writes the
certificate of one of them, such as for the picture in the documentation.
"""

from __future__ import annotations

import sys
from base64 import b64encode
from dataclasses import replace
from pathlib import Path

from certificate_checks import (
    at_once,
    every_check,
    remote_access,
    services,
    throughput,
    tunnels,
)
from gatepass import __version__
from gatepass.base import phrase
from gatepass.base.paths import VARIABLES
from gatepass.base.phrase import say
from gatepass.inputs.published import load_published
from gatepass.report.wording import wording
from gatepass.results.outcome import Check, Outcome
from gatepass.results.record import (
    FAIL,
    NOT_PROVEN,
    PASS,
    Cause,
    Evidence,
    Restoration,
    measured,
)
from said import evidence

DIGEST = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"

_PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40">'
    '<circle cx="20" cy="20" r="18" fill="#123a55"/></svg>'
)
LOGO = f"data:image/svg+xml;base64,{b64encode(_PICTURE.encode()).decode()}"

RUN = {
    "run_id": "20261121-072231-5c1e",
    "started": "2026-11-21T07:22:31+02:00",
    "gatepass": __version__,
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
            "security_services": False,
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
        "ipsec_tunnels": None,
        "vpn_users": None,
        "proxy_users": None,
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
    "provider": {
        "name": "Example Networks Oy",
        "contact": "quality@example.net",
        "operator": "Acceptance tests, team 2",
        "place": "Espoo",
        "logo": LOGO,
    },
    "inputs": {
        name: DIGEST
        for name in (
            *("order.yaml", "testbed.yaml", "service_catalogue.yaml", "profiles.yaml"),
            "program.sha256",
        )
    },
    "call": {"order": "variables/orders/lab.yaml", "testbed": "variables/testbeds/site.yaml"},
    "published": load_published(VARIABLES / "published_results.yaml").model_dump(),
    "robot_arguments": [],
}

CHAPTERS = {
    "Before the test": "Before any load, the gateway is the one that was ordered and the rig can "
    "reach it. A test of the wrong device says nothing.",
    "The test set-up before": "What the endpoints carry without the gateway, so that a slow one is "
    "not taken for a slow gateway.",
    "Stateful firewall": "The gateway carries the throughput that the customer bought, whatever "
    "the size of the rule set,\nwith and without address translation. The last policy matches.",
    "Policy enforcement": "What no policy permits does not get through, so the customer's network "
    "is as closed as it was ordered.",
    "The tier's ceiling": "The customer gets the ordered rate and no more than was allowed on top "
    "of it.",
    "Handover": "The gateway is given back as it was found.",
}


def approved(**gateway) -> Outcome:
    """An approved run; keywords replace facts of the gateway."""
    run = RUN | {"gateway": RUN["gateway"] | gateway}
    return Outcome(run, every_check(run["gateway"]), dict(CHAPTERS), Restoration(True), 154.2)


def cut() -> Outcome:
    """The same run of an order that calls for more than was tested, and a plan that lacks it."""
    outcome = approved()
    options = RUN["order"]["options"] | {"security_services": True}
    outcome.run["order"] = RUN["order"] | {"options": options}
    outcome.run["tier"] = RUN["tier"] | {"ipsec_tunnels": 20, "vpn_users": 50, "proxy_users": 75}
    return outcome


def whole() -> Outcome:
    """An approved run of every chapter, of the largest tier."""
    outcome = approved(serial="FGVM08TM24004711", model="FortiGate-VM64-KVM", vcpus=8)
    outcome.run["order"] = RUN["order"] | {
        "order": "4711-17",
        "customer": "Example Oy",
        "tier": "SGW-500",
        "service_level": "Platinum",
        "options": RUN["order"]["options"] | {"security_services": True},
        "notes": "Handed over together with the line 4711.",
    }
    outcome.run["tier"] = RUN["tier"] | {
        "ipsec_tunnels": 100, "vpn_users": 200, "proxy_users": 300
    }  # fmt: skip
    outcome.checks[-3:-3] = [
        *services(),
        at_once("Proxy users", "at once, each with a connection and a request in flight",
                "users", 300, 300),
        *tunnels(threshold=80),
        at_once("IPsec tunnels", "up at once, each to a remote site of its own",
                "tunnels", 100, 100),
        *remote_access(threshold=200),
        at_once("VPN users", "SSL VPN, connected at once, each with traffic of their own",
                "users", 200, 200),
    ]  # fmt: skip
    return outcome


def full() -> Outcome:
    """An approved run with more checks than there are, which saw all that a check can claim."""
    outcome = whole()
    plain = [name for name in wording("en")["shown"] if "{" not in phrase.texts()[name]]
    chapters = list(dict.fromkeys(check.chapter for check in outcome.checks))
    for number, name in enumerate(plain):
        chapter = chapters[number % len(chapters)]
        seen = Evidence(say(name), "seen", True)
        outcome.checks.append(Check(chapter, f"Check {number}", PASS, evidence=[seen]))
    outcome.run["gateway"]["serial"] = "LABGW0000000001"  # its mark takes room as well
    return outcome


def everything_wrong() -> Outcome:
    """Every check of every chapter fails, each with a long reason of its own."""
    outcome = whole()
    # first those with figures, which take most room
    outcome.checks.sort(key=lambda check: -len(check.measurements))
    for number, check in enumerate(outcome.checks):
        check.verdict = FAIL
        check.message = f"Reason {number}: " + "the gateway did something else than told " * 9
        check.evidence = [replace(one, holds=False) for one in check.evidence]
        check.causes = [Cause("unheard of", "what was seen goes on and on " * 30, 1.0)]
    outcome.run["order"]["notes"] = "A note without an end. " * 60
    outcome.run["robot_arguments"] = ["--exclude", "none"] * 40
    outcome.restoration = Restoration(
        False,
        tuple(f"+     set comment line {number}" for number in range(60)),
        tuple(f"firewall/policy {number}" for number in range(900)),
        "The gateway did not answer. " * 30,
    )
    return outcome


def in_language(language: str, outcome: Outcome) -> Outcome:
    """The same run of an order that asks for a language."""
    outcome.run["order"] = outcome.run["order"] | {"language": language}
    return outcome


def in_finnish(outcome: Outcome) -> Outcome:
    """The same run of an order that asks for Finnish."""
    return in_language("fi", outcome)


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
    slow.causes = [
        Cause("shaper", "the gateway's shaper “sgw-200” limits to 290 Mbit/s.", 1.0),
        Cause("loss", "TCP sent 0.2 % of its segments again.", 0.3),
    ]
    wrong = throughput(100, True, 308.3, 0.9, verdict=FAIL)
    wrong.evidence[1] = evidence(
        "The server saw the address that the policy should give",
        "The server saw 198.18.1.10; expected is 198.18.2.1, the gateway's.",
        False,
    )
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
            message=str(say("did_not_run")),
            said=say("did_not_run"),
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


EXAMPLES = {
    "approved": approved,
    "whole": whole,
    "full": full,
    "rejected": rejected,
    "not-proven": not_proven,
    "everything-wrong": everything_wrong,
}

if __name__ == "__main__":
    from gatepass.report.certificate import render

    example = EXAMPLES[sys.argv[2] if len(sys.argv) > 2 else "approved"]()
    if sys.argv[3:]:
        in_language(sys.argv[3], example)
    Path(sys.argv[1]).write_text(render(example, DIGEST), encoding="utf-8")
