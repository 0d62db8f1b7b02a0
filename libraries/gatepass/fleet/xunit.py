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
from gatepass.report import xunit
from gatepass.results.record import REJECTED

THE_ORDER = "The Order Is Approved"


def write(folder: Path, outcome: FleetOutcome) -> Path:
    """Write it into a folder; an older one is replaced.

    Raises:
        OSError: it cannot be written.
    """
    elapsed_s = sum(row.outcome.elapsed_s for row in outcome.rows if row.outcome)
    return xunit.write_suites([_suite(row) for row in outcome.rows], elapsed_s, folder)


def _suite(row: OrderRow) -> ET.Element:
    checks = row.outcome.checks if row.outcome else ()
    cases = [_order(row), *(xunit.case(row.name, check) for check in checks)]
    return xunit.suite(row.name, cases, row.outcome.elapsed_s if row.outcome else 0, row.outcome)


def _order(row: OrderRow) -> ET.Element:
    case = xunit.named(row.name, THE_ORDER, 0)
    if row.reasons:
        reasons = [reason.sentence for reason in row.reasons]
        kind = "failure" if row.verdict == REJECTED else "error"
        told = xunit.tell(case, kind, f"{row.verdict}: {reasons[0]}", row.verdict)
        told.text = printable("\n".join(reasons))
    return case
