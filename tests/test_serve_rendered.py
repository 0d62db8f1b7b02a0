"""The results folder in a browser: runs chosen and compared, one watched while it is under way."""

from __future__ import annotations

from pathlib import Path

import pytest

from served import BROKEN, FIRST, FLEET, LIVE, SECOND, results, served
from test_certificate_rendered import CHROMIUM, looked_at

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


def test_what_a_browser_shows(tmp_path: Path) -> None:
    folder = results(tmp_path / "results")
    with served(folder) as url:
        done = looked_at(
            tmp_path, "serve.robot", URL=url, RESULTS=str(folder), FIRST=FIRST, SECOND=SECOND,
            FLEET=FLEET, BROKEN=BROKEN, LIVE=LIVE,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
