"""Each fault of the security services is caught by the check that is there for it."""

from __future__ import annotations

import pytest
from cases import FAIL, Case, alone, cases_of, for_long, prove, together
from faulty_lab import FaultyLab

VIRUS, VIRUS_FTP = "A Virus Over HTTP", "A Virus Over FTP"
SITE, SITE_TLS = "A Blocked Site Over HTTP", "A Blocked Site Over HTTPS"
ATTACK, APPLICATION = "An Attack", "An Unwanted Application"
FILE_TYPE, FILE_TYPE_FTP = "An Unwanted File Type Over HTTP", "An Unwanted File Type Over FTP"
HELD, HELD_FTP = "A Virus Over HTTP, By Proxy", "A Virus Over FTP, By Proxy"
SITE_PROXY = "A Blocked Site, By Proxy"
COUNTRY = "A Blocked Country"
FTP, HTTP = "FTP Downloads", "HTTP Downloads"
SMALLEST, *LARGER = (f"Objects Of {size} KB Over HTTP" for size in (16, 64, 256))
MIX = "A Mix Of Applications"
ARRIVED = "it arrived although services are on"
SERVICES_LICENSED = "The Ordered Services Are Licensed"
LICENSED = f"*.Before the test.{SERVICES_LICENSED}"


def chosen(*checks: str) -> tuple[str, ...]:
    """Patterns of these checks of the chapter."""
    return tuple(f"*.Security services.*.{check}" for check in checks)


def passed(*checks: str) -> dict[str, tuple[str, ...]]:
    """What was to be stopped got through."""
    return dict.fromkeys(checks, (FAIL, "is stopped over", ARRIVED))


EVERY_KIND = (VIRUS, VIRUS_FTP, SITE, SITE_TLS, ATTACK, APPLICATION, FILE_TYPE, FILE_TYPE_FTP)
TOO_SLOW = (FAIL, "at least 120 Mbit/s", "Mbit/s")

INSPECTION_SLOW, SMALL_SLOW = alone(
    Case(
        ("inspection-slow", "mbps=100"),
        chosen(VIRUS, FTP, HTTP, MIX),
        dict.fromkeys((FTP, HTTP), (*TOO_SLOW, "With services off it carried")) | {MIX: TOO_SLOW},
    ),
    Case(
        ("small-objects-slow",),
        chosen(FTP, SMALLEST),
        {SMALLEST: (*TOO_SLOW, "HTTP objects of 16 KB")},
    ),
)
MEASURED = [INSPECTION_SLOW, for_long(SMALL_SLOW)]

RUNS = [
    together(
        Case(
            ("file-filter-not-ftp",),
            chosen(FILE_TYPE, FILE_TYPE_FTP),
            passed(FILE_TYPE_FTP),
        ),
        Case(
            ("webfilter-not-by-proxy",),
            chosen(SITE, SITE_PROXY),
            passed(SITE_PROXY),
        ),
        Case(
            ("proxy-not-applied",),
            chosen(VIRUS, HELD, HELD_FTP),
            dict.fromkeys((HELD, HELD_FTP), (FAIL, "A proxy passes on no byte of what it stops")),
        ),
        Case(
            ("countries-unknown",),
            chosen(VIRUS, COUNTRY),
            {COUNTRY: (FAIL, "a blocked country is out of reach: not the", "not counted as that")},
        ),
    ),
    *alone(
        Case(("services-not-applied",), chosen(*EVERY_KIND), passed(*EVERY_KIND)),
        Case(("inspector-dead-open",), chosen(VIRUS), passed(VIRUS)),
        Case(
            ("signatures-empty",),
            chosen(VIRUS, ATTACK, FTP),
            passed(VIRUS)
            | {FTP: (FAIL, "Inspection is on while the rate", "The virus test file arrives")},
        ),
        Case(
            ("inspector-dead",),
            chosen(ATTACK),
            {ATTACK: (FAIL, "A harmless request arrives over HTTP with services on: not the case")},
        ),
        Case(
            ("memory-short",),
            chosen(FILE_TYPE),
            {FILE_TYPE: (FAIL, "over HTTP with services on: not the case")},
        ),
        Case(
            ("webfilter-blocks-all",),
            chosen(SITE_TLS),
            {SITE_TLS: (FAIL, "The page of its neighbour arrives over HTTPS")},
        ),
        Case(
            ("download-altered",),
            chosen(VIRUS),
            {VIRUS: (FAIL, "A clean file arrives", "it was altered on the way")},
        ),
        Case(
            ("log-lost",),
            chosen(SITE),
            {SITE: (FAIL, "The gateway's webfilter log records what was stopped: not the case")},
        ),
        Case(
            ("license-missing", "function=antivirus"),
            (LICENSED, *chosen(VIRUS, ATTACK, FTP)),
            dict.fromkeys(
                (SERVICES_LICENSED, VIRUS, FTP),
                (FAIL, "no valid licence for antivirus", "“no license”"),
            ),
        ),
        Case(
            ("licence-expired",),
            (LICENSED, *chosen(VIRUS, SITE, ATTACK, APPLICATION)),
            dict.fromkeys(
                (SERVICES_LICENSED, VIRUS),
                (FAIL, "The order includes security services", "“expired”", "installed or renewed"),
            ),
        ),
    ),
]
OTHERS = alone(
    Case(("inspection-slow", "mbps=100"), chosen(*LARGER), dict.fromkeys(LARGER, TOO_SLOW)),
)
"""Rows of the same table as the smallest objects: they are tried where long tests are."""
CASES = cases_of([*MEASURED, *RUNS, *OTHERS])


@pytest.mark.parametrize("cases", MEASURED)
def test_measured(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)


@pytest.mark.parametrize("cases", RUNS)
def test_caught(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)


@pytest.mark.long
@pytest.mark.parametrize("cases", OTHERS)
def test_measured_others(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)
