"""What the log shows of a record: a line for a reader; the record itself is there at DEBUG."""

from __future__ import annotations

from html import escape

from gatepass.report.sparkline import sparkline
from gatepass.report.timeline import timeline
from gatepass.results import record
from gatepass.results.record import Cause, Evidence, Measurement, Restoration


def line(content: object) -> str:
    """HTML for a record; empty where a reader gains nothing by it."""
    match content:
        case Measurement():
            return _measurement(content)
        case Evidence():
            return f"{'✓' if content.holds else '✗'} {escape(str(content.claim))}: " + escape(
                content.observed
            )
        case Cause():
            return f"Likely cause, {escape(content.name)}: {escape(content.sentence)}"
        case Restoration():
            back = "is back" if content.identical else f"is not back: {escape(content.problem)}"
            return f"The gateway's configuration {back}."
    return ""


def _measurement(measurement: Measurement) -> str:
    wanted = record.required(measurement)
    sentence = f"<b>{escape(record.measured(measurement))}</b>" + (
        f"; {escape(wanted)} is promised" if wanted else ""
    )
    picture = timeline(measurement) or sparkline(measurement)
    return f"{escape(measurement.subject)}: {sentence} {picture}".rstrip()
