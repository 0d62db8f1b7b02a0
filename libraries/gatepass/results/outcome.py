"""Reads ``output.xml`` back into checks and decides on the order.

One of the few modules here that import Robot: its result model is the well-kept reader of its own
file format, and it reads what rebot has written as well.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from robot.api import ExecutionResult, ResultVisitor
from robot.errors import DataError

from gatepass.base.errors import InputError
from gatepass.base.files import contents
from gatepass.base.phrase import NOTHING, Phrase, listed, say
from gatepass.results import record, schema1
from gatepass.results.called_for import CalledFor, not_shown
from gatepass.results.chapters import chapter_of, uppermost
from gatepass.results.facts import group
from gatepass.results.record import (
    APPROVED,
    FAIL,
    NOT_APPLICABLE,
    NOT_PROVEN,
    PASS,
    REJECTED,
    Cause,
    Evidence,
    Measurement,
    Restoration,
)
from gatepass.results.study import StudyTable

DID_NOT_RUN = "did_not_run"
"""Name of the phrase that stands for a check of the plan that did not run."""
NoResults = DataError
"""What `read` raises, for modules that do not import Robot."""


MANY = "Orders"
"""Metadata of the uppermost suite where results of several runs are merged: how many."""


class ManyRuns(InputError):
    """The file holds the merged results of several runs, so it has no verdict on one order."""


class Replayed(InputError):
    """The file is of a replay, which says nothing about any gateway."""


@dataclass
class Check:
    """One test case as it ended.

    Attributes:
        chapter: the suite's name: "Stateful firewall".
        name: the test's name.
        documentation: of the test, may be empty.
        verdict: pass, fail, not proven, not applicable.
        message: the sentence that explains the verdict.
        measurements, evidence: in the order they were recorded.
        causes: why a figure was probably missed, the best explanation first.
        elapsed_s: how long it took.
        tags: of the test.
        said: the message for every language, where it is one that Gatepass knows.
        tables: of the study that it is a part of.
        trials: what was noted of each trial that it ran.
        place: its id in Robot's log; empty for one that did not run.
        seen: where the page of its failure lies, from the run's folder on; empty without one.
    """

    chapter: str
    name: str
    verdict: str
    message: str = ""
    documentation: str = ""
    measurements: list[Measurement] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    causes: list[Cause] = field(default_factory=list)
    elapsed_s: float = 0.0
    tags: tuple[str, ...] = ()
    said: Phrase = NOTHING
    tables: list[StudyTable] = field(default_factory=list)
    trials: list[dict] = field(default_factory=list)
    place: str = ""
    seen: str = ""

    @property
    def not_run(self) -> bool:
        """Whether the plan holds it and it was left out, so that nothing was looked at."""
        return self.said.name == DID_NOT_RUN


FAILURE = "First failure data"
"""Metadata of a check that did not pass: a link in Robot's markup, to what was seen then."""
_LINK = re.compile(r"\[(failures(?:/[\w-][\w.-]*)+)\|", re.ASCII)
"""An ``output.xml`` may be anybody's: what was seen lies below one folder of the run."""


