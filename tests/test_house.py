"""The house rules that a machine can check."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from robot.api import TestSuite

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
SUITES = [test for test in TestSuite.from_file_system(ROOT / "suites").all_tests]
MAY_KNOW_ROBOT = {"outcome.py", "plan.py", "run.py", "cli.py", "worker.py", "merged.py"}


def _finds(*command: str) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def _imports(path: Path) -> set[str]:
    """The top-level names that a module imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add((node.module or "").split(".")[0])
    return names


def test_python_is_clean() -> None:
    assert _finds(str(BIN / "ruff"), "check", ".") == ""


def test_suites_and_resources_are_clean() -> None:
    assert _finds(str(BIN / "robocop"), "check", "suites", "resources") == ""


@pytest.mark.parametrize("test", SUITES, ids=lambda test: test.full_name)
def test_a_check_holds_no_logic(test) -> None:
    assert {step.type for step in test.body} <= {"KEYWORD"}
    assert len(test.body) <= 8
    called = {re.sub(r"^(given|when|then|and|but) ", "", step.name.lower()) for step in test.body}
    assert not called & {"sleep", "evaluate", "run keyword if", "set variable if"}


def test_gatepass_is_plain_python() -> None:
    knowing = {
        path.name
        for path in (ROOT / "libraries" / "gatepass").rglob("*.py")
        if "robot" in _imports(path)
    }
    assert knowing <= MAY_KNOW_ROBOT


def test_lab_and_libraries_do_not_know_each_other() -> None:
    for path in (ROOT / "lab").rglob("*.py"):
        assert not _imports(path) & {"gatepass", "session", "guard", "robot"}, path
    for path in (ROOT / "libraries").rglob("*.py"):
        assert "lab" not in _imports(path), path


def test_keyword_reference_is_up_to_date(tmp_path: Path) -> None:
    assert _finds("docs/make-keywords.sh", str(tmp_path)) == ""
    for made in sorted(tmp_path.iterdir()):
        kept = ROOT / "docs" / "keywords" / made.name
        assert kept.read_text() == made.read_text(), f"{kept}: run docs/make-keywords.sh"
