"""The page of a check that did not pass: its trials, their course, and the files by kind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gatepass.report.failure_page import Subject, Tried, render
from gatepass.report.failure_trials import picture, rows

ABOUT = Subject("Stateful firewall", "One Policy, Without NAT", "s1-s4-t1")
THROUGH, BESIDE = "198.18.2.10", "198.18.3.20"


def noted(number: int, mbps: float, to: str = THROUGH, aside: str = "") -> dict:
    hosts = {"client": {"busy_percent": 12.0}, "server": {"busy_percent": 34.0}}
    return {"number": number, "to": to, "mbps": mbps, "hosts": hosts, "set_aside": aside}


def kept(folder: Path, number: int, rates: list[float], again: int = 0) -> None:
    """What iperf3 told of it on both ends: a slow start, then quarters of a second and a stub."""
    parts = [(rate, 0.25 * (at + 1), 0.25, False) for at, rate in enumerate(rates)]
    parts = [(9.0, 0.25, 0.25, True), *parts, (1.0, parts[-1][1] + 0.001, 0.001, False)]
    intervals = [
        {"sum": {"bytes": int(rate * 1e6 / 8 * seconds), "seconds": seconds, "end": end,
                 "retransmits": again, "omitted": omitted}}
        for rate, end, seconds, omitted in parts
    ]  # fmt: skip
    for side in ("client", "server"):
        (folder / f"{number:03d}-{side}.json").write_text(json.dumps({"intervals": intervals}))


@pytest.fixture
def tried(tmp_path: Path) -> Tried:
    for number in (1, 2, 3, 4, 5):
        kept(tmp_path, number, [293, 305, 299], again=number)
    return Tried(
        [
            noted(1, 299.0),
            noted(2, 299.1),
            noted(3, 250.0),
            noted(4, 298.9, aside="the client stood still for 120 ms"),
            noted(5, 314.0, BESIDE),
            {"to": THROUGH, "there": 1.0, "back": 2.0},  # both ways at once: no trial of a number
        ],
        tmp_path,
        {BESIDE},
        300.0,
    )


def test_the_table_marks_what_is_odd_and_what_counts_for_nobody(tried: Tried) -> None:
    told = rows(tried.noted, tried.folder, tried.beside)
    assert [one.number for one in told] == [1, 2, 3, 4, 5]
    assert [one.odd for one in told] == [False, False, True, False, False]
    assert [one.beside for one in told] == [False, False, False, False, True]
    assert told[3].aside == "the client stood still for 120 ms"
    assert [rate for _, rate in told[0].rates] == pytest.approx((293, 305, 299))
    assert [moment for moment, _ in told[0].rates] == pytest.approx((0.125, 0.375, 0.625))
    assert told[1].sent_again == 6
    assert told[0].busy == {"client": 12.0, "server": 34.0}


def test_delays_are_told_by_their_percentiles(tmp_path: Path) -> None:
    seen = {"small4_through_us": {"p50": 40, "p99": 5000}}
    (row,) = rows([{"number": 7, "to": THROUGH, "mbps": 9.3} | seen], tmp_path, ())
    assert row.mbps is None and row.told == "small4 through: median 0.04 ms, 99th percentile 5 ms"


def test_the_picture_does_not_begin_at_zero(tried: Tried) -> None:
    drawn = picture(rows(tried.noted, tried.folder, tried.beside), 300.0)
    assert ">292<" in drawn and ">306<" in drawn  # 293 and 305 with room around them
    assert drawn.count('class="course odd"') == 1
    assert drawn.count('class="promise"') == 1
    assert drawn.count('class="aside"') == drawn.count('class="beside"') == 3  # in each panel
    assert ">5*<" in drawn


def test_without_a_course_there_is_no_picture(tmp_path: Path) -> None:
    for name, text in (("001-server.json", "{"), ("002-server.json", '{"intervals": []}')):
        (tmp_path / name).write_text(text)
    told = rows([noted(1, 3.0), noted(2, 3.0)], tmp_path, ())
    assert [one.rates for one in told] == [[], []] and picture(told, None) == ""


def test_the_page_opens_with_the_sentence_and_leads_back(tried: Tried) -> None:
    files = [("client.txt", "client"), ("gateway/policies.json", "policies"),
             ("trials/002-client.json", "trial 2"), ("trials/001-client.json", "trial 1")]
    page = render(ABOUT, "It carried 287 <Mbit/s>.", files, ["No licence."], tried)
    order = ("It carried 287 &lt;Mbit/s&gt;.", "Its trials", "<svg", "trials/001", "trials/002",
             "gateway/policies.json", "client.txt", "No licence.")  # fmt: skip
    places = [page.index(one) for one in order]
    assert places == sorted(places)
    for name in ("certificate.html", "report.html", "log.html#s1-s4-t1"):
        assert f'href="../../../{name}"' in page


def test_a_check_without_trials() -> None:
    page = render(ABOUT, "It is blocked.", [("client.txt", "client")], [], Tried())
    assert "Its trials" not in page and "<svg" not in page and "client.txt" in page
