"""How quick the browser's own machine is: a page without a gateway that always does the same."""

from __future__ import annotations

from pathlib import Path

from gatepass.base.errors import NotProven
from gatepass.gui.window import Window

REFERENCE_MS = 112.0
"""What the page takes where nothing else is at work; see docs/benchmarks.md."""
_PAGE = Path(__file__).with_name("control.html")
_DONE = 'text="done"'
_LIMIT_S = 60.0


def took_ms(window: Window) -> float:
    """Load the page once; how long its script was at work, by the browser's clock.

    Raises:
        NotProven: it does not come to its end, or tells no time.
    """
    window.go(_PAGE.as_uri())
    took = window.run("() => window.tookMs") if window.is_shown(_DONE, _LIMIT_S) else None
    if not isinstance(took, int | float) or took <= 0:
        raise NotProven(
            f"a page of Gatepass's own is not shown within {_LIMIT_S:g} s, so a slow gateway "
            "cannot be distinguished from a slow browser machine."
        )
    return float(took)
