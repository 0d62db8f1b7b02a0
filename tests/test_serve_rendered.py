"""The results folder in a browser: runs chosen and compared, one watched while it is under way."""

from __future__ import annotations

from pathlib import Path

import pytest

import records
from fleet_examples import plan
from history_examples import outcome
from served import BROKEN, FIRST, FLEET, LIVE, SECOND, kept, results, served, token_of
from test_certificate_rendered import CHROMIUM, looked_at

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


def test_what_a_browser_shows(tmp_path: Path) -> None:
    folder = results(tmp_path / "results")
    failure = folder / FIRST / "failures" / "a"
    failure.mkdir(parents=True)
    page = '<title>a</title><a href="../../certificate.html">Certificate</a>'
    (failure / "index.html").write_text(page, encoding="utf-8")
    with served(folder) as url:
        done = looked_at(
            tmp_path, "serve.robot", URL=url, TOKEN=token_of(url), RESULTS=str(folder),
            FIRST=FIRST, SECOND=SECOND, FLEET=FLEET, BROKEN=BROKEN, LIVE=LIVE,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_everything_has_room(tmp_path: Path) -> None:
    """Runs as they are: of a fleet, rejected for several reasons, with long names."""
    folder = tmp_path / "results"
    fleet = plan(folder / FLEET, ["4711-09-helsinki"])
    of_fleet = {"customer": "Nordic Paper and Board Holdings Ltd", "tier": "SGW-200"}
    kept(fleet / "orders" / "4711-09-helsinki", outcome(2), **of_fleet)
    for name, record in ((FIRST, "approved"), (SECOND, "rejected-rate-finnish")):
        kept(folder / name, records.outcome(record, tmp_path))
    with served(folder) as url:
        done = looked_at(
            tmp_path, "serve_layout.robot", URL=url, TOKEN=token_of(url), RESULTS=str(folder),
            APPROVED=FIRST, REJECTED=SECOND,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
