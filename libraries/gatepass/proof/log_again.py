"""What Robot's output says in words, held against the records that it says it of.

Of each record the log has a line for a reader right behind it, and of each check the report has its
columns; both are made again. A check that failed says so with figures and observations of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from gatepass.base.printable import shown
from gatepass.proof.robot_output import STATUSES, Message, RobotOutput, Test
from gatepass.report.columns import columns
from gatepass.report.log_lines import line
from gatepass.results import record
from gatepass.results.outcome import plain, verdict_of
from gatepass.results.record import Evidence, Measurement

_BEGINNING = 200
"""Letters of a message that are compared."""
_VERDICT = "Verdict"
_OF_RECORDS = (_VERDICT, "Measured", "Required", "Trials", "Likely cause", "Evidence")
"""Columns that follow from the records of a check."""


def counts(output: RobotOutput) -> Iterator[str]:
    """What the statistics of the output have otherwise than its tests, in a sentence.

    Args:
        output: of the run.
    """
    if output.totals != output.counts:
        yield (
            f"output.xml holds {in_words(output.counts)}; by its own statistics they are "
            f"{in_words(output.totals)}."
        )


def in_words(numbers: dict[str, int]) -> str:
    """How many tests ended how, by `STATUSES`."""
    words = zip(STATUSES, ("passed", "failed", "skipped"), strict=True)
    return ", ".join(f"{numbers[one]} {word}" for one, word in words)


def contradictions(output: RobotOutput) -> Iterator[str]:
    """Lines, columns and messages that do not follow from the records, each in a sentence.

    Args:
        output: of a run that this copy of Gatepass made.
    """
    for test in output.tests:
        yield from _lines(test.name, test.messages)
        yield from _columns(test)
        yield from _message(test)
    yield from _lines("Robot's log", output.messages)


def _lines(where: str, messages: tuple[Message, ...]) -> Iterator[str]:
    for message, follows in zip_longest(messages, messages[1:]):
        found = message.record
        made = line(found[1]) if found else ""
        if made and (follows is None or not follows.html or follows.text != made):
            yield (
                f"{where}: its log says “{_short(follows.text if follows else '')}” of a record "
                f"that makes “{_short(made)}”."
            )


def _columns(test: Test) -> Iterator[str]:
    made = columns(_records(test)) | {_VERDICT: verdict_of(test.status, test.message)}
    for name in _OF_RECORDS:
        if test.metadata.get(name, "") != made.get(name, ""):
            yield (
                f"{test.name}: Robot's report says “{_short(test.metadata.get(name, ''))}” under "
                f"{name}; its records make “{_short(made.get(name, ''))}”."
            )


def _records(test: Test) -> Iterator[object]:
    for message in test.messages:
        if found := message.record:
            yield found[1]


def _message(test: Test) -> Iterator[str]:
    """A message that begins with a figure or an observation has that of a record."""
    told, made = plain(test.message), list(_sentences(test))
    begun = [sentence for subject, sentence in made if told.startswith(subject)]
    if begun and not any(sentence and told.startswith(sentence) for sentence in begun):
        yield (
            f"{test.name} says “{_short(told)}”; its records make “"
            f"{_short(next(filter(None, begun), 'nothing of the kind'))}”."
        )


def _sentences(test: Test) -> Iterator[tuple[str, str]]:
    """How sentences about a record begin, and how they go on; of what holds there is none."""
    for one in _records(test):
        if isinstance(one, Measurement):
            yield f"{one.subject}: ", _begun(f"{one.subject}: {record.measured(one)}")
        elif isinstance(one, Evidence):
            claim = f"{one.claim}{record.NOT_SO}"
            yield claim, "" if one.holds else _begun(f"{claim}{one.observed}")


def _begun(sentence: str) -> str:
    """The beginning of a message; Robot leaves out the middle of long ones."""
    return shown(sentence.strip())[:_BEGINNING]


def _short(text: str) -> str:
    return text if len(text) <= 90 else f"{text[:89]}…"
