"""Tables as CSV (RFC 4180), of which no cell is a formula to a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a text begins that spreadsheets take for a formula (OWASP, CSV injection)."""


def csv_table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], line_end: str = "\n"
) -> str:
    """A table with its header.

    Args:
        columns: their names.
        rows: each with a value a column; a text that would be a formula gets a quote before it.
        line_end: after each row.
    """
    text = io.StringIO()
    table = csv.writer(text, lineterminator=line_end)
    table.writerow(columns)
    table.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
