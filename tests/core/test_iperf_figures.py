"""Figures of iperf3 that cannot be, and reports with something beside them."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from test_iperf import DATA, report, reports

from gatepass.base.errors import NotProven
from gatepass.endpoint.iperf import parse, rates_both_ways
from gatepass.endpoint.iperf_report import cut_out
from gatepass.results.trial import Trial
from gatepass.verdict.disturbance import aside_in_words, disturbance

SUM, INTERVAL = ("end", "sum"), ("intervals", 2, "sum")
TOTAL = ("end", "sum_received")


def with_figure(name: str, side: int, path: tuple, value: Any) -> Trial:
    """The trial of captured reports in which a figure is another."""
    both = reports(name)
    part: Any = both[side]
    for key in path[:-1]:
        part = part[key]
    assert path[-1] in part
    part[path[-1]] = value
    return parse(*both)


@pytest.mark.parametrize(
    ("name", "side", "path", "value", "words"),
    [
        ("udp-loss", 1, (*SUM, "lost_percent"), -3.25, "server reported -3.25 % loss"),
        ("udp-loss", 1, (*SUM, "lost_percent"), 179.6, "server reported 179.6 % loss"),
        ("udp-loss", 1, (*SUM, "lost_percent"), None, "server reported nothing % loss"),
        ("udp-loss", 1, (*SUM, "lost_percent"), math.nan, "server reported no number % loss"),
        ("udp-loss-reverse", 0, (*SUM, "lost_percent"), -1, "client reported -1 % loss"),
        ("udp-loss", 1, (*SUM, "lost_packets"), 99999, "reported 99999 lost packets of 1786"),
        ("udp-loss", 1, (*SUM, "lost_packets"), -7, "reported -7 as lost_packets"),
        ("udp-loss", 1, (*SUM, "packets"), 2**64 - 9, "18446744073709551607 as packets"),
        ("udp-loss", 0, ("end", "sum_sent", "packets"), -5, "client reported -5 as packets"),
        ("udp-loss", 1, (*TOTAL, "bytes"), -1, "reported -1 as bytes"),
        ("tcp", 1, (*TOTAL, "bytes"), None, "reported nothing as bytes"),
        ("tcp", 1, (*TOTAL, "seconds"), 0, "reported 0 as seconds"),
        ("tcp", 1, (*TOTAL, "seconds"), math.inf, "reported no number as seconds"),
        ("tcp", 1, (*INTERVAL, "bytes"), -4, "reported -4 as bytes"),
        ("tcp", 1, (*INTERVAL, "seconds"), math.nan, "reported no number as seconds"),
        ("tcp", 1, (*INTERVAL, "end"), math.inf, "reported no number as end"),
        ("tcp", 0, ("end", "sum_sent", "retransmits"), -1, "client reported -1 as retransmits"),
        ("tcp", 0, ("end", "streams", 0, "sender", "mean_rtt"), -9, "reported -9 as mean_rtt"),
        ("tcp", 0, ("end", "cpu_utilization_percent", "host_total"), math.nan, "host_total"),
    ],
)
def test_a_trial_with_a_figure_that_cannot_be_is_set_aside(
    name: str, side: int, path: tuple, value: Any, words: str
) -> None:
    trial = with_figure(name, side, path, value)
    why = disturbance(trial)
    assert why.startswith("iperf3 on the ") and words in why
    assert (trial.lost_percent, trial.datagrams, trial.mbps) == (None, None, 0)
    told = aside_in_words([(trial, why)])
    assert told.startswith("1 trial gave no figure, as one cannot be: iperf3 on the ")


@pytest.mark.parametrize("name", ["tcp", "tcp-reverse", "udp", "udp-reverse", "udp-loss"])
def test_what_was_captured_can_be(name: str) -> None:
    trial = parse(*reports(name))
    assert not trial.impossible and trial.mbps > 0


def test_what_nobody_asks_for_may_be_anything() -> None:
    """The server's own sum of what it sent, of a receiver, has come about below nothing."""
    assert report("udp-loss-server")["end"]["sum_sent"]["packets"] > 2**63
    assert not with_figure("udp-loss", 1, ("end", "sum_sent", "bytes"), -1).impossible


def test_intervals_may_take_back_what_they_had_taken_for_lost() -> None:
    assert not with_figure("udp-loss", 1, (*INTERVAL, "lost_packets"), -1).impossible


def test_a_rate_both_ways() -> None:
    sums = {"sum_received": {"bits_per_second": 3e6}}
    sent = {"end": {**sums, "sum_received_bidir_reverse": {"bits_per_second": math.nan}}}
    with pytest.raises(NotProven, match="client reported no number as bits_per_second"):
        rates_both_ways(sent)


@pytest.mark.parametrize(
    ("sent", "name"),
    [
        ({}, "sum_received"),
        ({"end": []}, "sum_received"),
        ({"end": {"sum_received": {"bits_per_second": 3e6}}}, "sum_received_bidir_reverse"),
        ({"end": {"sum_received": None}}, "sum_received"),
        ({"end": {"sum_received": {}}}, "sum_received"),
    ],
)
def test_a_rate_both_ways_that_is_missing(sent: dict, name: str) -> None:
    with pytest.raises(NotProven, match=f"report is not whole: it lacks '{name}'"):
        rates_both_ways(sent)


WARNING = "warning: UDP block size 1472 exceeds TCP MSS 1448, may result in fragmentation"
TEXT = (DATA / "udp-client.json").read_text()


@pytest.mark.parametrize(
    ("text", "remark"),
    [
        (TEXT, ""),
        (f"{WARNING}\n{TEXT}", WARNING),
        (f"{TEXT}\n{TEXT}", ""),
        (f"{WARNING}\n{TEXT}{TEXT}\nbye\n", f"{WARNING} bye"),
        (f"warning {{sic}}: \n{TEXT}", "warning {sic}:"),
        (f"{TEXT}\n{{ cut off", "{ cut off"),
    ],
    ids=["alone", "warning", "twice", "all", "brace", "cut"],
)
def test_a_report_is_cut_out_of_what_stands_around_it(text: str, remark: str) -> None:
    assert cut_out(text) == (json.loads(TEXT), remark)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ""),
        ("iperf3: error", ""),
        (TEXT[:900], ""),
        ("[1, 2]", ""),
        (f'{TEXT}\n{{"start": {{}}}}', "it wrote reports that differ"),
    ],
)
def test_where_there_is_no_report(text: str, words: str) -> None:
    assert cut_out(text) == (None, words)
