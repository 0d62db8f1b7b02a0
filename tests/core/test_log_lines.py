"""What a reader of the log sees of a record."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gatepass.report.log_lines import line
from gatepass.report.sparkline import in_words, sparkline
from gatepass.report.timeline import timeline
from gatepass.results.record import Cause, Restoration
from said import evidence, measurement

SLOW = measurement(
    "Throughput", "1 <policy>", 240.0, "Mbit/s", "TCP", 2.0, trials=(239.0, 241.0), threshold=300.0
)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (SLOW, ("1 &lt;policy&gt;", "<b>240 ± 2 Mbit/s", "at least 300 Mbit/s is", "<svg")),
        (evidence("It <holds>", "Seen.", True), ("✓ It &lt;holds&gt;: Seen.",)),
        (evidence("It holds", "Not <seen>.", False), ("✗ It holds: Not &lt;seen&gt;.",)),
        (Cause("loss", "3 < 4.", 0.9), ("Likely cause, loss: 3 &lt; 4.",)),
        (Restoration(True), ("configuration is back",)),
        (Restoration(False, problem="1 <object>"), ("is not back: 1 &lt;object&gt;",)),
    ],
)
def test_lines(content: object, words: tuple[str, ...]) -> None:
    assert all(word in line(content) for word in words), line(content)


def test_facts_of_the_run_are_no_news() -> None:
    assert line({"run_id": "1"}) == ""


def test_the_picture() -> None:
    svg = sparkline(SLOW)
    assert svg.count("<rect") == 2
    assert "stroke-dasharray" in svg
    assert "Trials: 239, 241 Mbit/s; at least 300 is promised" in svg
    assert in_words(SLOW) in svg


def test_a_picture_without_a_promise_or_without_trials() -> None:
    rate = measurement("Baseline", "", 1.0, "Mbit/s", trials=(1.0,) * 60)
    assert "stroke-dasharray" not in sparkline(rate)
    assert sparkline(rate).count("<rect") == 40
    assert sparkline(measurement("Loss", "", 0.0, "%", trials=(0.0,))) == ""
    assert sparkline(measurement("Baseline", "", 1.0, "Mbit/s")) == ""


class TestTimeline:
    """What one observation saw over its time."""

    SEEN = replace(
        measurement("Outage while a tunnel's keys are renewed", "", 74.0, "ms", threshold=100.0),
        observed=True,
        relation="at most",
        series=(0.1, 0.1, 74.0, 60.0, 0.1),
        series_interval_s=0.1,
    )

    def test_a_line_from_rest_to_rest_with_the_promise(self) -> None:
        svg = timeline(self.SEEN)
        assert "Each 0.1 s: 0.10, 0.10, 74.0, 60.0, 0.10 ms; at most 100 ms" in svg
        assert svg.count("<polyline") == 1 and "stroke-dasharray" in svg and "0.5 s" in svg

    def test_a_promise_far_above_is_told_and_not_drawn(self) -> None:
        svg = timeline(replace(self.SEEN, threshold=400.0))
        assert "at most 400 ms" in svg and "stroke-dasharray" not in svg

    def test_it_stands_in_the_log(self) -> None:
        assert "<polyline" in line(self.SEEN)

    def test_what_has_trials_or_no_series_has_none(self) -> None:
        assert timeline(replace(self.SEEN, observed=False)) == ""
        assert timeline(replace(self.SEEN, series=())) == ""
