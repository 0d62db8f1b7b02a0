"""The certificate's charts: drawn to scale, the same each time, and told in words as well."""

from __future__ import annotations

import dataclasses
import xml.etree.ElementTree as ElementTree

import pytest

from certificate_checks import throughput
from certificate_examples import approved, nothing_known, whole
from certificate_reader import parsed, text
from gatepass.base.phrase import say
from gatepass.report.svg import Alternative, Bar, Line, bars, curve, letters
from gatepass.results.record import Measurement

OTHER = Alternative("c", "Title", "Text")


def told(outcome) -> dict[str, str]:
    """Alternative text of each chart by its title."""
    charts = parsed(outcome).iterfind(".//svg[@role='img']")
    return {text(one.find("title")): text(one.find("desc")) for one in charts}


def test_the_charts_of_a_whole_run_with_their_figures_as_text():
    charts = told(whole())
    assert charts["Stateful throughput by size of the rule set"] == (
        "1 policy: with NAT 308.6 ± 0.7 Mbit/s; without NAT 309.2 ± 0.7 Mbit/s. "
        "100 policies: with NAT 308.3 ± 0.9 Mbit/s; without NAT 308.9 ± 0.9 Mbit/s. "
        "1000 policies: with NAT 307.5 ± 1.2 Mbit/s; without NAT 308.1 ± 1.2 Mbit/s. "
        "Promised is 300 Mbit/s."
    )
    cost = charts["What security services cost"]
    assert "FTP: services on 287 (−6.6 %) ± 9 Mbit/s; services off 307 Mbit/s." in cost
    cipher = charts["IPsec throughput by cipher"]
    assert "AES256, SHA256, DH 14: current cipher 343 ± 6 Mbit/s." in cipher
    assert "3DES, SHA1, DH 2: weak cipher 94 ± 6 Mbit/s." in cipher
    (over_time,) = (name for name in charts if "over time" in name)
    assert "1000 policies, NAT on, median of 3 trials: 305.1 to 309.1" in over_time
    assert "One figure for each 0.5 s, in Mbit/s: 305.1, 308.6, 308.1, 306.6" in charts[over_time]


def test_ciphers_are_drawn_where_nothing_is_promised_of_them_as_well():
    outcome = whole()
    for check in outcome.checks:
        check.measurements = [
            dataclasses.replace(m, threshold=None) if m.promise == "ipsec_throughput" else m
            for m in check.measurements
        ]
    assert "Promised" not in told(outcome)["IPsec throughput by cipher"]


@pytest.mark.parametrize("outcome", [nothing_known])
def test_no_measurement_no_chart(outcome):
    assert told(outcome()) == {}


def test_a_rate_over_time_of_few_figures_shows_nothing():
    outcome = approved()
    check = throughput(1, False, 309.0, 4.0)
    short = dataclasses.replace(check.measurements[0], series=(309.0,) * 4)
    outcome.checks = [dataclasses.replace(check, measurements=[short])]
    assert told(outcome) == {}


def widths(picture: str) -> list[float]:
    svg = ElementTree.fromstring(picture)
    drawn = [one for one in svg.iter("rect") if float(one.get("y")) > 5]  # the legend is above
    return [float(one.get("width")) for one in drawn]


def test_bars_are_drawn_to_scale():
    first, second = widths(
        bars([("A", [Bar(300, "300")]), ("B", [Bar(150, "150", True)])], None, ("x", "y"), OTHER)
    )
    assert first == pytest.approx(2 * second, abs=0.2)


def test_the_promise_stands_where_a_bar_of_its_size_would_end():
    picture = bars([("A", [Bar(300, "300")])], Line(300, "promised"), ("x", ""), OTHER)
    svg = ElementTree.fromstring(picture)
    bar = next(one for one in svg.iter("rect") if float(one.get("y")) > 5)
    limit = next(one for one in svg.iter("path") if one.get("class") == "limit")
    end = float(bar.get("x")) + float(bar.get("width"))
    assert float(limit.get("d")[1:].split()[0]) == pytest.approx(end, abs=0.2)


@pytest.mark.parametrize("promised", [1, 150, 300])
def test_the_name_of_a_promise_stays_in_the_picture(promised):
    name = "promised is so many Mbit/s"
    picture = bars([("A", [Bar(300, "300")])], Line(promised, name), ("x", ""), OTHER)
    (label,) = (one for one in ElementTree.fromstring(picture).iter("text") if one.text == name)
    assert label.get("text-anchor") == "middle"
    half, at = letters(name) / 2, float(label.get("x"))
    assert at - half >= -0.1 and at + half <= 360.1


def test_a_label_of_wide_letters_gets_more_room():
    wide, narrow = (
        ElementTree.fromstring(bars([(name, [Bar(1, "1")])], None, ("x", ""), OTHER))
        for name in ("HMWMWM", "illtij")
    )
    left = [float(one.find("rect[2]").get("x")) for one in (wide, narrow)]
    assert left[0] > left[1] + 20


@pytest.mark.parametrize("value", [0, 0.001, 1e7])
def test_any_figure_stays_in_the_picture(value):
    for picture in (
        bars([("A", [Bar(value, "text", half_width=value)])], Line(value, "p"), ("x", ""), OTHER),
        curve([value] * 3, 1.0, Line(value, "p"), ("a", "b", "c"), OTHER),
    ):
        assert "nan" not in picture and "inf" not in picture
        assert all(width <= 360 for width in widths(picture))


def test_hatched_and_plain_are_named_where_they_are_used():
    picture = bars([("A", [Bar(1, "1"), Bar(2, "2", True)])], None, ("plain", "hatched"), OTHER)
    assert picture.count("url(#hatch)") == 2  # the bar and the legend
    assert "plain" in picture and "hatched" in picture


def test_a_label_is_no_markup():
    label = '<script>"&'
    picture = bars([(label, [Bar(1, label)])], Line(1, label), (label, ""), OTHER)
    assert "<script" not in picture
    assert ElementTree.fromstring(picture) is not None


def test_a_delay_over_time_stands_beside_a_rate_over_time():
    outcome = whole()
    delay = Measurement(
        "queue_delay",
        say("tcp_both_ways", way=say("to_server"), streams=4),
        74.0,
        "ms",
        trials=(74.0,),
        threshold=400.0,
        relation="at most",
        observed=True,
        series=(0.1, 0.1, 74.0, 60.0, 0.1, 0.1),
        series_interval_s=0.1,
    )
    outcome.checks[5].measurements.append(delay)
    charts = told(outcome)
    assert len([name for name in charts if "over time" in name]) == 2
    (name,) = (one for one in charts if "over time" in one and "queue" in one)
    assert "One figure for each 0.1 s, in ms: 0.1, 0.1, 74.0, 60.0, 0.1, 0.1" in charts[name]
    assert "Promised is 400 ms" in charts[name]
