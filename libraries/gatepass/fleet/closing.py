"""What is printed when a fleet has ended: its verdict, its orders, and where everything lies."""

from __future__ import annotations

from pathlib import Path

from gatepass.base.boxed import boxed, one_line
from gatepass.fleet import summary
from gatepass.fleet.outcome import FleetOutcome, OrderRow
from gatepass.fleet.page import NAME
from gatepass.report import xunit
from gatepass.results.record import APPROVED

MOST = 40
"""Orders that are named; a larger fleet has its page for the others."""


def closing_box(outcome: FleetOutcome, folder: Path) -> str:
    """The text of the box.

    Args:
        outcome: of the fleet.
        folder: where its page lies.
    """
    rows = outcome.worst_first
    lines = [
        f"Fleet: {summary.in_a_line(outcome)}.",
        summary.meaning(outcome),
        *([part] if (part := summary.part(outcome)) else []),
        *(_line(row) for row in rows[:MOST]),
        *([f"… and {len(rows) - MOST} more"] if len(rows) > MOST else []),
    ]
    if outcome.lab:
        lines.insert(1, "LAB: a stand-in, not a FortiGate; its figures are no FortiGate's.")
    return "\n" + boxed(lines, {"Page": folder / NAME, "xUnit": folder / xunit.NAME})


def _line(row: OrderRow) -> str:
    if row.verdict == APPROVED:
        return f"- {row.name}: {row.verdict}"
    return f"- {row.name}: {row.verdict}. {one_line(row.reasons[0].sentence, 240)}"
