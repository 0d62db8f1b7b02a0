"""Sees to it that every check ends with one of four verdicts, and fills the report's columns."""

from __future__ import annotations

from gatepass import record
from gatepass.outcome import verdict_of
from session import session

FOR_COMPARISON = "for comparison"
"""What stands where a figure is held against nothing, beside others that are."""
_STOPPED = ("Execution terminated by signal", "Test execution stopped due to a fatal error")
_OF_THE_PARENT = ("Skipped in parent suite setup:", "Parent suite setup failed:")


class Verdicts:
    """A listener for Robot's own ``--listener``.

    Only an AssertionError of a keyword of ours is the gateway's fault (see `guard`). A failure that
    none explains came from elsewhere, a keyword that is not there or a time-out, and is not proven.
    """

    ROBOT_LISTENER_API_VERSION = 3

    def start_test(self, data: object, result: object) -> None:
        """Nothing noted before belongs to this check."""
        session.noted.clear()
        session.asserted = ""

    def end_test(self, data: object, result: object) -> None:
        """Give the check its verdict and the columns of the report."""
        message = _in_our_words(result.message)
        if result.status == "FAIL" and not (session.asserted and session.asserted in message):
            result.status = "SKIP"
        if result.status == "SKIP" and not message.startswith(("Not proven:", "Not applicable:")):
            message = f"Not proven: {message}"
        result.message = message
        result.metadata["Verdict"] = verdict_of(result.status, message)
        measurements = [note for note in session.noted if isinstance(note, record.Measurement)]
        evidence = [note for note in session.noted if isinstance(note, record.Evidence)]
        columns = {
            "Measured": [record.measured(measurement) for measurement in measurements],
            "Required": _aligned([record.required(measurement) for measurement in measurements]),
            "Evidence": dict.fromkeys(
                f"{'✓' if one.holds else '✗'} {one.claim}" for one in evidence
            ),
        }
        for name, texts in columns.items():
            if shown := "; ".join(text for text in texts if text):
                result.metadata[name] = shown


def _aligned(texts: list[str]) -> list[str]:
    """A requirement for each figure, or none at all where no figure has one."""
    return [text or FOR_COMPARISON for text in texts] if any(texts) else []


def _in_our_words(message: str) -> str:
    if any(words in message for words in _STOPPED):
        return "Not proven: the run was stopped before this check had its verdict."
    for words in _OF_THE_PARENT:
        message = message.replace(words, "")
    return message.strip()
