"""What a reader of the log sees of a record."""

from __future__ import annotations

import pytest

from gatepass.report.sparkline import in_words, sparkline
from gatepass.results.record import Cause, Restoration
from said import evidence, measurement
from support.log_lines import line

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
