"""The dashboard: one HTML file that shows the checks of all runs and loads nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from robot.api import TestSuite as Suite  # pytest would collect a class named Test…

from gatepass.report.dashboard import TITLE
from test_certificate_rendered import CHROMIUM, chromium

ROOT = Path(__file__).parents[1]


def _run_of_robot(folder: Path, check: str) -> None:
    folder.mkdir(parents=True)
    suite = Suite("Acceptance")
    test = suite.tests.create(check)
    test.body.create_keyword("No Operation")
    suite.run(output=str(folder / "output.xml"), stdout=None, console="none")


_PACED = """<script>
const pace = setInterval(() => {
  if (document.querySelector("#loading")?.checkVisibility() === false) clearInterval(pace);
  for (let turn = 0, end = 2e7; turn < end; turn++);
}, 20);
</script>"""
"""Keeps the browser's virtual time from running out while another thread unpacks the data: until
the page no longer shows that it loads, each 20 ms of it take some work of real time."""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of two runs, in a folder whose name has what the dashboard takes for a tag, and a third cut
    off as that of a run at work."""
    results = tmp_path_factory.mktemp("dash") / "results:1"
    _run_of_robot(results / "20261121-100000-lab", "The Licence Is Valid")
    _run_of_robot(results / "20261121-110000-lab", "The Path Is Open")
    (results / "at-work").mkdir()
    whole = (results / "20261121-100000-lab" / "output.xml").read_bytes()
    (results / "at-work" / "output.xml").write_bytes(whole[: len(whole) // 2])
    done = subprocess.run(
        [sys.executable, "-m", "gatepass", "dashboard"],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT / "libraries"),
            "GATEPASS_RESULTS": str(results),
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"2 runs: {results / 'dashboard.html'}\n"
    assert {path.name for path in results.iterdir() if path.is_file()} == {"dashboard.html"}
    return results / "dashboard.html"


def test_nothing_is_loaded_from_elsewhere(page: Path) -> None:
    html = page.read_text(encoding="utf-8")
    head = html[: html.index("<script")]
    assert "default-src 'none'" in head
    for loads in ('<script src="http', '<link rel="stylesheet" href="http', "@import url(http"):
        assert loads not in html


def test_it_has_a_language_a_title_and_a_name_for_each_link(page: Path) -> None:
    html = page.read_text(encoding="utf-8")
    head, body = html[: html.index("<script")], html[html.index("<body") :]
    assert re.search(r'<html [^>]*lang="en"', head)
    assert f"<title>{TITLE}</title>" in html and 'name="viewport"' in head
    nameless = [link for link in re.findall(r"<a [^>]*></a>", body) if "aria-label" not in link]
    assert not nameless
    assert 'aria-label="Theme dark"' in body


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_a_browser_shows_it_and_says_nothing(page: Path, tmp_path: Path) -> None:
    """A console that is silent under that policy asked for nothing."""
    html = page.read_text(encoding="utf-8").replace("</head>", f"{_PACED}</head>", 1)
    picture = tmp_path / "page.png"
    said = chromium(
        tmp_path,
        html,
        "--window-size=1400,1200",
        "--virtual-time-budget=60000",
        f"--screenshot={picture}",
    )
    assert said == ""
    assert picture.stat().st_size > 60_000  # the frame without charts has half of that
    shutil.rmtree(tmp_path / "profile")


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_the_console_would_tell_of_a_load(page: Path, tmp_path: Path) -> None:
    html = page.read_text(encoding="utf-8")
    foreign = html.replace("</head>", '<script src="https://198.18.0.1/a.js"></script></head>', 1)
    picture = tmp_path / "page.png"
    assert "Content Security Policy" in chromium(tmp_path, foreign, f"--screenshot={picture}")
