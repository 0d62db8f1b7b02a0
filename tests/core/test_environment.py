"""A program that shows a stranger's content finds no secret in its environment."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

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
        env=without_secrets(), capture_output=True, text=True, check=True,
    )
    assert int(done.stdout) >= 1
