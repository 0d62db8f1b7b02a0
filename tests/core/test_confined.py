"""What shows a stranger's content is started as a user that nothing else belongs to."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from pathlib import Path

import pytest

from gatepass.base import confined as module
from gatepass.base.confined import Confined, confined, written
from gatepass.base.environment import without_secrets

ROOT = os.geteuid() == 0
SH = str(shutil.which("sh"))


@pytest.mark.skipif(not ROOT, reason="only root starts programs as somebody else")
def test_root_starts_it_as_a_user_of_its_own(tmp_path: Path) -> None:
    how = confined(SH)
    user = how.rights["user"]
    with pytest.raises(KeyError):
        pwd.getpwuid(user)
    secret = tmp_path / "secret"
    secret.write_text("s3cret")
    secret.chmod(0o600)
    done = subprocess.run(
        [SH, "-c", f"id -u; id -G; cat {secret}; kill -0 {os.getpid()}"],
        env=without_secrets(), capture_output=True, text=True, check=False, **how.rights,
    )  # fmt: skip
    assert done.stdout.split() == [str(user), str(user)]
    assert done.returncode and "s3cret" not in done.stdout


@pytest.mark.skipif(not ROOT, reason="only root gives files away")
def test_its_folder_is_its_own(tmp_path: Path) -> None:
    how = confined(SH)
    how.give(tmp_path)
    assert tmp_path.stat().st_uid == how.rights["user"]


def test_who_is_not_root_starts_it_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.os, "geteuid", lambda: 1000)
    assert confined(SH) == Confined({}, True)


@pytest.mark.skipif(not ROOT, reason="of root's programs")
def test_a_program_that_nobody_else_can_reach_is_started_by_root(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh")
    program.chmod(0o700)
    tmp_path.chmod(0o700)
    assert confined(str(program)) == Confined({}, False)


def test_only_what_is_a_file_of_bounded_size_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As root reads it, a link would lead to whatever root may read."""
    monkeypatch.setattr(module, "_MOST", 8)
    for name, content in (("whole", b"12345678"), ("long", b"123456789")):
        (tmp_path / name).write_bytes(content)
    (tmp_path / "link").symlink_to(tmp_path / "whole")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    assert written(tmp_path / "whole") == b"12345678"
    for name in ("long", "link", "pipe", "folder", "absent"):
        assert written(tmp_path / name) == b""
