"""Which browser there is on this machine."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass

from gatepass.base.environment import without_secrets

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
INSTALL = "apt-get install chromium"
_PATIENCE_S = 20


@dataclass(frozen=True)
class Browser:
    """What was found.

    Attributes:
        path: of one that answers; None where there is none.
        complaint: what the first one says that is there and does not answer; empty where one does,
            or where there is none at all.
    """

    path: str | None
    complaint: str = ""


def look() -> Browser:
    """Ask each for its version: `chromium-browser` of Ubuntu may only say where to get a snap."""
    complaints = []
    for path in filter(None, map(shutil.which, BROWSERS)):
        complaint = _complaint(path)
        if not complaint:
            return Browser(path)
        complaints.append(complaint)
    return Browser(None, *complaints[:1])


def chromium() -> str | None:
    """The path of Chromium, or of what is made of it; None where there is none that answers."""
    return look().path


def last_words(spoken: str, code: int) -> str:
    """The last line of what a program wrote, or else its exit code."""
    lines = spoken.strip().splitlines()
    return lines[-1][:200] if lines else f"exit code {code}"


def _complaint(path: str) -> str:
    try:
        done = subprocess.run(
            [path, "--version"],
            env=without_secrets(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it did not tell its version within {_PATIENCE_S} s"
    except OSError as error:
        return error.strerror or type(error).__name__
    return last_words(done.stderr or done.stdout, done.returncode) if done.returncode else ""
