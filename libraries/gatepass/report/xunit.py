"""``xunit.xml``: every check that was planned as a test case of JUnit's format.

What has no verdict on the gateway is skipped, and the ``type`` of that says why: ``not run``,
``not proven``, ``not applicable``. A function of ``output.xml`` alone. docs/pipelines.md describes
the file; a fleet's is made of the same parts (`gatepass.fleet.xunit`).
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

from gatepass.base.printable import printable
from gatepass.results.facts import group
from gatepass.results.outcome import Check, Outcome
from gatepass.results.record import FAIL, PASS

NAME = "xunit.xml"
NOT_RUN = "not run"
"""Type of what was planned and left out; the others are the check's verdicts."""
_COUNTS = {"failures": "failure", "errors": "error", "skipped": "skipped"}


def write(outcome: Outcome, folder: Path) -> Path:
    """Write the file of a run into a folder; an older one is replaced.

    Raises:
        OSError: it cannot be written.
    """
    order = str(group(outcome.run, "order").get("order") or "Acceptance")
    chapters = dict.fromkeys(check.chapter for check in outcome.checks)
    suites = []
    for chapter in chapters:
        checks = [check for check in outcome.checks if check.chapter == chapter]
        cases = [case(order, check) for check in checks]
        elapsed_s = sum(check.elapsed_s for check in checks)
        suites.append(suite(chapter, cases, elapsed_s, outcome))
    return write_suites(suites, outcome.elapsed_s, folder)


def write_suites(suites: Sequence[ET.Element], elapsed_s: float, folder: Path) -> Path:
    """Write suites with their sums.

    Args:
        suites: of `suite`.
        elapsed_s: how long all of it took.
        folder: for the file.

    Raises:
        OSError: it cannot be written.
    """
    sums = {key: str(sum(int(one.get(key, 0)) for one in suites)) for key in ("tests", *_COUNTS)}
    whole = ET.Element("testsuites", {"name": "Gatepass", **sums, "time": f"{elapsed_s:.3f}"})
    whole.extend(suites)
    ET.indent(whole)
    target = folder / NAME
    ET.ElementTree(whole).write(target, encoding="utf-8", xml_declaration=True)
    return target


def suite(
    name: str, cases: Sequence[ET.Element], elapsed_s: float, outcome: Outcome | None
) -> ET.Element:
    """A test suite with its counts.

    Args:
        name: of the suite.
        cases: its test cases.
        elapsed_s: how long it took.
        outcome: of the run that it belongs to; None where that left no results.
    """
    counts = {
        key: str(sum(one.find(kind) is not None for one in cases)) for key, kind in _COUNTS.items()
    }
    made = ET.Element(
        "testsuite",
        {"name": printable(name), "tests": str(len(cases)), **counts, "time": f"{elapsed_s:.3f}"},
    )
    if outcome:
        if started := outcome.run.get("started"):
            made.set("timestamp", str(started))
        properties = ET.SubElement(made, "properties")
        ET.SubElement(properties, "property", {"name": "verdict", "value": outcome.verdict})
    made.extend(cases)
    return made


def case(order: str, check: Check) -> ET.Element:
    """A check as a test case of its order."""
    made = named(f"{order}.{check.chapter}", check.name, check.elapsed_s)
    if check.verdict == FAIL:
        tell(made, "failure", check.message)
    elif check.verdict != PASS:
        kind = NOT_RUN if check.not_run else check.verdict
        tell(made, "skipped", f"{kind.capitalize()}: {check.message}", kind)
    return made


def named(classname: str, name: str, elapsed_s: float) -> ET.Element:
    """A test case that passed."""
    return ET.Element(
        "testcase",
        {"classname": printable(classname), "name": printable(name), "time": f"{elapsed_s:.3f}"},
    )


def tell(made: ET.Element, outcome: str, message: str, kind: str = "Gatepass") -> ET.Element:
    """Have a test case end otherwise than well.

    Args:
        made: the test case.
        outcome: ``failure``, ``error`` or ``skipped``.
        message: why.
        kind: its ``type``.
    """
    return ET.SubElement(made, outcome, {"message": printable(message), "type": kind})
