"""Pages as they come out of a printer: where each word is, and what cannot be read there."""

from __future__ import annotations

import subprocess
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from pypdf import PageObject, PdfReader
from pypdf.generic import DictionaryObject

from gatepass.report.pdf import print_pdf

POINTS_A_MM = 72 / 25.4
WIDE, HIGH = 210, 297
"""Millimetres: A4."""
HEAD, FOOT = 13 * POINTS_A_MM, 284 * POINTS_A_MM
"""Above and below is what stands on each sheet."""
_EDGE = 72 / 6
"""Points; nearer to the edge of a sheet many printers leave out what they are given."""
_MARK_IS_TALL = 60
"""Points; nothing else is so tall."""


@dataclass(frozen=True)
class Word:
    """A word on a sheet, in points from its upper left corner."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    def lies_on(self, other: Word) -> bool:
        """Whether both could not be read; a point is what boxes of letters overlap by anyway."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across > 1 and down > min(self.bottom - self.top, other.bottom - other.top) / 2


@dataclass(frozen=True)
class Printed:
    """What was printed of a page: the words of each sheet, but for the mark across it."""

    html: str
    pdf: Path
    sheets: list[list[Word]]

    @property
    def sizes(self) -> set[tuple[int, int]]:
        """Of the sheets, in millimetres."""
        boxes = [one.mediabox for one in self._pages]
        return {
            (round(float(box.width) / POINTS_A_MM), round(float(box.height) / POINTS_A_MM))
            for box in boxes
        }

    @property
    def fonts(self) -> Iterator[DictionaryObject]:
        """As they are used, on the sheets and in pictures on them."""
        for one in self._pages:
            yield from _fonts(one)

    @property
    def _pages(self) -> list[PageObject]:
        return list(PdfReader(self.pdf).pages)

    def at_the_edge(self) -> list[str]:
        """Words that a printer may leave out."""
        return [
            one.text for sheet in self.sheets for one in sheet
            if min(one.left, one.top) < _EDGE
            or one.right > WIDE * POINTS_A_MM - _EDGE
            or one.bottom > HIGH * POINTS_A_MM - _EDGE
        ]  # fmt: skip

    def on_another(self) -> list[tuple[str, str]]:
        """Words that cannot be read for each other."""
        found = []
        for sheet in self.sheets:
            rows = sorted(sheet, key=lambda one: one.top)
            for at, one in enumerate(rows):
                near = takewhile(lambda other, end=one.bottom: other.top < end, rows[at + 1 :])
                found += [(one.text, other.text) for other in near if one.lies_on(other)]
        return found


def printed(html: str, folder: Path) -> Printed:
    """Print a page.

    Args:
        html: the page.
        folder: for what comes of it.
    """
    page, pdf = folder / "page.html", folder / "page.pdf"
    page.write_text(html, encoding="utf-8")
    assert print_pdf(page, pdf, None) == ""
    return Printed(html, pdf, [
        [one for one in sheet if one.bottom - one.top < _MARK_IS_TALL] for sheet in _words(pdf)
    ])  # fmt: skip


def _words(pdf: Path) -> list[list[Word]]:
    told = subprocess.run(["pdftotext", "-bbox", pdf, "-"], capture_output=True, check=True)
    box = ("xMin", "yMin", "xMax", "yMax")
    return [
        [
            Word(one.text or "", *(float(one.attrib[side]) for side in box))
            for one in sheet.iterfind("{*}word")
        ]
        for sheet in ElementTree.fromstring(told.stdout).iterfind(".//{*}page")
    ]


def _fonts(part: DictionaryObject) -> Iterator[DictionaryObject]:
    resources = part["/Resources"].get_object() if "/Resources" in part else {}
    yield from (font.get_object() for font in resources.get("/Font", {}).values())
    for one in resources.get("/XObject", {}).values():
        yield from _fonts(one.get_object())
