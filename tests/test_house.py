"""The house rules that a machine can check."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from robot.api import TestSuite
from robot.libdocpkg import LibraryDocumentation

import turns

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
SUITES = [test for test in TestSuite.from_file_system(ROOT / "suites").all_tests]


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


TESTS = [str(file.relative_to(ROOT)) for file in sorted((ROOT / "tests").rglob("test_*.py"))]


def test_each_file_that_has_a_turn_of_its_own_is_there() -> None:
    names = {Path(file).stem.removeprefix("test_") for file in TESTS}
    assert set(turns.LONGEST) <= names
    assert {*turns.ALONE, *turns.RUNS} <= set(TESTS)
    sends = turns.SENDS.pattern.replace("tests/core/test_", "")
    assert set(re.findall(r"\w+", sends)) - names <= {"py"}


GIVE_WAY = [one for one in TESTS if turns.manner(one) is turns.Manner.GIVES_WAY]


@pytest.mark.parametrize("file", GIVE_WAY)
def test_what_gives_way_sends_no_packets_of_its_own(file: str) -> None:
    assert not re.search(r"(?m)\bapart: |^from local_shell", (ROOT / file).read_text())


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


_ABBREVIATIONS = (
    *("API", "ARP", "DHCP", "DNS", "FTP", "HTTP", "HTTPS", "ICMP", "IPv4", "IPv6", "NAT", "RFC"),
    *("TCP", "TLS", "UDP", "VPN"),
)


def test_abbreviations_are_written_as_the_trade_writes_them() -> None:
    """Robot makes "Dhcp" of the name of a file or of a function."""
    keywords = LibraryDocumentation(str(ROOT / "libraries" / "Gatepass.py")).keywords
    names = [one.name for one in (*SUITES, *(test.parent for test in SUITES), *keywords)]
    known = {one.lower(): one for one in _ABBREVIATIONS}
    wrong = [
        name
        for name in names
        for word in re.findall(r"[A-Za-z]+[46]?", name)
        if known.get(word.lower(), word) != word
    ]
    assert not wrong


@pytest.mark.parametrize("file", sorted((ROOT / "suites").rglob("*.robot")), ids=str)
def test_a_file_is_a_table_or_a_list_of_stories(file: Path) -> None:
    assert "[Template]" not in file.read_text(encoding="utf-8")


def _rooms(root: Path) -> subprocess.CompletedProcess[str]:
    """Check the way that imports go; `.importlinter` has the rules."""
    rooms = {"PYTHONPATH": f"{root / 'libraries'}:{root}", "COLUMNS": "200"}
    return subprocess.run(
        [str(BIN / "lint-imports"), "--no-cache", "--no-logo"],
        cwd=root,
        env=os.environ | rooms,
        capture_output=True,
        text=True,
        check=False,
    )


def test_imports_go_one_way() -> None:
    done = _rooms(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


TURNED_ROUND = {
    "know only the rooms below": ("libraries/gatepass/base/errors.py", "import gatepass.cli"),
    "Robot is known": ("libraries/gatepass/verdict/judgement.py", "import robot"),
    "Nothing goes round in circles": ("lab/base/errors.py", "import lab.nodes.node"),
    "meet over REST, SSH and traffic alone": ("lab/cli.py", "import gatepass.base.paths"),
    "knows no keyword library": ("libraries/gatepass/base/paths.py", "import support.guard"),
}
"""By rule: a file, and an import in it that breaks the rule."""


def test_imports_that_are_turned_round_are_told(tmp_path: Path) -> None:
    shutil.copy(ROOT / ".importlinter", tmp_path)
    for room in ("libraries", "lab"):
        shutil.copytree(ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("*.pyc"))
    for file, line in TURNED_ROUND.values():
        path = tmp_path / file
        path.write_text(path.read_text() + f"\n{line}\n")
    done = _rooms(tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    for rule in TURNED_ROUND:
        assert re.search(rf"{rule}.* BROKEN", done.stdout), done.stdout


def test_what_runs_on_the_endpoints_takes_an_older_python() -> None:
    """There the time-outs of sockets (up to 3.9) and asyncio (up to 3.10) are their own."""
    for path in (ROOT / "libraries" / "gatepass" / "endpoint" / "remote").glob("*.py"):
        tree = ast.parse(path.read_text())
        names = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name)}
        assert "TimeoutError" not in names, path


def test_keyword_libraries_do_not_know_each_other() -> None:
    parts = {path.stem for path in (ROOT / "libraries").glob("*.py")} - {"Gatepass"}
    knowing = {
        f"{part} knows {', '.join(sorted(known))}"
        for part in sorted(parts)
        if (known := _imports(ROOT / "libraries" / f"{part}.py") & parts)
    }
    assert not knowing


def test_keyword_reference_is_up_to_date(tmp_path: Path) -> None:
    assert _finds("docs/make-keywords.sh", str(tmp_path)) == ""
    for made in sorted(tmp_path.iterdir()):
        kept = ROOT / "docs" / "keywords" / made.name
        assert kept.read_text() == made.read_text(), f"{kept}: run docs/make-keywords.sh"


@pytest.mark.parametrize("library", sorted((ROOT / "libraries").glob("*.py")), ids=lambda p: p.stem)
def test_every_keyword_shows_an_example(library: Path) -> None:
    without = [
        keyword.name
        for keyword in LibraryDocumentation(str(library)).keywords
        if "Example: ``" not in keyword.doc
    ]
    assert not without
