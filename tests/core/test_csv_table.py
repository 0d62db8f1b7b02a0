"""No cell of a table is a formula to a spreadsheet, whoever named what stands in it."""

from __future__ import annotations

import ast
import csv
import io
from pathlib import Path

import pytest

from gatepass.base import csv_table as module
from gatepass.base.csv_table import csv_table

LIBRARIES = Path(module.__file__).parents[1]


TEXTS = ("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "=cmd|' /C x'!A0")


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_is_no_formula(text: str) -> None:
    _, (cell,) = csv.reader(io.StringIO(csv_table(["name"], [[text]]), newline=""))
    assert cell == f"'{text}"


def test_all_else_stays_as_it_is() -> None:
    rows = [["a;b", -1.5, None, True, 'say "x"', "two\nlines", ""]]
    (read,) = list(csv.reader(io.StringIO(csv_table([""] * 7, rows), newline="")))[1:]
    assert read == ["a;b", "-1.5", "", "True", 'say "x"', "two\nlines", ""]


def test_nobody_else_writes_one() -> None:
    found = {
        path.relative_to(LIBRARIES).as_posix()
        for path in LIBRARIES.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import) and any(one.name == "csv" for one in node.names)
    }
    assert found == {"base/csv_table.py"}
