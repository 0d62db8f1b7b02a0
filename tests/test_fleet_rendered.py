"""The page of a fleet as a browser shows and prints it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from pypdf import PdfReader

from certificate_examples import approved
from fleet_examples import mixed, plan, ran, real
from gatepass.fleet.outcome import read_fleet
from gatepass.fleet.page import render
from gatepass.report.pdf import print_pdf
from test_certificate_rendered import CHROMIUM, looked_at

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")


def _well(folder: Path) -> Path:
    fleet = plan(folder, ["4711-01", "4711-02"])
    for name in ("4711-01", "4711-02"):
        ran(fleet, name, real(approved(), name))
    return fleet


def _fifty(folder: Path) -> Path:
    names = [f"2026-{number:06}" for number in range(50)]
    fleet = plan(folder, names)
    for name in names[:-1]:
        ran(fleet, name, approved())
    return fleet


PAGES = {"mixed": mixed, "approved": _well, "fifty": _fifty}


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess]:
    """The pages, each beside its fleet, and the run of the suite that looks at them."""
    folder = tmp_path_factory.mktemp("fleets")
    for name, made in PAGES.items():
        fleet = made(folder / f"fleet-{name}")
        html = render(folder, read_fleet(fleet))
        (folder / f"{name}.html").write_text(html, encoding="utf-8")
    return folder, looked_at(folder, "fleet.robot")


def test_what_a_browser_shows(rendered) -> None:
    _, done = rendered
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["approved", "fifty"])
def test_nothing_is_asked_for_but_the_page(rendered, name: str) -> None:
    folder, _ = rendered
    entries = json.loads((folder / f"{name}.har").read_text())["log"]["entries"]
    asked = [entry["request"]["url"] for entry in entries]
    assert asked == [(folder / f"{name}.html").as_uri()]


@pytest.mark.parametrize("name", PAGES)
def test_a_picture_was_taken(rendered, name: str) -> None:
    picture = (rendered[0] / f"{name}.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 40_000  # an empty page has a quarter of that


@pytest.mark.parametrize(
    ("name", "pages", "told"),
    [
        ("mixed", 1, ["1 of 5 approved", "4711-05", "It did not run.", "−4.2 %"]),
        ("approved", 1, ["All 2 approved", "4711-02"]),
        ("fifty", 5, ["49 of 50 approved", "2026-000048"]),
    ],
)
def test_printed_on_a4(rendered, tmp_path: Path, name: str, pages: int, told: list[str]) -> None:
    pdf = tmp_path / "fleet.pdf"
    assert print_pdf(rendered[0] / f"{name}.html", pdf, None) == ""
    reader = PdfReader(pdf)
    assert len(reader.pages) <= pages
    width, height = (float(side) / 72 * 25.4 for side in reader.pages[0].mediabox[2:])
    assert (round(width), round(height)) == (210, 297)
    sheets = [" ".join(sheet.extract_text().split()) for sheet in reader.pages]
    for expected in told:
        assert any(expected in sheet for sheet in sheets), expected
    for number, sheet in enumerate(sheets, start=1):
        assert f"Page {number} of {len(sheets)}" in sheet
        if number < len(sheets):
            assert "Margin" in sheet  # the heading of the table, on each sheet of it
        assert ("LAB" in sheet) == (name != "approved")
