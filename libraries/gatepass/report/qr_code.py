"""A QR code (ISO/IEC 18004) as inline SVG."""

from __future__ import annotations

import segno
from markupsafe import Markup

_QUIET = 4
"""Empty modules around it, which the standard asks for."""


def qr_code(text: str) -> Markup:
    """The code of a text.

    It is drawn here from its modules, which the standard decides, so that another version of the
    library makes the same bytes.

    Args:
        text: what a reader of the code gets; it has to stand beside it as well, for who reads by
            ear.
    """
    code = segno.make(text, error="m", micro=False)
    rows = [bytes(row) for row in code.matrix]
    runs = "".join(
        f"M{_QUIET + start} {_QUIET + y}h{length}v1h-{length}z"
        for y, row in enumerate(rows)
        for start, length in _runs(row)
    )
    size = len(rows) + 2 * _QUIET
    return Markup(
        '<svg class="qr" viewBox="0 0 {size} {size}" aria-hidden="true"><path d="{runs}"/></svg>'
    ).format(size=size, runs=runs)


def _runs(row: bytes) -> list[tuple[int, int]]:
    """Where dark modules begin that lie side by side, and how many they are."""
    found, start = [], None
    for at, dark in enumerate((*row, 0)):
        if dark and start is None:
            start = at
        elif not dark and start is not None:
            found.append((start, at - start))
            start = None
    return found
