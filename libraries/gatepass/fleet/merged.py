"""Robot's reports of a whole fleet: the orders' ``output.xml`` joined by rebot's own model.

A merge of what is there would be silent on what is not: an order without results gets a suite with
one check that is not proven.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from robot.api import ExecutionResult, ResultVisitor, ResultWriter
from robot.output import LOGGER
from robot.result import Result, TestSuite

from gatepass.base.result_folders import OUTPUT
from gatepass.fleet import summary
from gatepass.fleet.outcome import FleetOutcome, OrderRow
from gatepass.report import robot_report
from gatepass.report.failure_data import FOLDER as FAILURES
from gatepass.report.robot_text import PlainMessages, bold, link
from gatepass.results.outcome import MANY

REPORT, LOG = "report.html", "log.html"
_PAGE = "fleet.html"
NO_RESULTS = "The Order Has Results"
_LINK = re.compile(rf"(\[|href=\")(?=(?:certificate\.html|report\.html|{FAILURES}/))")


def write(folder: Path, outcome: FleetOutcome) -> None:
    """Write ``output.xml``, ``report.html`` and ``log.html`` into a folder.

    Raises:
        OSError: something cannot be written.
    """
    whole = Result(suite=TestSuite("Fleet", doc=_headline(outcome)))
    whole.suite.metadata[MANY] = str(len(outcome.rows))
    for row in outcome.rows:
        whole.suite.suites.append(_suite(row, folder, whole))
    _side_by_side(whole.suite)
    LOGGER.unregister_console_logger()  # the user is told where the page is, not each of its files
    whole.save(folder / OUTPUT)
    whole.suite.visit(PlainMessages())
    whole.errors.visit(PlainMessages())
    ResultWriter(whole).write_results(
        report=str(folder / REPORT),
        log=str(folder / LOG),
        reporttitle="Acceptance report of a fleet",
        logtitle="Acceptance log of a fleet",
        loglevel="DEBUG:INFO",
    )
    robot_report.finish(folder, outcome.verdict, in_words=summary.in_a_line(outcome))


def _headline(outcome: FleetOutcome) -> str:
    whole = bold(f"{summary.in_a_line(outcome)}.")
    lines = [f"{whole} Their page: {link(_PAGE, _PAGE)}.", ""]
    lines += [f"- {bold(row.name)}: {row.verdict}" for row in outcome.worst_first]
    return "\n".join(lines)


def _suite(row: OrderRow, folder: Path, whole: Result) -> TestSuite:
    if not row.outcome:
        return _stand_in(row)
    one = ExecutionResult(str(row.folder / OUTPUT))
    one.suite.name = row.name
    one.visit(_Links(Path(os.path.relpath(row.folder.resolve(), folder.resolve()))))
    whole.errors.add(one.errors)
    return one.suite


def _stand_in(row: OrderRow) -> TestSuite:
    suite = TestSuite(row.name, doc="No results of this order are there to be merged.")
    message = f"Not proven: {row.problem}"
    suite.tests.create(NO_RESULTS, status="SKIP", message=message, tags=["no_results"])
    return suite


def _side_by_side(whole: TestSuite) -> None:
    """It took from the first beginning to the last end, and not the sum of all orders."""
    ran = [suite for suite in whole.suites if suite.start_time]
    if ran:
        whole.start_time = min(suite.start_time for suite in ran)
        whole.end_time = max(suite.end_time for suite in ran)


class _Links(ResultVisitor):
    """Has links that begin in the order's folder begin in the fleet's."""

    def __init__(self, way: Path) -> None:
        self._way = way.as_posix()

    def start_suite(self, suite: TestSuite) -> None:
        self._mend(suite.metadata)
        suite.doc = self._mended(suite.doc)

    def start_test(self, test: object) -> None:
        self._mend(test.metadata)

    def start_message(self, message: object) -> None:
        if message.html:
            message.message = self._mended(message.message)

    def _mend(self, metadata: dict[str, str]) -> None:
        for name, text in metadata.items():
            metadata[name] = self._mended(text)

    def _mended(self, text: str) -> str:
        return _LINK.sub(rf"\g<1>{self._way}/", text)
