"""A promise beside what is proven, as words and as a picture."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from gatepass.base.phrase import NOTHING
from gatepass.report.promises import MeasurementRow
from gatepass.report.strip import proven, strip
from gatepass.report.wording import wording
from gatepass.results.record import FAIL, NOT_PROVEN, PASS, Measurement

RATE = Measurement(
    "stateful_throughput", NOTHING, 307.5, "Mbit/s", "TCP goodput", 1.5,
    trials=(306.9, 307.5, 308.1), threshold=300.0,
)  # fmt: skip


def said(measurement: Measurement, verdict: str) -> str:
    return proven(MeasurementRow("", verdict, measurement=measurement), wording("en"))


@pytest.mark.parametrize(
    ("measurement", "verdict", "told"),
    [
        (RATE, PASS, "at least 306"),
        (replace(RATE, value=290.0), FAIL, "at most 292"),
        (replace(RATE, value=300.5), NOT_PROVEN, "299 to 302"),
        (replace(RATE, half_width=1.6), PASS, "at least 305"),  # never more than was shown
        (replace(RATE, relation="at most", threshold=310.0), PASS, "at most 309"),
        (replace(RATE, relation="at most", half_width=1.6), PASS, "at most 310"),
        (replace(RATE, value=298.1), FAIL, "at most 299.6"),  # with 300 nobody would see why
        (replace(RATE, value=301.8, threshold=300.25), PASS, "at least 300.3"),
        (replace(RATE, value=302.0, relation="at most", threshold=300.2), FAIL, "at least 300.5"),
        (replace(RATE, relation="at most", threshold=305.0), FAIL, "at least 306"),
        (replace(RATE, half_width=None, trials=(307.5,)), NOT_PROVEN, "–"),
        (replace(RATE, half_width=None, trials=(307.5,)), FAIL, "–"),
        (replace(RATE, value=50.0, observed=True, half_width=None, tried=50), PASS, "50"),
    ],
)
def test_the_bound_that_decides(measurement: Measurement, verdict: str, told: str) -> None:
    assert said(measurement, verdict) == told


def places(svg: str, kind: str) -> list[float]:
    return [float(x) for x in re.findall(rf'class="{kind}" d="M(\S+) ', svg)]


def test_all_is_on_one_scale() -> None:
    svg = strip(RATE)
    trials, (promise,) = places(svg, "trial"), places(svg, "promise")
    assert promise == 6.0 and trials == sorted(trials) and len(trials) == 3
    low, wide = map(float, re.search(r'interval" x="(\S+)" y="4" width="(\S+)"', svg).groups())
    assert promise < low < trials[0] and trials[-1] < low + wide == 114.0
    # 7.5 from the promise to the mean, and 1.5 from the mean to the bound
    assert (trials[1] - promise) / (low + wide - trials[1]) == pytest.approx(5, rel=0.02)


def test_what_is_held_against_nothing_has_no_picture() -> None:
    assert strip(replace(RATE, threshold=None)) == ""
    same = replace(RATE, value=50.0, threshold=50.0, half_width=None, trials=(50.0,), observed=True)
    assert strip(same) == ""
