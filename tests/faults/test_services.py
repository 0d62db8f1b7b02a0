"""Each fault of the security services is caught by the check that is there for it."""

from __future__ import annotations

import pytest
from cases import FAIL, Case, prove
from faulty_lab import FaultyLab

NOT_APPLICABLE = "not applicable"
VIRUS, VIRUS_FTP = "A Virus Over HTTP", "A Virus Over FTP"
SITE, SITE_TLS = "A Blocked Site Over HTTP", "A Blocked Site Over HTTPS"
ATTACK, APPLICATION = "An Attack", "An Unwanted Application"
FILE_TYPE = "An Unwanted File Type Over HTTP"
HELD, HELD_FTP = "A Virus Over HTTP, By Proxy", "A Virus Over FTP, By Proxy"
COUNTRY = "A Blocked Country"
FTP = "FTP Downloads"
ARRIVED = "it arrived although services are on"


def chosen(*checks: str) -> tuple[str, ...]:
    """Patterns of these checks of the chapter."""
    return tuple(f"*.Security Services.{check}" for check in checks)


def passed(*checks: str) -> dict[str, tuple[str, ...]]:
    """What was to be stopped got through."""
    return dict.fromkeys(checks, (FAIL, "is stopped over", ARRIVED))


EVERY_KIND = (VIRUS, VIRUS_FTP, SITE, SITE_TLS, ATTACK, APPLICATION, FILE_TYPE)

CASES = [
    Case(("services-not-applied",), chosen(*EVERY_KIND), passed(*EVERY_KIND)),
    Case(("inspector-dead-open",), chosen(VIRUS, ATTACK), passed(VIRUS, ATTACK)),
    Case(
        ("signatures-empty",),
        chosen(VIRUS, VIRUS_FTP, ATTACK, FTP),
        passed(VIRUS, VIRUS_FTP)
        | {FTP: (FAIL, "Inspection is on while the rate", "The virus test file arrives")},
    ),
    Case(
        ("inspector-dead",),
        chosen(VIRUS, ATTACK),
        {
            VIRUS: (FAIL, "A clean file arrives over HTTP with services on: not so"),
            ATTACK: (FAIL, "A harmless request arrives over HTTP with services on: not so"),
        },
    ),
    Case(
        ("webfilter-blocks-all",),
        chosen(SITE, SITE_TLS),
        {
            SITE: (FAIL, "The page of its neighbour arrives over HTTP with services on: not so"),
            SITE_TLS: (FAIL, "The page of its neighbour arrives over HTTPS"),
        },
    ),
    Case(
        ("download-altered",),
        chosen(VIRUS),
        {VIRUS: (FAIL, "A clean file arrives", "it was altered on the way")},
    ),
    Case(
        ("log-lost",),
        chosen(VIRUS, SITE),
        {
            VIRUS: (FAIL, "The gateway's virus log tells what was stopped: not so"),
            SITE: (FAIL, "The gateway's webfilter log tells what was stopped: not so"),
        },
    ),
    Case(
        ("proxy-not-applied",),
        chosen(VIRUS, HELD, HELD_FTP),
        dict.fromkeys((HELD, HELD_FTP), (FAIL, "A proxy passes on no byte of what it stops")),
    ),
    Case(
        ("countries-unknown",),
        chosen(VIRUS, COUNTRY),
        {COUNTRY: (FAIL, "a blocked country is out of reach: not so", "not taken for that")},
    ),
    Case(
        ("inspection-slow",),
        chosen(VIRUS, FTP),
        {FTP: (FAIL, "at least 120 Mbit/s", "With services off it carried")},
    ),
    Case(
        ("license-missing", "function=antivirus"),
        chosen(VIRUS, ATTACK),
        {VIRUS: (NOT_APPLICABLE, "no licence for antivirus", "no license")},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_fault(lab: FaultyLab, case: Case) -> None:
    prove(lab, case)
