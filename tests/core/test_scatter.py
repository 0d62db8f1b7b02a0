"""What an undecided figure is explained by."""

from __future__ import annotations

from dataclasses import replace

from test_causes import TRIAL, conduct

from gatepass.verdict.scatter import explained, odd_trials

# the undecided figure of a real run: 301 ± 7 against 300
SEEN = [296.6, 305.9, 304.6, 305.1, 293.3]


def test_the_odd_ones_are_found() -> None:
    assert odd_trials(SEEN) == [0, 4]
    assert odd_trials([305.0, 305.1, 305.2]) == []
    assert odd_trials([300.0, 305.0]) == []


def test_what_was_different_in_them_is_told() -> None:
    trials = [
        replace(
            TRIAL,
            mbps=rate,
            conduct={"client": conduct(busy_percent=92.0 if rate < 300 else 30.0)},
        )
        for rate in SEEN
    ]
    assert explained(trials) == (
        "Trials 1 and 5 stood out: 297, 293 Mbit/s against 305 in the others. The client's "
        "processors were busy 92.0 % in them, 30.0 % else."
    )


def test_where_nothing_was_different_that_is_told() -> None:
    text = explained([replace(TRIAL, mbps=rate) for rate in SEEN])
    assert text.endswith("and nothing observed on the test machines was different in them.")


def test_where_none_is_odd_the_scatter_is_told() -> None:
    text = explained([replace(TRIAL, mbps=rate) for rate in (300.0, 301.0, 300.5)])
    assert text == "No trial stands out; they scatter by 0.1 % (standard deviation)."
    assert explained([]) == explained([TRIAL]) == ""
