"""Records: written as lines of a log, read back as they were, told in words."""

from __future__ import annotations

import pytest

from gatepass.results.record import (
    Restoration,
    dump,
    figure,
    measured,
    parse,
    required,
)
from said import evidence, measurement

RATE = measurement(
    "Stateful throughput",
    "1000 policies, NAT on",
    287.2,
    "Mbit/s",
    "TCP goodput",
    4.1,
    0.95,
    (285.0, 289.4),
    300.0,
    baseline=940.0,
    facts={"retransmits": 12, "seen": "198.18.2.1", "none": None},
)


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("measurement", RATE),
        ("measurement", measurement("Baseline", "", 940.0, "Mbit/s")),
        ("evidence", evidence("Ünï “quoted” ± \\ claim", "seen\nand heard", False)),
        ("restoration", Restoration(False, ("a: + b", "c"), ("firewall/policy 7",), "why")),
        ("restoration", Restoration(True)),
        ("run", {"plan": [["Chapter", "Check"]], "gateway": None}),
    ],
)
def test_what_is_written_is_read(kind: str, content: object) -> None:
    line = dump(kind, content)
    assert "\n" not in line
    assert parse(line) == (kind, content)


@pytest.mark.parametrize("message", ["", "Sent 3 segments again.", "gatepass"])
def test_other_messages_are_no_records(message: str) -> None:
    assert parse(message) is None


@pytest.mark.parametrize(
    ("value", "half_width", "told"),
    [
        (287.2, 4.1, "287 ± 4"),
        (308.12, 0.31, "308.1 ± 0.3"),
        (19800.4, 150.2, "19\u202f800 ± 150"),
        (0.05, 0.012, "0.05 ± 0.01"),
        (300.0, 0.0, "300, each time the same"),
        (0.0, 0.0031, "0.000 ± 0.003"),
        (940.4, None, "940"),
        (9.404, None, "9.40"),
        (0.0, None, "0"),
        (-3.26, 0.5, "-3.3 ± 0.5"),
    ],
)
def test_a_figure_has_the_digits_that_its_spread_supports(value, half_width, told) -> None:
    assert figure(value, half_width) == told


def test_words() -> None:
    assert measured(RATE) == "287 ± 4 Mbit/s (95 %, 2 trials, TCP goodput)"
    assert required(RATE) == "at least 300 Mbit/s"
    single = measurement("Loss", "", 0.5, "%", trials=(0.5,), threshold=0.1, relation="at most")
    assert measured(single) == "0.50 % (1 trial)"
    assert required(single) == "at most 0.1 %"
    assert required(measurement("Baseline", "", 940.0, "Mbit/s")) == ""


@pytest.mark.parametrize(
    ("value", "threshold", "relation", "margin"),
    [
        (315, 300, "at least", 5),
        (285, 300, "at least", -5),
        (285, 300, "at most", 5),
        (1, None, "at least", None),
        (1, 0, "at most", None),
    ],
)
def test_the_margin_is_positive_on_the_good_side(value, threshold, relation, margin) -> None:
    one = measurement("p", "", value, "u", threshold=threshold, relation=relation)
    assert one.margin_percent == (margin if margin is None else pytest.approx(margin))


def test_bounds() -> None:
    assert (RATE.lower, RATE.upper) == pytest.approx((283.1, 291.3))
    assert measurement("p", "", 1, "u").lower < 0
