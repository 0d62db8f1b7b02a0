"""What belongs to the check that runs now; begun anew for each of them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from robot.api import logger

from gatepass.base.errors import NotProven
from gatepass.base.phrase import NOTHING, Phrase, say
from gatepass.report import log_lines
from gatepass.report.failure_data import FailureFolder
from gatepass.results import record
from gatepass.results.kept_answers import Answer
from gatepass.results.record import Measurement
from gatepass.results.study import IN_STUDY
from gatepass.verdict.throughput import Trials
from support.run_context import RunContext
from support.steps import Steps

Left = TypeVar("Left", bound=Steps)


class CheckContext(Steps):
    """One check of a run; a chapter's preparation has one without a name.

    Attributes:
        run: what lives longer.
        chapter, name: of the check.
        place: its id in Robot's log.
        began: in seconds since the epoch.
        noted: measurements, evidence and the like, for the report.
        tried: what was noted of each of its trials.
        asserted: what the last AssertionError of one of our keywords said.
        failure: where first failure data lies, as soon as there is any.
        attached: files of the run with what it captured or listed, and what is in them.
        first_trial: the number of the first trial that may be its own.
        trials: those that ran last.
        conditions: what the next measurement varies.
        ip_version: of the test traffic, 4 or 6.
        measurement: what was measured last, and is to be held against its promise.
        study: whose conditions it is measured under, as the study is cited; empty for none.
    """

    trials: Trials
    measurement: Measurement

    def __init__(
        self, run: RunContext, chapter: str = "", name: str = "", place: str = ""
    ) -> None:
        self.run, self.chapter, self.name, self.place = run, chapter, name, place
        self.began = time.time()
        self.noted: list[object] = []
        self.tried: list[Mapping[str, Any]] = []
        self.asserted = ""
        self.failure: FailureFolder | None = None
        self.attached: list[tuple[Path, str]] = []
        self.first_trial = run.trials + 1
        self.conditions: Phrase = NOTHING
        self.ip_version = 4
        self.study = ""
        self._left: dict[type[Steps], Steps] = {}

    def over(self, conditions: Phrase) -> Phrase:
        """Conditions with the version of IP, where it is not the usual one."""
        return conditions if self.ip_version == 4 else say("over_ipv6", what=conditions)

    def left(self, kind: type[Left]) -> Left:
        """What the steps of one keyword library leave for each other in this check.

        Args:
            kind: the class that declares it.
        """
        return self._left.setdefault(kind, kind())

    def note(self, kind: str, content: object, aside: bool = False) -> None:
        """Write a record into the log, for the certificate, and keep it for the report.

        Args:
            kind, content: see `gatepass.results.record.dump`.
            aside: one of so many that it has no place among the report's figures of its check.
        """
        content = self._of_study(content)
        if kind == "trial":
            self.tried.append(content)
        if kind == "run":
            self.run.recorded |= content
        if not aside:
            self.noted.append(content)
        logger.debug(record.dump(kind, content))
        if line := log_lines.line(content):
            logger.info(line, html=True)
        if kind == "trial":
            self._note_unwatched()

    def _note_unwatched(self) -> None:
        """Which endpoints have not told what they did in how many trials so far."""
        told = False
        for name, count in self.run.rig.unwatched.items():
            facts = self.run.endpoint_facts.setdefault(name, {})
            told |= facts.get("unwatched") != count
            facts["unwatched"] = count
        if told:
            self.note("run", {"endpoints": self.run.endpoint_facts})

    def measured(self, measurement: Measurement) -> None:
        """Note a measurement that the steps after this one hold against its promise."""
        self.measurement = self._of_study(measurement)
        self.note("measurement", self.measurement)

    def evidence(self, claim: Phrase, observed: str, holds: bool) -> None:
        """Record an independent observation, and fail the check where it does not hold.

        Args:
            claim: what should be.
            observed: what was seen, with figures.
            holds: whether it was so.

        Raises:
            AssertionError: it does not hold.
        """
        self._observed(record.Evidence(claim, observed, holds))

    def answered(self, answer: Answer) -> None:
        """Keep what was answered, and record the observation that follows from it.

        Args:
            answer: of programs at the endpoints, or of the gateway.

        Raises:
            AssertionError: the observation does not hold.
            NotProven: the answer cannot be kept.
        """
        secrets = [self.run.gateway.token] if self.run.has("gateway") else []
        try:
            number, kept = self.run.answers.keep(self.chapter, self.name, answer, secrets)
        except OSError as error:
            raise NotProven(f"what was answered cannot be kept: {error}.") from None
        self._observed(replace(kept.evidence(), answer=number))

    def _observed(self, seen: record.Evidence) -> None:
        self.note("evidence", seen)
        if not seen.holds:
            raise AssertionError(f"{seen.claim}{record.NOT_SO}{seen.observed}")

    def contradicted(self, claim: Phrase, observed: str) -> NoReturn:
        """Record that a claim does not hold, and fail the check with what was seen alone.

        Args:
            claim: what should be.
            observed: what was seen instead, in sentences that stand by themselves.

        Raises:
            AssertionError: always.
        """
        self.note("evidence", record.Evidence(claim, observed, False))
        raise AssertionError(observed)

    def _of_study(self, content: object) -> object:
        """A measurement with the study's name among its conditions: it is no row of the profile's.

        Without it a figure of other trials would stand in one series with the chapter's own.
        """
        if not (self.study and isinstance(content, Measurement)):
            return content
        if content.conditions.name == IN_STUDY:
            return content
        return replace(content, conditions=say(IN_STUDY, what=content.conditions, by=self.study))