@dataclass
class Outcome:
    """A whole run, as ``output.xml`` tells it.

    Attributes:
        run: the facts of the run: ``run_id``, ``started``, ``gatepass``, ``profile``, ``order``,
            ``tier``, ``testbed``, ``gateway``, ``endpoints``, ``plan`` (see `gatepass.run.run`);
            empty where the run ended before it knew them.
        checks: in the order they ran; planned checks that did not run come last, as not proven.
        chapters: the documentation of each chapter by name.
        restoration: the last word on the gateway's configuration; None where none was said.
        elapsed_s: of the whole run.
        files: the digests of what the run has collected, by the paths of the files from its folder
            on; empty before there were any.
        partial: whether it is judged by its own checks alone, as a study is, and not by all that
            the order calls for.
    """

    run: dict
    checks: list[Check]
    chapters: dict[str, str]
    restoration: Restoration | None
    elapsed_s: float
    files: dict[str, str] = field(default_factory=dict)
    partial: bool = False

    @property
    def lab(self) -> bool:
        """Whether the gateway was the lab's stand-in and not a FortiGate."""
        gateway = group(self.run, "gateway")  # none where it was never reached
        return str(gateway.get("serial", "")).startswith("LAB")

    @property
    def verdict(self) -> str:
        """Of the order: approved only if every check that it calls for passed.

        Each promise of the tier and of the order has to have been shown as well, whatever was
        planned (see `called_for`). Nothing is said of a gateway that somebody else has changed in
        the middle of its test.
        """
        verdicts = {check.verdict for check in self.checks}
        if self.changed_by_others:
            return NOT_PROVEN
        if FAIL in verdicts:
            return REJECTED
        restored = self.restoration is not None and self.restoration.identical
        if NOT_PROVEN in verdicts or PASS not in verdicts or not restored or self.not_shown:
            return NOT_PROVEN
        return APPROVED

    @property
    def not_shown(self) -> list[CalledFor]:
        """What the order calls for and no check has shown."""
        return [] if self.partial else not_shown(self.run, self.checks)

    @property
    def not_tested(self) -> list[Phrase]:
        """What the order calls for and no check was about: the names for a reader."""
        missing = (
            one.name
            for one in self.not_shown
            if not any(one.looked_at(check) for check in self.checks)
        )
        return list(dict.fromkeys(missing))

    @property
    def changed_by_others(self) -> bool:
        """Whether somebody changed the gateway while the test ran."""
        return self.restoration is not None and bool(self.restoration.others)

    def reasons_of_order(self) -> list[Phrase]:
        """What keeps the order from being approved and is no verdict of a check."""
        reasons = []
        if self.restoration is None:
            reasons.append(say("restoration_unknown"))
        elif self.changed_by_others:
            problem = self.restoration.problem
            problem = f"{problem[:1].upper()}{problem[1:]}"
            reasons.append(say("changed_by_others", problem=problem))
        elif not self.restoration.identical:
            problem = self.restoration.problem or say("see_differences")
            reasons.append(say("not_back", problem=problem))
        if not any(check.verdict == PASS for check in self.checks):
            reasons.append(say("no_check_passed"))
        return reasons + self._of_what_is_missing()

    def _of_what_is_missing(self) -> list[Phrase]:
        """That what the order calls for was not shown; checks that did not run tell it themselves.
        """
        if any(check.not_run for check in self.checks):
            return []
        if missing := self.not_tested:
            return [say("not_tested", what=listed(missing))]
        missing = list(dict.fromkeys(one.name for one in self.not_shown))
        if missing and not {FAIL, NOT_PROVEN} & {check.verdict for check in self.checks}:
            return [say("not_shown", what=listed(missing))]
        return []

    def count(self, verdict: str) -> int:
        """How many checks ended with this verdict."""
        return sum(check.verdict == verdict for check in self.checks)


def verdict_of(status: str, message: str) -> str:
    """The verdict behind a Robot status: SKIP is not proven unless its reason says otherwise."""
    if status == "PASS":
        return PASS
    if status == "SKIP":
        return NOT_APPLICABLE if message.startswith("Not applicable:") else NOT_PROVEN
    return FAIL if status == "FAIL" else NOT_PROVEN


def plain(message: str) -> str:
    """A test's message without the prefix that repeats its verdict."""
    for prefix in ("Not proven: ", "Not applicable: "):
        message = message.removeprefix(prefix)
    return message


def _linked(text: str) -> str:
    found = _LINK.match(text)
    return found[1] if found else ""


