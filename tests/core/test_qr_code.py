"""The QR code on the certificate: its modules are those of the text."""

from __future__ import annotations

import re

import pytest
import segno

from gatepass.report.qr_code import qr_code

TEXT = f"Gatepass 20261125-093947-lab\nSHA-256 {'0123456789abcdef' * 4}\nhttps://records.example.net/"


def drawn(svg: str) -> set[tuple[int, int]]:
    """The dark modules of the picture, without the quiet zone."""
    runs = re.findall(r"M(\d+) (\d+)h(\d+)v1h-(\d+)z", svg)
    assert all(there == back for *_, there, back in runs)
    return {
        (int(x) - 4 + step, int(y) - 4) for x, y, length, _ in runs for step in range(int(length))
    }


@pytest.mark.parametrize("text", ["a", "Gatepass nro 1, ä", TEXT])
def test_each_module_is_there(text: str) -> None:
    rows = [bytes(row) for row in segno.make(text, error="m", micro=False).matrix]
    dark = {(x, y) for y, row in enumerate(rows) for x, module in enumerate(row) if module}
    svg = qr_code(text)
    assert drawn(svg) == dark
    assert f'viewBox="0 0 {len(rows) + 8} {len(rows) + 8}"' in svg

