"""A program that shows a stranger's content finds no secret in its environment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gatepass import cli
from gatepass.base.environment import without_secrets


def test_what_is_not_on_the_list_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GATEPASS_TOKEN", "ANYTHING_ELSE", "SSH_AUTH_SOCK", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "a secret")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    found = without_secrets()
    assert "a secret" not in found.values()
    assert (found["LC_ALL"], found["PATH"]) == ("C.UTF-8", os.environ["PATH"])


def test_a_program_starts_with_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import os; print(len(os.environ))"],
        env=without_secrets(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) >= 1


@pytest.mark.parametrize(
    "words", [["replay", "x"], ["validate"], ["certificate", "x"], ["--nosuch"]], ids=" ".join
)
def test_no_call_heeds_what_was_meant_for_another_robot(
    monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    foreign = ("ROBOT_OPTIONS", "REBOT_OPTIONS", "ROBOT_SYSLOG_FILE", "ROBOT_SYSLOG_LEVEL")
    for name in (*foreign, "ROBOT_INTERNAL_TRACES", "ROBOT_FRAMEWORK_BROWSER_NODE_PORT"):
        monkeypatch.setenv(name, "/proc/none/x")
    monkeypatch.setenv("GATEPASS_TOKEN", "kept")
    cli.main(words)
    assert [name for name in os.environ if name.startswith(("ROBOT_", "REBOT_"))] == []
    assert os.environ["GATEPASS_TOKEN"] == "kept"


def test_robot_is_not_loaded_before(tmp_path: Path) -> None:
    """It opens the file of its system log when it is."""
    code = "import sys, gatepass.cli; print([one for one in sys.modules if one == 'robot'])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2] / "libraries")},
    )  # fmt: skip
    assert done.stdout.strip() == "[]"
