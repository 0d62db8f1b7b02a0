"""The processes beside the lab's gateway. Needs clamd."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from lab.gateway.dataplane.errors import DataPlaneError
from lab.gateway.dataplane.programs.children import ClamdProcess


def test_the_virus_scanner_runs_from_where_no_profile_holds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """AppArmor's profile of clamd goes by its path (Debian, Ubuntu)."""
    real, installed = shutil.which("clamd"), tmp_path / "bin"
    assert real, "clamd is missing"
    installed.mkdir()
    confined = installed / "clamd"
    confined.write_text(
        f"#!/bin/sh\ncase $0 in {installed}/*) echo 'cannot open clamd.conf' >&2; exit 1;; esac\n"
        f'exec {real} "$@"\n'
    )
    confined.chmod(0o755)
    monkeypatch.setenv("PATH", f"{installed}:{os.environ['PATH']}")
    scanner = ClamdProcess(tmp_path / "clamd")
    try:
        for signatures in (True, False):
            scanner.run(signatures)
            assert scanner.socket.exists()
    finally:
        scanner.stop()


def test_a_virus_scanner_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DataPlaneError, match="clamav-daemon"):
        ClamdProcess(tmp_path / "clamd").run(True)
