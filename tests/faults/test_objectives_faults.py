"""Each fault of classes of service is caught by the check that is there for it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from cases import FAIL, NOT_PROVEN, Case, alone, cases_of, for_long, prove, together
from faulty_lab import PROJECT, FaultyLab

COMMITTED = "Every Class Gets Its Committed Rate"
EXCESS = "Every Class Gets Its Excess Rate"
POLICED = "No Class Gets More Than Was Agreed"
LOSS = "Hardly Any Frame Of A Class Is Lost"
IN_TIME, EVEN = "Every Class Is In Time", "Every Class Is Even"
ORDERLY = "Every Frame Arrives Once, In Order And As It Was Marked"
IMPAIRED, AVAILABLE = "No Second Is Severely Impaired", "Every Class Is Available"
BESIDE = "Classes Are Served As Promised Beside An Overload"
STEPS = (COMMITTED, EXCESS, POLICED)

ALONE = "The path without the gateway shows"
TOO_LATE = (FAIL, "Delay of a class, voice, to the server", "at most 25 ms", ALONE)
LOST = (FAIL, "Frame loss of a class, voice, to the server", "at most 0.05 %", ALONE)

ONE_CLASS = {
    "name": "business",
    "dscp": "AF31",
    "cir_mbps": 20,
    "eir_mbps": 10,
    "burst_allowance_percent": 5,
}
IN_STEPS = alone(
    Case(
        ("shaper-below-tier", "percent=60"),
        STEPS,
        {
            COMMITTED: (FAIL, "Committed rate of a class, business", "at least 19.8", ALONE),
            EXCESS: (FAIL, "business, to the client", "at least 29 Mbit/s", ALONE),
        },
    ),
    Case(
        ("class-unpoliced",),
        STEPS,
        {POLICED: (FAIL, "beyond what was agreed, business, to the", "at most 31.5 Mbit/s")},
    ),
)
TOGETHER = [
    together(
        Case(
            ("classes-ignored",),
            (LOSS, BESIDE),
            {BESIDE: (FAIL, "voice, to the server, beside an overload", ALONE)},
        ),
    ),
    together(
        Case(("latency", "milliseconds=40"), (LOSS, IN_TIME, ORDERLY), {IN_TIME: TOO_LATE}),
        Case(
            ("reordering", "milliseconds=6"),
            (LOSS, IN_TIME, ORDERLY),
            {ORDERLY: (FAIL, "Frames of a class that came twice or late, voice", ALONE)},
        ),
    ),
    for_long(together(
        Case(
            ("jitter", "milliseconds=24"),
            (LOSS, EVEN, ORDERLY),
            {EVEN: (FAIL, "Delay variation of a class, voice, to the", "at most 8 ms", ALONE)},
        ),
        Case(
            ("marking-lost",),
            (LOSS, EVEN, ORDERLY),
            {ORDERLY: (FAIL, "keep their DSCP", "sent with DSCP 46 and arrived with 0")},
        ),
        Case(("loss-bursts", "every_s=0.5"), (LOSS, EVEN, ORDERLY), {LOSS: LOST}),
    )),
    for_long(together(
        Case(
            ("duplication",),
            (ORDERLY, IMPAIRED),
            {ORDERLY: (FAIL, "Frames of a class that came twice or late, business", ALONE)},
        ),
        Case(
            ("outages", "seconds=1.2", "every_s=2"),
            (ORDERLY, IMPAIRED),
            {IMPAIRED: (FAIL, "Severely impaired seconds of a class, voice", "at most 0 s")},
        ),
    )),
]
BY_CLOCKS = (
    Case(
        ("endpoint-clock-drifts",),
        (IN_TIME,),
        {IN_TIME: (NOT_PROVEN, "it is there and back", "have both keep time (NTP)")},
    ),
    # twice as long there and back is too long for one way, and may be short enough
    Case(("latency", "milliseconds=75"), (IN_TIME,)),
)
NO_EXCESS = Case(
    ("excess-not-granted",),
    STEPS,
    {EXCESS: (FAIL, "Committed and excess rate of a class, business", "at least 29")},
)
FOR_LONG = Case(
    ("outages", "seconds=60", "every_s=60"),
    (AVAILABLE,),
    {AVAILABLE: (FAIL, "Availability of a class, voice, to the server", "at least 60 %")},
)
CASES = [*cases_of([*IN_STEPS, *TOGETHER]), *BY_CLOCKS, NO_EXCESS, FOR_LONG]
VOICE = {"name": "voice", "dscp": "EF", "cir_mbps": 1, "frames": 128}


def order_of(folder: Path, one: dict) -> Path:
    """The lab's order with one class of service."""
    order = yaml.safe_load((PROJECT / "variables" / "orders" / "lab.yaml").read_text())
    path = folder / "order.yaml"
    path.write_text(yaml.safe_dump(order | {"objectives": [one]}))
    return path


@pytest.mark.parametrize("cases", IN_STEPS)
def test_measured_in_steps(lab: FaultyLab, tmp_path: Path, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases, order=order_of(tmp_path, ONE_CLASS))


@pytest.mark.long
def test_measured_excess(lab: FaultyLab, tmp_path: Path) -> None:
    prove(lab, NO_EXCESS, order=order_of(tmp_path, ONE_CLASS))


@pytest.mark.parametrize("cases", TOGETHER)
def test_measured(lab: FaultyLab, cases: tuple[Case, ...]) -> None:
    prove(lab, *cases)


@pytest.mark.long
def test_measured_availability(lab: FaultyLab, tmp_path: Path) -> None:
    """Unavailable time begins with ten seconds in a row (ITU-T Y.1563)."""
    order = order_of(tmp_path, VOICE | {"availability_percent": 60})
    prove(lab, FOR_LONG, order=order, profile="quick")


@pytest.mark.long
def test_measured_by_clocks_that_do_not_agree(lab: FaultyLab, tmp_path: Path) -> None:
    order = order_of(tmp_path, VOICE | {"delay_ms": 100, "delay_percentile": 90})
    prove(lab, *BY_CLOCKS, order=order)
