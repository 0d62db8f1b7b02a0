"""The certificate as a browser shows and prints it."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pypdf import PdfReader

from certificate_examples import (
    DIGEST,
    approved,
    everything_wrong,
    full,
    in_finnish,
    in_language,
    not_proven,
    rejected,
    whole,
)
from gatepass.report.certificate import page_language, render, write_pdf
from gatepass.report.verify import changed_word, page_text
from gatepass.results.record import FAIL
from rendered.contrast import contrast_should_suffice

ROBOT = Path(__file__).resolve().parent / "rendered"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_PACKAGE = importlib.util.find_spec("axe_playwright_python")
assert _PACKAGE and _PACKAGE.origin
AXE = Path(_PACKAGE.origin).with_name("axe.min.js")
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
MOST_PAGES, IN_FULL = 3, 2

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


PAGES = {
    "whole": whole,
    "rejected": rejected,
    "not-proven": not_proven,
    "everything-wrong": everything_wrong,
    "finnish": lambda: in_finnish(whole()),
    "full": lambda: in_finnish(full()),
    "swedish": lambda: in_language("sv", whole()),
}
COUNTED = {"fi": "Sivu {} / {}", "sv": "Sida {} av {}"}
"""How the pages of a language are numbered."""


def looked_at(folder: Path, suite: str, **variables: str) -> subprocess.CompletedProcess:
    """The run of a Robot suite that looks at a folder's pages through the Browser library."""
    switches = "['--no-sandbox']" if os.geteuid() == 0 else "[]"
    more = [word for name, value in variables.items() for word in ("-v", f"{name}:{value}")]
    known = os.pathsep.join(map(str, (ROBOT, ROBOT.parent, ROBOT.parents[1] / "libraries")))
    call = [sys.executable, "-m", "robot", "--outputdir", str(folder), "--pythonpath", known,
            "-v", f"FOLDER:{folder}", "-v", f"CHROMIUM:{CHROMIUM}", "-v", f"SWITCHES:{switches}",
            "-v", f"AXE:{AXE}", "--maxerrorlines", "none",
            *more, str(ROBOT / suite)]  # fmt: skip
    return subprocess.run(
        call, cwd=folder, capture_output=True, text=True, timeout=240, check=False
    )


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess]:
    """The pages, and the run of the suite that looks at them."""
    folder = tmp_path_factory.mktemp("rendered")
    for name, outcome in PAGES.items():
        (folder / f"{name}.html").write_text(render(outcome(), DIGEST), encoding="utf-8")
    return folder, looked_at(folder, "certificate.robot")


def test_what_a_browser_shows(rendered):
    _, done = rendered
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_pale_text_would_be_found():
    with pytest.raises(AssertionError, match=r"3\.54"):
        contrast_should_suffice(["rgb(136, 136, 136)"])


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_asked_for_but_the_page(rendered, name):
    folder, _ = rendered
    entries = json.loads((folder / f"{name}.har").read_text())["log"]["entries"]
    asked = [entry["request"]["url"] for entry in entries]
    assert asked == [(folder / f"{name}.html").as_uri()]


@pytest.mark.parametrize("name", PAGES)
def test_a_picture_was_taken(rendered, name):
    picture = (rendered[0] / f"{name}.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 50_000  # an empty page has a tenth of that


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("whole", ["Approved", "307.5", "± 1.2", "+2.5 %", "100 tunnels", "Hokkanen 2016"]),
        ("rejected", ["Rejected", "287.4", "−4.2 %", "The server saw another address", "4711-02"]),
        ("not-proven", ["Not proven", "no longer answers over SSH", "not run"]),
        ("everything-wrong", ["Rejected", "the rest is in the report"]),
        ("finnish", ["Hyväksytty", "307,5", "Pysäytettiin: virustestitiedosto"]),
        ("full", ["Hyväksytty", "307,5", "(+n) tarkoittaa, että muita on n"]),
        ("swedish", ["Godkänd", "307,5", "Stoppades: virustestfil"]),
    ],
)
def test_printed_on_a4(tmp_path, name, told):
    outcome = PAGES[name]()
    page = tmp_path / "page.html"
    page.write_text(render(outcome, DIGEST), encoding="utf-8")
    assert write_pdf(outcome, page) == str(tmp_path / "page.pdf")
    reader = PdfReader(tmp_path / "page.pdf")
    in_full = 'id="causes"' in page.read_text(encoding="utf-8")
    assert 1 <= len(reader.pages) <= MOST_PAGES + IN_FULL * in_full
    width, height = (float(side) / 72 * 25.4 for side in reader.pages[0].mediabox[2:])
    assert (round(width), round(height)) == (210, 297)
    pages = [" ".join(sheet.extract_text().split()) for sheet in reader.pages]
    for expected in told:
        assert any(expected in sheet for sheet in pages), expected
    counted = COUNTED.get(page_language(outcome), "Page {} of {}")
    for number, sheet in enumerate(pages, start=1):
        assert counted.format(number, len(pages)) in sheet
        assert ("LAB" in sheet) == outcome.lab
    assert DIGEST in pages[-1]
    text = page_text(tmp_path / "page.pdf")
    assert changed_word(text, page.read_text(encoding="utf-8")) == ""


def test_a_link_leads_to_what_lies_beside_the_page(tmp_path):
    """In the PDF as well, which names no folder of the machine that printed it."""
    outcome = rejected()
    for number, check in enumerate(outcome.checks):
        check.place = f"s1-t{number}"
    seen = "failures/Stateful-firewall/100-Policies/index.html"
    failed = [check for check in outcome.checks if check.verdict == FAIL]
    failed[0].seen = seen
    page = tmp_path / "page.html"
    page.write_text(render(outcome, DIGEST), encoding="utf-8")
    html = page.read_text("utf-8")
    assert f'<a href="{seen}">' in html and '<a href="log.html#s1-t' in html
    write_pdf(outcome, page)
    printed = PdfReader(tmp_path / "page.pdf")
    links = [note.get_object() for sheet in printed.pages for note in sheet.get("/Annots") or ()]
    targets = {str(link["/A"]["/URI"]) for link in links if "/URI" in link.get("/A", {})}
    assert targets == set(re.findall(r'<a href="([^"#][^"]*)"', html))
    assert seen in targets
    assert str(tmp_path).encode() not in (tmp_path / "page.pdf").read_bytes()
    assert changed_word(page_text(tmp_path / "page.pdf"), html) == ""


def test_what_looks_grey_in_print_can_be_told_apart(tmp_path):
    """Verdicts differ in shape and word, bars in pattern: nothing is told by its colour alone."""
    page = render(whole(), DIGEST)
    assert page.count('fill="url(#hatch)"') == page.count("hatch") - 1 > 4
    for name in ("approved", "rejected"):
        html = render({"approved": approved, "rejected": rejected}[name](), DIGEST)
        assert f'class="decision {name}"' in html
    shapes = re.findall(r'<symbol id="(\w+)" viewBox="0 0 20 20">(.*?)</symbol>', page)
    assert len({drawn for _, drawn in shapes}) == len(shapes) == 4


def test_the_console_would_tell_of_a_request(tmp_path):
    """The silence that the tests above ask for means something."""
    html = render(approved(), DIGEST)
    foreign = html.replace("<main>", '<main><img alt="" src="https://198.18.0.1/a.png"/>')
    picture = tmp_path / "page.png"
    assert "Content Security Policy" in chromium(tmp_path, foreign, f"--screenshot={picture}")
