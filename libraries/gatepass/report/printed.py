"""A certificate's PDF held against the page that its record makes, as the pictures that both print.

The words of a PDF are not what a reader sees: a picture may lie over them. So the page is printed
again, and both are drawn by poppler and compared square by square.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from gatepass.base.environment import without_secrets
from gatepass.report.pdf import print_pdf

if TYPE_CHECKING:
    import numpy as np

DPI = 100
"""Of the pictures: small print is some 11 of their points high, and a digit six wide."""
SQUARE, TOLERANCE = 4, 16
"""Points along the side of a square, and by how many of 255 shades of grey the means of two squares
may differ: edges of letters may be drawn otherwise, no letter may be another one."""
_PATIENCE_S = 60
_TOOLS = ("pdftoppm", "pdffonts", "pdfinfo")
_PGM = re.compile(rb"P5\s+(\d+)\s+(\d+)\s+255\s")


@dataclass(frozen=True)
class Compared:
    """What came out.

    Attributes:
        difference: what the PDF shows otherwise, as the rest of a sentence; empty where nothing is.
        skipped: why the pictures were not compared, as the rest of a sentence; empty where they
            were.
    """

    difference: str = ""
    skipped: str = ""


def compared(pdf: Path, page: str, started: object) -> Compared:
    """Hold a PDF against the page that it should have been printed from.

    Args:
        pdf: the certificate.
        page: its HTML, as the record makes it.
        started: of the run, for the dates in a PDF.
    """
    if missing := [name for name in _TOOLS if shutil.which(name) is None]:
        return Compared(skipped=f"{missing[0]} is missing (apt-get install poppler-utils)")
    with TemporaryDirectory() as place:
        html, again = Path(place, "certificate.html"), Path(place, "again.pdf")
        html.write_text(page, "utf-8", newline="\n")
        if why := print_pdf(html, again, started):
            return Compared(skipped=f"a PDF to compare it with was {why}")
        if again.read_bytes() == pdf.read_bytes():
            return Compared()
        try:
            if (one := _printer(pdf)) != (other := _printer(again)):
                return Compared(skipped=f"it was printed with {one}, and here there is {other}")
            return Compared(_difference(_pictures(pdf), _pictures(again)))
        except (OSError, ValueError, subprocess.SubprocessError) as error:
            return Compared(f"it cannot be drawn: {error}")


def _printer(pdf: Path) -> str:
    """The program that made a PDF, and the fonts in it."""
    info = _output("pdfinfo", str(pdf)).decode(errors="replace")
    found = re.search(r"^Producer: +(.*)$", info, re.MULTILINE)
    fonts = _output("pdffonts", str(pdf)).decode(errors="replace").splitlines()[2:]
    names = sorted({line.split()[0].partition("+")[2] for line in fonts if line.strip()})
    return f"{found[1] if found else 'an unknown program'} ({', '.join(names)})"


def _pictures(pdf: Path) -> Sequence[np.ndarray]:
    """Its pages in shades of grey, in squares of `SQUARE` points."""
    import numpy as np  # here, as it takes long to load

    with TemporaryDirectory() as place:
        _output("pdftoppm", "-gray", "-r", str(DPI), str(pdf), f"{place}/page")
        pages = []
        for path in sorted(Path(place).iterdir()):
            content = path.read_bytes()
            if not (head := _PGM.match(content)):
                raise ValueError(f"{path.name} is no picture")
            width, height = int(head[1]), int(head[2])
            points = np.frombuffer(content, np.uint8, width * height, head.end())
            rows, columns = height // SQUARE, width // SQUARE
            whole = points.reshape(height, width)[: rows * SQUARE, : columns * SQUARE]
            squares = whole.reshape(rows, SQUARE, columns, SQUARE)
            pages.append(squares.mean(axis=(1, 3)))
        return pages


def _difference(is_there: Sequence[np.ndarray], must_be: Sequence[np.ndarray]) -> str:
    if len(is_there) != len(must_be):
        return f"it has {len(is_there)} pages and must have {len(must_be)}"
    for number, (one, other) in enumerate(zip(is_there, must_be, strict=True), start=1):
        if one.shape != other.shape:
            return f"its page {number} has another size"
        if (off := abs(one - other) > TOLERANCE).any():
            row, column = divmod(int(off.argmax()), off.shape[1])
            down, right = (
                round(100 * at / of) for at, of in zip((row, column), off.shape, strict=True)
            )
            return (
                f"its page {number} does not look as the record prints it, {down} % down and "
                f"{right} % to the right"
            )
    return ""


def _output(*words: str) -> bytes:
    return subprocess.run(
        words, env=without_secrets(), capture_output=True, timeout=_PATIENCE_S, check=True
    ).stdout
