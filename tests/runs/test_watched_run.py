"""A real run that somebody watches in a browser from its first moment to its verdict."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from faults.faulty_lab import FaultyLab
from served import served, token_of
from test_certificate_rendered import CHROMIUM, looked_at

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


def test_watched_until_its_verdict(own_lab: FaultyLab, tmp_path: Path) -> None:
    results, opened = tmp_path / "results", tmp_path / "opened"
    results.mkdir()
    with served(results) as url, ThreadPoolExecutor() as beside:
        watched = beside.submit(
            looked_at, tmp_path, "serve_live.robot", URL=url, TOKEN=token_of(url),
            RESULTS=str(results), OPEN=str(opened),
        )  # fmt: skip
        while not (opened.exists() or watched.done()):
            time.sleep(0.05)
        ended = own_lab.run("*.Before the test.*", "*.Handover.*", results=results)
        done = watched.result()
    assert done.returncode == 0, done.stdout + done.stderr
    assert ended.exit_code == 2  # not all checks ran
    assert not (ended.folder / ".at-work").exists()
