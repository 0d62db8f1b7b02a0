"""The certificate as a browser shows and prints it."""

import shutil
import subprocess
from pathlib import Path

import pytest
from pypdf import PdfReader

from certificate_examples import DIGEST, approved, not_proven, nothing_known, rejected
from gatepass.certificate import render

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
MOST_PAGES = 3

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


def chromium(tmp_path: Path, html: str, *arguments: str) -> str:
    """Load a page in headless Chromium and return what its console said."""
    page = tmp_path / "page.html"
    page.write_text(html, encoding="utf-8")
    call = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--hide-scrollbars", "--enable-logging=stderr", "--log-level=0",
            f"--user-data-dir={tmp_path / 'profile'}", *arguments, page.as_uri()]  # fmt: skip
    done = subprocess.run(call, capture_output=True, text=True, timeout=120, check=True)
    return "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (approved, ["Approved", "309.2", "± 0.7", "+3.1 %", "IPsec tunnels", "not tested"]),
        (rejected, ["Rejected", "287.4", "−4.2 %", "the client's own address", "4711-02"]),
        (not_proven, ["Not proven", "no longer answers over SSH", "did not run"]),
    ],
)
def test_printed_on_a4(tmp_path, outcome, told):
    pdf = tmp_path / "page.pdf"
    console = chromium(
        tmp_path, render(outcome(), DIGEST), "--no-pdf-header-footer", f"--print-to-pdf={pdf}"
    )
    assert console == ""
    reader = PdfReader(pdf)
    assert 1 <= len(reader.pages) <= MOST_PAGES
    width, height = (float(side) / 72 * 25.4 for side in reader.pages[0].mediabox[2:])
    assert (round(width), round(height)) == (210, 297)
    pages = [" ".join(page.extract_text().split()) for page in reader.pages]
    for expected in told:
        assert any(expected in page for page in pages), expected
    for number, page in enumerate(pages, start=1):
        assert f"Page {number} of {len(pages)}" in page
        assert ("LAB" in page) == outcome().lab
    assert DIGEST in pages[-1]


@pytest.mark.parametrize("outcome", [approved, rejected, not_proven, nothing_known])
def test_shown_on_a_screen(tmp_path, outcome):
    picture = tmp_path / "page.png"
    console = chromium(
        tmp_path, render(outcome(), DIGEST), "--window-size=1000,1400", f"--screenshot={picture}"
    )
    assert console == ""
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 20_000  # an empty page has a tenth of that


def test_the_console_would_tell_of_a_request(tmp_path):
    """The silence that the tests above ask for means something."""
    html = render(approved(), DIGEST)
    foreign = html.replace("<main>", '<main><img alt="" src="https://198.18.0.1/a.png"/>')
    picture = tmp_path / "page.png"
    assert "Content Security Policy" in chromium(tmp_path, foreign, f"--screenshot={picture}")
