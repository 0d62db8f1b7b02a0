"""Robot's own report, finished so that it tells the order's verdict."""

from __future__ import annotations

from pathlib import Path

import pytest
from robot import rebot

from certificate_examples import approved, not_proven, rejected
from certificate_results import write_output
from gatepass.report.robot_report import finish
from gatepass.results.outcome import Outcome
from test_certificate_rendered import CHROMIUM, looked_at

PAGES = {"approved": approved, "rejected": rejected, "not-proven": not_proven}


def report_of(outcome: Outcome, folder: Path) -> Path:
    folder.mkdir()
    output = write_output(outcome, folder / "output.xml")
    rebot(str(output), outputdir=str(folder), log=None, console="none", stdout=None)
    return folder / "report.html"


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_what_a_browser_shows(tmp_path: Path) -> None:
    for name, made in PAGES.items():
        outcome = made()
        finish(report_of(outcome, tmp_path / name), outcome.verdict)
    done = looked_at(tmp_path, "report.robot")
    assert done.returncode == 0, done.stdout + done.stderr


def test_once_is_enough(tmp_path: Path) -> None:
    report = report_of(rejected(), tmp_path / "one")
    finish(report, "rejected")
    once = report.read_text()
    finish(report, "rejected")
    assert report.read_text() == once


def test_what_is_no_report_stays(tmp_path: Path) -> None:
    other = tmp_path / "report.html"
    finish(other, "approved")
    assert not other.exists()
    other.write_text("<title>Report</title>")
    finish(other, "approved")
    assert other.read_text() == "<title>Report</title>"
