"""Figures as a Markdown table: medians with their spread and number."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median


def spread(values: Sequence[float], digits: int = 2) -> str:
    """``median (smallest – largest, n = count)``."""
    if len(values) == 1:
        return f"{values[0]:,.{digits}f} (n = 1)"
    middle, low, high = (
        f"{value:,.{digits}f}" for value in (median(values), min(values), max(values))
    )
    return f"{middle} ({low} – {high}, n = {len(values)})"


def show(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table with columns of even width."""
    lines = [list(map(str, row)) for row in (head, *rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(head))]
    lines.insert(1, ["-" * width for width in widths])
    for line in lines:
        print("| " + " | ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) + " |")
    print(flush=True)
