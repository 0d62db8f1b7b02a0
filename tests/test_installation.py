"""run.sh installs packages without starting their services, and leaves no trace of how."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from gatepass.base.waiting import until

RUN = Path(__file__).parents[1] / "run.sh"
POLICY = "/usr/sbin/policy-rc.d"
APT = """#!/bin/sh
[ "$1" = install ] || exit 0
"$POLICY"; echo "$?" >"$FOLDER/answered"
until [ -e "$FOLDER/go-on" ]; do sleep 0.05; done
"""


@pytest.fixture
def installing(tmp_path: Path) -> subprocess.Popen[bytes]:
    """The function that installs, at work with an apt-get that waits."""
    text = RUN.read_text(encoding="utf-8").replace(POLICY, str(tmp_path / "policy-rc.d"))
    begin, end = text.index("enabled_units() {"), text.index("mapfile -t missing")
    (tmp_path / "apt-get").write_text(APT)
    (tmp_path / "apt-get").chmod(0o755)
    script = f"set -euo pipefail\n{text[begin:end]}\ninstall_packages one\n"
    path = f"{tmp_path}:{os.environ['PATH']}"
    told = {"PATH": path, "FOLDER": str(tmp_path), "POLICY": str(tmp_path / "policy-rc.d")}
    process = subprocess.Popen(["bash", "-c", script], env=os.environ | told)
    assert until((tmp_path / "answered").exists, 60)
    return process


def refused(folder: Path) -> bool:
    return (folder / "answered").read_text() == "101\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="packages are installed by root")
def test_services_do_not_start_meanwhile(
    installing: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    assert refused(tmp_path)
    (tmp_path / "go-on").touch()
    assert installing.wait(60) == 0
    assert not (tmp_path / "policy-rc.d").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="packages are installed by root")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_is_left_of_a_call_that_was_killed(
    installing: subprocess.Popen[bytes], tmp_path: Path, number: signal.Signals
) -> None:
    """Not before apt has ended, which goes on without it."""
    installing.send_signal(number)
    installing.wait(60)
    assert refused(tmp_path) and (tmp_path / "policy-rc.d").exists()
    (tmp_path / "go-on").touch()
    assert until(lambda: not (tmp_path / "policy-rc.d").exists(), 60)
