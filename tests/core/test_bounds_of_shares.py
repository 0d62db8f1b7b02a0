"""No bound of a figure lies where the figure cannot: no share below 0 or above 100 %."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from certificate_checks import throughput
from certificate_examples import approved
from certificate_reader import rows
from gatepass.base.phrase import say
from gatepass.report.promises import promise_table
from gatepass.report.wording import wording
from gatepass.results.outcome import Check
from gatepass.results.record import FAIL, NOT_PROVEN, PASS, Measurement
from gatepass.stats.intervals import burst_worth, design_worth, per_cent
from gatepass.verdict.judgement import UNDECIDED, decide
from said import evidence

LOST = Measurement(
    "class_loss", say("class_way", label="voice", way=say("to_server")), 11.759, "%", "frames",
    half_width=74.054, trials=(11.759,), threshold=0.05, relation="at most",
)  # fmt: skip


@pytest.mark.parametrize(
    ("value", "width", "unit", "bounds"),
    [
        (11.8, 74.0, "%", (0.0, 85.8)),
        (99.0, 5.0, "%", (94.0, 100.0)),
        (120.0, 300.0, "Mbit/s", (0.0, 420.0)),
        (-0.4, 1.0, "ms", (-0.4, 0.6)),  # by clocks that differ
    ],
)
def test_bounds(value: float, width: float, unit: str, bounds: tuple[float, float]) -> None:
    one = replace(LOST, value=value, half_width=width, unit=unit)
    assert (one.lower, one.upper) == pytest.approx(bounds)
    assert (one.fail_lower, one.fail_upper) == pytest.approx(bounds)


@pytest.mark.parametrize("of_check", [PASS, FAIL, NOT_PROVEN])
def test_a_straddling_loss_is_not_proven_whatever_its_check_says(of_check: str) -> None:
    outcome = approved()
    outcome.checks = [Check("Service Objectives", "Loss", of_check, measurements=[LOST])]
    (rows_of,) = (one for one in promise_table(outcome, wording("en")).others)
    assert rows_of.rows[0].verdict == NOT_PROVEN
    proven = rows(outcome, "promises")["Frame loss of a class"][1]
    assert "−" not in proven and proven.startswith("0")


def test_a_rate_that_is_reached_passes_and_its_check_has_a_line_of_its_own() -> None:
    outcome = approved()
    wrong = throughput(100, True, 311.2, 0.5, verdict=FAIL)
    claim = "The server saw the address that the policy should give"
    wrong.evidence[1] = evidence(claim, "It saw 198.18.1.10", False)
    outcome.checks = [throughput(1, False, 311.0, 0.5), wrong]
    (promise, *_) = promise_table(outcome, wording("en")).promises
    assert [row.verdict for row in promise.measured] == [PASS, PASS]
    assert [(row.conditions, row.verdict) for row in promise.beside] == [
        ("100 Policies, With NAT", FAIL)
    ]
    assert promise.verdict == FAIL and not promise.open
    page = rows(outcome, "promises")["Stateful throughput"]
    assert page[-1] == "fail"


def test_a_share_has_exact_bounds() -> None:
    none = per_cent(0, 20_000, 0.025, 0.0002)
    assert none.upper == pytest.approx(0.0184, abs=1e-4) and none.fail_lower == 0.0
    every = per_cent(50, 50, 0.025, 0.0002)
    assert every.upper == 100.0


def test_losses_that_come_at_once_count_for_few() -> None:
    """One gap of 1.2 s in 10 s shows little of how often there are such gaps."""
    sizes = [100] * 100
    gap, even = [100] * 12 + [0] * 88, [12] * 100
    assert design_worth(gap, sizes) == pytest.approx(0.01, rel=0.05)
    assert design_worth(even, sizes) == 1.0
    part = burst_worth(gap, sizes)
    assert part < 0.001 and burst_worth([0] * 100, sizes) == 1.0
    assert burst_worth(even, sizes) > 0.7
    value = per_cent(sum(gap), sum(sizes), 0.025, 0.0002, part)
    assert decide(value, 0.05, "at most") == UNDECIDED
    assert 0.0 <= value.fail_lower < value.mean < value.upper < 100.0


def test_losses_apart_from_one_another_fail_as_soon_as_they_are_too_many() -> None:
    random = Random(1)
    sizes = [200] * 100
    hits = [sum(random.random() < 0.01 for _ in range(200)) for _ in sizes]
    value = per_cent(sum(hits), sum(sizes), 0.025, 0.0002, burst_worth(hits, sizes))
    assert decide(value, 0.05, "at most") == FAIL
