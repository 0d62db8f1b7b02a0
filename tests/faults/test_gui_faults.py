"""Faults of the gateway's web page: who gets in who should not, and what cannot be worked with."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from cases import BACK, FAIL, NOT_PROVEN, Case, alone, cases_of, for_long, prove, together
from faulty_lab import PROJECT, FaultyLab, lab_in

from lab.lifecycle.device import DEFAULT_VERSION, DELIVERED

PINNED = "The Page To Log In Comes With The Pinned Certificate"
FRAMES = "The Page To Log In Keeps Out Of Frames And Of Clear Text"
PASSWORD = "An Administrator's Wrong Password Is Refused"
COOKIE = "A Session's Cookie Is Out Of Reach"
LIST = tuple(
    f"The List Of Policies Can Be Worked With, {count}"
    for count in ("1 Policy", "100 Policies", "1000 Policies")
)
SCRIPTS, LOG_OUT = "No Script Of The Page Fails", "A Log-Out Ends The Session"
EXPOSED = "The Page Does Not Answer At Its Own And The Usual Ports On The Customer's Side"
IDLE = "A Session That Nobody Uses Ends By Itself"

TOGETHER = [
    together(
        Case(("gui-any-password",), (PASSWORD,), {PASSWORD: (FAIL, "the page lets them in")}),
        Case(
            ("gui-frameable",),
            (FRAMES, PINNED),
            {FRAMES: (FAIL, "Content-Security-Policy has frame-ancestors *")},
        ),
        Case(("gui-cookie-bare",), (COOKIE,), {COOKIE: (FAIL, "is not Secure", "not HttpOnly")}),
        Case(("gui-script-error",), (SCRIPTS,), {SCRIPTS: (FAIL, "1: Cannot read properties")}),
        Case(
            ("gui-log-out-ignored",),
            (LOG_OUT,),
            {LOG_OUT: (FAIL, "A log-out ends the session: not the case", "cookies is served")},
        ),
        Case(
            ("gui-on-customers-port",),
            (EXPOSED,),
            {EXPOSED: (FAIL, "The page answers at 198.18.1.1 port 443 (HTTPS)")},
        ),
    ),
    together(
        Case(
            ("gui-editor-saves",),
            LIST[:1],
            {LIST[0]: (FAIL, "Looking at a policy changes nothing: not the case")},
        ),
    ),
    together(
        Case(
            ("other-certificate",),
            (PINNED,),
            {
                PINNED: (FAIL, "does not chain to gateway-ca.pem"),
                BACK: (NOT_PROVEN, "its certificate must chain to"),
            },
        ),
    ),
]
SEARCH_MISSES, SLOWS_DOWN = alone(
    Case(
        ("gui-search-misses",),
        LIST[1:2],
        {LIST[1]: (FAIL, "A search for", "which the REST API lists, does not show it")},
    ),
    Case(
        ("gui-slows-down", "microseconds=1"),
        LIST,
        {
            LIST[2]: (
                FAIL,
                "Work in the management GUI, median wait, first row",
                "promised is at most 0.4 s",
                "so the page itself takes the time",
                "with 1 policy 0.",
                "with 100 policies 0.",
                "with 1,000 policies 1.",
                'Hokkanen 2016 found the GUI of a virtual firewall "nearly unusable',
            )
        },
    ),
)
ON_A_QUIET_MACHINE = [SEARCH_MISSES, for_long(SLOWS_DOWN)]
REST_IS_SLOW = Case(
    ("api-slow", "milliseconds=500", "method=GET", "path=cmdb/firewall/policy"),
    LIST[:1],
    {LIST[0]: (FAIL, "first row", "promised is at most 0.4 s", "the device itself is slow")},
)
NEVER_IDLE = Case(
    ("gui-never-idle",),
    (IDLE,),
    {IDLE: (FAIL, "Minutes of its time-out (admintimeout): 1.", "is open")},
)
"""What is waited for does not count where the browser was slow."""
CASES = [*cases_of([*TOGETHER, *ON_A_QUIET_MACHINE]), REST_IS_SLOW, NEVER_IDLE]


@pytest.mark.parametrize("cases", TOGETHER)
def test_caught(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)


@pytest.mark.parametrize("cases", ON_A_QUIET_MACHINE)
def test_measured(lab: FaultyLab, tmp_path: Path, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases, order=in_a_hurry(tmp_path))


@pytest.mark.long
def test_measured_where_the_rest_api_is_slow(lab: FaultyLab, tmp_path: Path) -> None:
    """It is told from a slow page."""
    prove(lab, REST_IS_SLOW, order=in_a_hurry(tmp_path))


def in_a_hurry(folder: Path) -> Path:
    """The lab's order, with less time for work in the web page."""
    order = yaml.safe_load((PROJECT / "variables" / "orders" / "lab.yaml").read_text())
    path = folder / "order.yaml"
    path.write_text(yaml.safe_dump(order | {"gui": {"within_s": 0.4}}))
    return path


def test_idle_where_it_takes_minutes(tmp_path: Path) -> None:
    """FortiOS's shortest time-out is a minute."""
    script = tmp_path / "delivered.conf"
    script.write_text(f"{DELIVERED.read_text()}config system global\nset admintimeout 1\nend\n")
    with lab_in(tmp_path / "lab", DEFAULT_VERSION, "--delivered", str(script)) as lab:
        prove(lab, NEVER_IDLE)
