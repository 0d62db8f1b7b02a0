"""run.sh installs packages without starting their services, each Python package by its digest."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

from gatepass.base.waiting import until

ROOT = Path(__file__).parents[1]
RUN = ROOT / "run.sh"
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


def pinned(path: Path) -> dict[str, str]:
    """The packages of a list, each with its version."""
    found = re.findall(r"(?m)^([A-Za-z0-9._-]+)==([^ ;\n]+)", path.read_text(encoding="utf-8"))
    return {re.sub(r"[._-]+", "-", name).lower(): version for name, version in found}


@pytest.mark.parametrize(
    ("names", "lock"), [("requirements.txt", "run"), ("requirements-dev.txt", "dev")]
)
def test_what_is_installed_is_what_is_named(names: str, lock: str) -> None:
    """Else the lock has to be made anew, as its second line says."""
    locked = pinned(ROOT / "requirements" / f"{lock}.lock")
    assert pinned(ROOT / names).items() <= locked.items()
    assert pinned(ROOT / "requirements" / "run.lock").items() <= pinned(
        ROOT / "requirements" / "dev.lock"
    ).items()


@pytest.mark.parametrize("lock", ["build", "run", "dev"])
def test_each_file_is_known_by_its_digest(lock: str) -> None:
    text = (ROOT / "requirements" / f"{lock}.lock").read_text(encoding="utf-8")
    assert "--only-binary :all:\n" in text and "://" not in text
    for entry in re.split(r"(?m)^(?=[A-Za-z0-9])", text)[1:]:
        assert "--hash=sha256:" in entry, entry.splitlines()[0]