class _Reader(ResultVisitor):
    def __init__(self) -> None:
        self.run: dict = {}
        self.runs: set[str] = set()
        self.checks: list[Check] = []
        self.chapters: dict[str, str] = {}
        self.restoration: Restoration | None = None
        self.reasons: dict[str, Phrase] = {}
        self.files: dict[str, str] = {}
        self._check: Check | None = None

    def start_suite(self, suite) -> None:
        if suite.tests:
            chapter = uppermost(suite)
            self.chapters[chapter.name] = chapter.doc

    def start_test(self, test) -> None:
        self._check = Check(
            chapter=chapter_of(test).name,
            name=test.name,
            verdict=verdict_of(test.status, test.message),
            message=plain(test.message),
            documentation=test.doc,
            elapsed_s=test.elapsed_time.total_seconds(),
            tags=tuple(test.tags),
            place=test.id,
            seen=_linked(test.metadata.get(FAILURE, "")),
        )
        self.checks.append(self._check)

    def end_test(self, test) -> None:
        self._check = None

    def start_message(self, message) -> None:
        library = getattr(message.parent, "owner", None)
        if not record.is_own(message.level, library) or message.html:
            return
        if not (found := record.parse(message.message)):
            return
        kind, content = found
        if kind == "run":
            self.run |= content
            self.runs |= {content["run_id"]} if "run_id" in content else set()
        elif kind == "restoration":
            self.restoration = content
        elif kind == "files":
            self.files |= content["sha256"]
        elif kind == "reason":
            self.reasons[content.message] = content.said
        elif self._check and kind == "measurement":
            self._check.measurements.append(content)
        elif self._check and kind == "evidence":
            self._check.evidence.append(content)
        elif self._check and kind == "cause":
            self._check.causes.append(content)
        elif self._check and kind == "study":
            self._check.tables.append(content)
        elif self._check and kind == "trial":
            self._check.trials.append(content)


def read(output: Path | str) -> Outcome:
    """The outcome of a run.

    Args:
        output: path of an ``output.xml`` of robot, rebot or pabot.

    Raises:
        robot.api.DataError: the file is missing, is no output of Robot Framework, or a record of
            ours in it is damaged.
        ManyRuns: it is merged of several runs.
        Replayed: no gateway was asked.
    """
    result = ExecutionResult(str(output))
    reader = _Reader()
    try:
        result.visit(reader)
        plan = [(chapter, name) for chapter, name in reader.run.get("plan", [])]
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(
            "What Gatepass recorded in it is damaged, or of a newer Gatepass."
        ) from error
    if len(reader.runs) > 1 or MANY in result.suite.metadata:
        raise ManyRuns(
            f"{output}: it is merged of the runs of several orders. Name the output.xml of one "
            "order; in a fleet's folder these are orders/*/output.xml."
        )
    if "replayed" in reader.run:
        raise Replayed(
            f"{output}: it is of the replay of a recording. No gateway was asked, so it has no "
            "certificate and no results. Name the output.xml of a run."
        )
    ran = {(check.chapter, check.name) for check in reader.checks}
    for chapter, name in plan:
        if (chapter, name) not in ran:
            missing = say(DID_NOT_RUN)
            reader.checks.append(Check(chapter, name, NOT_PROVEN, str(missing), said=missing))
    for check in reader.checks:
        recorded = check.said or reader.reasons.get(check.message)
        check.said = recorded or schema1.reason(check.message)
    elapsed = result.suite.elapsed_time.total_seconds()
    of_run = (reader.run, reader.checks, reader.chapters, reader.restoration)
    return Outcome(*of_run, elapsed, reader.files)


def read_digested(output: Path) -> tuple[Outcome, str]:
    """The outcome of a run that a user names, and the SHA-256 of its file, hexadecimal.

    Raises:
        InputError: the file is missing, is no output of Robot Framework, or of no run of Gatepass.
    """
    try:
        digest = sha256(contents(output)).hexdigest()
        outcome = read(output)
    except (DataError, OSError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error).splitlines()[0]
        raise InputError(
            f"{output}: nothing can be read from it: {why.rstrip('.')}. Name an output.xml of "
            "Robot Framework."
        ) from None
    if not outcome.run:
        raise InputError(
            f"{output}: it tells of no run of Gatepass. Name the output.xml in a run's folder."
        )
    return outcome, digest
