"""Which browser there is on this machine."""

from __future__ import annotations

import shutil

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
INSTALL = "apt-get install chromium"


def chromium() -> str | None:
    """The path of Chromium, or of what is made of it; None where there is none."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)
