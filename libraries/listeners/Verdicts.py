"""Sees to it that every check ends with one of four verdicts, and fills the report's columns."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from gatepass.base.phrase import NOTHING
from gatepass.base.printable import shown
from gatepass.gateway import transport
from gatepass.report import robot_text
from gatepass.report.columns import columns
from gatepass.report.reasons import ShownReason, reasons
from gatepass.results import record
from gatepass.results.chapters import chapter_of
from gatepass.results.outcome import FAILURE, Check, Outcome, plain, verdict_of
from support import first_failure
from support.keyword_library import Context
from support.run_context import RunContext

_TELLING = 1000
"""Characters of the beginning of a message; Robot keeps its first 20 lines of 78."""
_REASONS = 5
"""That stand above the fold; the checks tell the rest."""
_LONGEST = 700
"""Letters of one of them."""
_STOPPED = ("Execution terminated by signal", "Test execution stopped due to a fatal error")
_OF_THE_PARENT = ("Skipped in parent suite setup:", "Parent suite setup failed:")


class Verdicts:
    """A listener for Robot's own ``--listener``.

    Only an AssertionError of a keyword of ours is the gateway's fault (see `guard`). A failure that
    none explains came from elsewhere, a keyword that is not there or a time-out, and is not proven.

    Attributes:
        ended: the checks so far, as they ended.
    """

    ROBOT_LISTENER_API_VERSION = 3

    def __init__(self) -> None:
        self._context = Context()  # until the library comes with its own
        self.ended: list[Check] = []

    def library_import(self, library: object, importer: object) -> None:
        """Listen to what the keyword libraries share."""
        if shared := getattr(library.instance, "context", None):
            self._context = shared

    def start_test(self, data: object, result: object) -> None:
        """Nothing noted before belongs to this check."""
        self._context.begin_check(chapter_of(result).name, result.name, result.id)

    def end_test(self, data: object, result: object) -> None:
        """Give the check its verdict and the columns of the report."""
        check, message = self._context.check, result.message
        if result.status == "FAIL" and not _says(message, check.asserted):
            result.status = "SKIP"
        elif _skipped_in_teardown(result) and _says(message, check.asserted):
            result.status, message = "FAIL", check.asserted
        message = _in_our_words(message)
        if result.status == "SKIP" and not message.startswith(("Not proven:", "Not applicable:")):
            message = f"Not proven: {message}"
        result.message = message
        result.doc = result.doc or _steps(result)
        result.metadata["Verdict"] = verdict_of(result.status, message)
        noted = list(check.noted)
        result.metadata.update(columns(noted))
        if result.metadata["Verdict"] in (record.PASS, record.NOT_APPLICABLE):
            first_failure.discard(check)
        elif link := first_failure.link(check):
            result.metadata[FAILURE] = robot_text.link(
                link, "What gateway and endpoints showed"
            )
        said = {note.message: note.said for note in check.noted if isinstance(note, record.Reason)}
        self.ended.append(
            Check(
                chapter=check.chapter,
                name=check.name,
                verdict=result.metadata["Verdict"],
                message=plain(message),
                measurements=[one for one in noted if isinstance(one, record.Measurement)],
                evidence=[one for one in noted if isinstance(one, record.Evidence)],
                causes=[one for one in noted if isinstance(one, record.Cause)],
                tags=tuple(result.tags),
                said=said.get(plain(message), NOTHING),
                place=result.id,
                seen=first_failure.link(check),
            )
        )
        transport.current.check_ends(f"{check.chapter}.{check.name}", result.metadata["Verdict"])
        self._context.begin_check()  # what fails from here on is no part of it

    def end_suite(self, data: object, result: object) -> None:
        """Put the verdict of the order and its reasons above everything else in the report."""
        if result.parent is None:
            replayed = transport.current.replayed
            said = _of_a_replay(replayed) if replayed else headline(self.ended, self._context.run)
            result.doc = f"{said}\n\n{result.doc}"


def headline(checks: Sequence[Check], run: RunContext) -> str:
    """The verdict of the order with its gravest reasons, in Robot's own markup.

    Args:
        checks: that ended, in the order they ran.
        run: with its plan, its facts, and how the gateway was left.
    """
    ran = {(check.chapter, check.name) for check in checks}
    left_out = len([one for one in run.plan if one not in ran])
    missing = Check("", "", record.NOT_PROVEN, f"{left_out} checks of the plan did not run.")
    every = [*checks, *[missing] * bool(left_out)]
    outcome = Outcome(run.recorded, every, {}, run.restoration, 0)
    counts = ", ".join(
        f"{count} {verdict}"
        for verdict in (record.PASS, record.FAIL, record.NOT_PROVEN, record.NOT_APPLICABLE)
        if (count := sum(check.verdict == verdict for check in checks))
    )
    lines = [f"*The order is {outcome.verdict}.* Checks: {counts or 'none'}.", ""]
    found = reasons(outcome)
    lines += [_reason(one) for one in found[:_REASONS]]
    if len(found) > _REASONS:
        lines.append(f"- … and {len(found) - _REASONS} further reasons, see below.")
    return "\n".join(lines)


def _reason(reason: ShownReason) -> str:
    """What it is, and a link to what was seen of its first check."""
    title = robot_text.bold(reason.title.strip(", "))
    seen = next((check.seen for check in reason.checks if check.seen), "")
    link = f" {robot_text.link(seen, 'What was seen')}" if seen else ""
    text = robot_text.quoted(textwrap.shorten(reason.text, _LONGEST, placeholder=" …"))
    return f"- {f'{title}: ' if title else ''}{text}{link}"


def _steps(result: object) -> str:
    """What a check does, by its own sentences: no reader has to open the log for that.

    A step that is given figures is told by what it is for: they stand in the check's name.
    """
    steps = (step for step in result.body if getattr(step, "name", None))
    return "\n\n".join(
        f"{step.name}: {' '.join(step.doc.split())}" if step.args and step.doc else step.name
        for step in steps
    )


def _of_a_replay(replayed: str) -> str:
    what = robot_text.bold(f"This is a replay of {replayed}, and no acceptance.")
    return (
        f"{what} Its checks are those that need nothing but the REST API; they say what this "
        "Gatepass makes of those answers."
    )


def _says(message: str, asserted: str) -> bool:
    """Whether a check failed by what a keyword of ours asserted.

    Held by how that begins: Robot leaves out the middle of a message of more than 40 lines.
    """
    begins = next(iter(asserted.strip().splitlines()), "")[:_TELLING]
    return bool(begins) and begins in message


def _skipped_in_teardown(result: object) -> bool:
    """Whether a check is skipped for what its teardown could not tell, however it went before."""
    return result.status == "SKIP" and result.has_teardown and result.teardown.status == "SKIP"


def _in_our_words(message: str) -> str:
    if any(words in message for words in _STOPPED):
        return "Not proven: the run was stopped before this check had its verdict."
    for words in _OF_THE_PARENT:
        message = message.replace(words, "")
    return shown(message.strip())
