"""Each fault of the gateway's management is caught, and none leaves the gateway changed."""

from __future__ import annotations

import pytest
from cases import (
    ANSWERS,
    BACK,
    BLOCKED,
    DISABLED,
    ENFORCEMENT,
    FAIL,
    GATEWAY_READY,
    KNOWN,
    NOT_PROVEN,
    ORDER,
    PATH,
    PREFLIGHT,
    STORIES,
    Case,
    alone,
    cases_of,
    prove,
    together,
)
from faulty_lab import FaultyLab

FIRMWARE, CLOCK = "The Firmware Fits The Order", "The Gateway's Clock Is Right"
IDENTITY = "The Gateway Is The One That Was Ordered"
LICENCE, RESOURCES = "The Licence Is Valid", "The Resources Fit The Order"
SERVICES = "The Ordered Services Are Licensed"
HTTPS = "The Management Plane Answers Over HTTPS Only"
TLS = "The Management Plane Speaks TLS 1.2 Or Later"
CERTIFICATE = "The Management Plane Presents The Pinned Certificate"
TOKEN = "The Management Plane Refuses A Call Without A Token"
ASK_THE_GATEWAY = (
    *(IDENTITY, FIRMWARE, LICENCE, SERVICES, RESOURCES, KNOWN, CLOCK, GATEWAY_READY, PATH, BACK),
)
ENFORCED = (*BLOCKED, ANSWERS, *STORIES)


def lost(*words: str, checks: tuple[str, ...] = ASK_THE_GATEWAY) -> dict[str, tuple[str, ...]]:
    """These checks cannot tell, and say why."""
    return dict.fromkeys(checks, (NOT_PROVEN, "REST API at https://198.18.0.2", *words))


ACCESS = [
    together(
        Case(
            ("other-device",),
            (PREFLIGHT,),
            {
                IDENTITY: (
                    FAIL,
                    "The gateway has the model that was ordered: not the case",
                    "Ordered is FortiGate-VM64-LAB",
                    "says FortiGate-VM02-LAB",
                )
            },
        ),
        Case(
            ("other-firmware",),
            (PREFLIGHT,),
            {FIRMWARE: (FAIL, "Ordered is >=7.4; the gateway runs v7.2.11")},
        ),
        Case(
            ("clock-off",),
            (PREFLIGHT,),
            {CLOCK: (FAIL, " s ahead of this machine's; 60 s are allowed", "Set up NTP")},
        ),
        Case(
            ("right-missing",),
            (PREFLIGHT,),
            {
                GATEWAY_READY: (
                    NOT_PROVEN,
                    "has no right to write what belongs to fwgrp.others",
                    "set others read-write",
                )
            },
        ),
        Case(
            ("licence-expired",),
            (PREFLIGHT,),
            {LICENCE: (FAIL, "vm_expired"), SERVICES: (FAIL, "“expired”")},
        ),
        Case(
            ("too-few-resources",),
            (PREFLIGHT,),
            {RESOURCES: (FAIL, "vCPUs", "Ordered are at least 2; the gateway reports 1")},
        ),
        Case(
            ("http-open",),
            (PREFLIGHT,),
            {HTTPS: (FAIL, "Port 80 answers HTTP 401", "clear text")},
        ),
        Case(
            ("choice-unknown",),
            (PREFLIGHT,),
            {
                KNOWN: (
                    NOT_PROVEN,
                    "does not accept what the test would set on it: file-filter/profile",
                    '"block" (it takes log-only)',
                )
            },
        ),
    ),
    *alone(
        Case(("token-ignored",), (PREFLIGHT,), {TOKEN: (FAIL, "It answers HTTP 200")}),
        Case(
            ("tls-old",),
            (PREFLIGHT,),
            lost("the TLS connection failed")
            | {
                TLS: (FAIL, "TLS 1.2 and later gets no handshake", "TLS 1.0 and 1.1 gets TLSv1"),
                CERTIFICATE: (NOT_PROVEN, "the gateway shows no certificate: no handshake"),
                TOKEN: (NOT_PROVEN, "gets no answer", "the TLS connection failed"),
            },
        ),
        Case(
            ("other-certificate",),
            (PREFLIGHT,),
            lost("its certificate must chain to", "gateway-ca.pem")
            | {
                CERTIFICATE: (FAIL, "does not chain to gateway-ca.pem", "self-signed certificate"),
                TOKEN: (NOT_PROVEN, "gets no answer", "the TLS connection failed"),
            },
        ),
        Case(
            ("evaluation-licence",),
            (PREFLIGHT, ORDER),
            {
                LICENCE: (FAIL, "the permanent evaluation licence"),
                SERVICES: (FAIL, "no valid licence for antivirus and web filter", "“no license”"),
                RESOURCES: (FAIL, "Ordered are at least 2; the gateway reports 1"),
            },
        ),
    ),
]


@pytest.mark.parametrize("cases", ACCESS)
def test_caught(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)


# A run has its first policy on the gateway then, and is about to make more of them.
SECOND_POLICY = ("method=POST", "path=cmdb/firewall/policy", "after=1")
HALFWAY = (*SECOND_POLICY, "then=every")
STOPPED = (ORDER, DISABLED, BACK)

LASTING = [
    Case(
        ("delete-ignored",),
        (PATH, ENFORCEMENT),
        dict.fromkeys(ENFORCED, (FAIL, "it deleted firewall/policy", "and still has it"))
        | {BACK: (FAIL, "objects of the run could not be removed")},
        left=True,
    ),
    *(
        Case((name, *HALFWAY), (PATH, *STOPPED), lost(words, checks=STOPPED), left=True, lost=True)
        for name, words in (
            ("api-500", "it answers HTTP 500"),
            ("api-429", "it answers 429"),
            ("api-drop", "broke the connection off in the middle"),
        )
    ),
    Case(
        ("api-hang", *HALFWAY),
        (PATH, ORDER),
        lost("connected, but no answer within", checks=(ORDER, BACK)),
        left=True,
        lost=True,
    ),
]
CASES = [*cases_of(ACCESS), *LASTING]


@pytest.mark.parametrize("case", LASTING, ids=str)
def test_is_told_and_restored_later(lab: FaultyLab, case: Case) -> None:
    prove(lab, case)


READ = ("method=GET", "path=cmdb/firewall/policy", "after=1")

PASSING = [
    Case(("api-429", *SECOND_POLICY, "times=3", "then=every"), (PATH, ORDER)),
    Case(("api-drop", *READ, "times=3"), (PATH, ORDER)),
    Case(("api-hang", *READ, "times=1"), (PATH, ORDER)),
    Case(("api-drop", *SECOND_POLICY, "times=1"), (PATH, ORDER)),
]


@pytest.mark.parametrize("case", PASSING, ids=str)
def test_does_not_matter_where_it_passes(lab: FaultyLab, case: Case) -> None:
    prove(lab, case)
