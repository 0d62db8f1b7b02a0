"""``xunit.xml`` of a fleet: an order is a test suite, a check a test case.

Each suite begins with the order itself as a case, which fails where the order is rejected and is an
error where it is not proven: skipped checks alone would look green, and an order that never ran has
no checks at all.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

from gatepass.base.printable import printable
from gatepass.fleet.outcome import FleetOutcome, OrderRow
from gatepass.results.outcome import Check
from gatepass.results.record import FAIL, NOT_PROVEN, PASS, REJECTED

NAME = "xunit.xml"
THE_ORDER = "The Order Is Approved"


def write(folder: Path, outcome: FleetOutcome) -> Path:
    """Write it into a folder; an older one is replaced.

    Raises:
        OSError: it cannot be written.
    """
    suites = [_suite(row) for row in outcome.rows]
    whole = ET.Element("testsuites", {"name": "Gatepass", **_sums(suites)})
    whole.extend(suites)
    ET.indent(whole)
    target = folder / NAME
    ET.ElementTree(whole).write(target, encoding="utf-8", xml_declaration=True)
    return target


def _sums(suites: list[ET.Element]) -> dict[str, str]:
    return {
        key: str(sum(int(suite.get(key)) for suite in suites))
        for key in ("tests", "failures", "errors", "skipped")
    }


def _suite(row: OrderRow) -> ET.Element:
    cases = [_order(row)]
    cases += [_case(row.name, check) for check in (row.outcome.checks if row.outcome else ())]
    suite = ET.Element(
        "testsuite",
        {
            "name": printable(row.name),
            "tests": str(len(cases)),
            "failures": _how_many(cases, "failure"),
            "errors": _how_many(cases, "error"),
            "skipped": _how_many(cases, "skipped"),
            "time": f"{row.outcome.elapsed_s if row.outcome else 0:.3f}",
        },
    )
    if row.outcome and (started := row.outcome.run.get("started")):
        suite.set("timestamp", str(started))
    suite.extend(cases)
    return suite


def _how_many(cases: list[ET.Element], outcome: str) -> str:
    return str(sum(case.find(outcome) is not None for case in cases))


def _order(row: OrderRow) -> ET.Element:
    case = _named(row.name, THE_ORDER, 0)
    if row.reasons:
        reasons = [reason.sentence for reason in row.reasons]
        kind = "failure" if row.verdict == REJECTED else "error"
        _told(case, kind, f"{row.verdict}: {reasons[0]}").text = printable("\n".join(reasons))
    return case


def _case(order: str, check: Check) -> ET.Element:
    case = _named(f"{order}.{check.chapter}", check.name, check.elapsed_s)
    if check.verdict == FAIL:
        _told(case, "failure", check.message)
    elif check.verdict != PASS:
        prefix = "Not proven" if check.verdict == NOT_PROVEN else "Not applicable"
        _told(case, "skipped", f"{prefix}: {check.message}")
    return case


def _named(where: str, name: str, seconds: float) -> ET.Element:
    return ET.Element(
        "testcase",
        {"classname": printable(where), "name": printable(name), "time": f"{seconds:.3f}"},
    )


def _told(case: ET.Element, kind: str, message: str) -> ET.Element:
    return ET.SubElement(case, kind, {"message": printable(message), "type": "Gatepass"})
