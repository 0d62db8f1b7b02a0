"""Passwords and sessions of VPN users are in no file, in no command line, in no environment."""

from __future__ import annotations

import os
from pathlib import Path

from faults.faulty_lab import FaultyLab
from runs.killing import Runs
from runs.leaks import Watch, leaks

MARK = "known-to-this-test-"
"""What each password of the run begins with here, so that it can be looked for."""
HOOK = """\
import secrets
plain = secrets.token_urlsafe
def known(size=None):
    open("{made}", "a").write("one\\n")
    return "{mark}" + plain(size)
secrets.token_urlsafe = known
"""
COOKIE = "SVPNCOOKIE="
CHECKS = (
    "A User Gets In",
    "A Wrong Password Is Refused",
    "A Session That Was Logged Out Is Refused",
    "The Promised Users Are Connected At Once",
)


def test_no_password_or_session_shows(lab: FaultyLab, tmp_path: Path) -> None:
    results, hook = tmp_path / "results", tmp_path / "hook"
    results.mkdir()
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(HOOK.format(mark=MARK, made=hook / "made"))
    runs = Runs(lab.testbed, results)
    runs.environment["PYTHONPATH"] = f"{hook}{os.pathsep}{runs.environment['PYTHONPATH']}"
    chosen = [word for name in CHECKS for word in ("--test", f"*.Remote access.{name}")]
    with Watch([MARK.encode(), COOKIE.encode()]).at_work() as watch:
        run = runs.start(
            *(*chosen, "--test", "*.Handover.*"),
            *("--loglevel", "TRACE", "--debugfile", str(results / "debug.txt")),
        )
        code, output = run.ended()
    assert code == 2 and output.count("✓ pass") == len(CHECKS) + 2, output
    assert not watch.seen
    assert len(watch.processes) > 50
    # each password was a known one, so that finding none is no accident
    assert len((hook / "made").read_text().splitlines()) > 50
    assert leaks(results, {"a password": MARK, "a session": COOKIE}) == []
    assert MARK not in output
