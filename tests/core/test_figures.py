"""Figures that cannot be, and how they are told."""

from __future__ import annotations

import json
import math

import pytest
from pydantic import TypeAdapter

from gatepass.base.errors import NotProven
from gatepass.base.figures import (
    Count,
    Figures,
    NotNegative,
    Percent,
    Positive,
    impossible,
    must_be_part,
)
from gatepass.endpoint.answers import Malformed, of_json
from gatepass.endpoint.datagram_reports import Taken
from gatepass.endpoint.talk import Talked


class Told(Figures):
    share: Percent
    count: Count = 0


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (Percent, (0, 100, 3.5), (-0.01, 100.1, math.nan, math.inf, None, "much")),
        (Count, (0, 10**12), (-1, 2**64 - 1, 1.5, None, math.nan)),
        (NotNegative, (0, 1e9), (-1e-9, math.inf, math.nan, None)),
        (Positive, (1e-6,), (0, -1, math.inf)),
    ],
)
def test_ranges(kind: object, good: tuple, bad: tuple) -> None:
    assert [one for one in good if impossible(TypeAdapter(kind), one)] == []
    assert [one for one in bad if not impossible(TypeAdapter(kind), one)] == []


def test_the_first_is_named_as_it_was_told() -> None:
    assert impossible(Told, {"share": -3.25, "count": -1}) == ("share", "-3.25")
    assert impossible(Told, {"share": None}) == ("share", "nothing")
    assert impossible(Told, {"share": math.nan}) == ("share", "no number")
    assert impossible(Told, {"share": 3, "more": -1}) is None


def test_one_that_is_missing_is_another_fault() -> None:
    with pytest.raises(KeyError, match="share"):
        impossible(Told, {"count": 1})


def test_a_part_is_no_more_than_the_whole() -> None:
    must_be_part(3, 3, "datagrams", "server")
    words = r"what the server counted cannot be: 1,200 of 1,000 datagrams\."
    with pytest.raises(NotProven, match=words):
        must_be_part(1200, 1000, "datagrams", "server")


NOTHING_LOST = {
    **dict.fromkeys(("received", "doubled", "overtaken", "foreign", "socket_lost"), 0),
    **{"gaps": [], "delays_us": [], "variations_us": [], "ticks": [], "arrivals": []},
    **{"tick_delays": [], "sources": [], "tos": [], "seconds": 0.0, "cpu_s": 0.0},
}
TALKED = {"opened": 1, "said": 2, "heard": 2, "longest_s": 0.1}


@pytest.mark.parametrize(
    ("kind", "whole", "odd"),
    [
        (Taken, NOTHING_LOST, {"received": -1}),
        (Taken, NOTHING_LOST, {"seconds": -0.1}),
        (Taken, NOTHING_LOST, {"gaps": [[1, -2, 3]]}),
        (Taken, NOTHING_LOST, {"variations_us": [[-1, 1]]}),
        (Taken, NOTHING_LOST, {"arrived": -1}),
        (Taken, NOTHING_LOST, {"cpu_s": float("nan")}),
        (Talked, TALKED, {"longest_s": -1.0}),
        (Talked, TALKED, {"said": -2}),
        (Talked, TALKED, {"heard": 2**64 - 1}),
    ],
)
def test_what_programs_of_the_run_count(kind: type, whole: dict, odd: dict) -> None:
    assert of_json(kind, json.dumps(whole))
    with pytest.raises(Malformed):
        of_json(kind, json.dumps(whole | odd))
