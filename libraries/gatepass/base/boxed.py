"""The box in which a run or a fleet says how it ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gatepass.base.printable import printable


def boxed(lines: Sequence[str], below: Mapping[str, object]) -> str:
    """Lines within a frame, and where more of it lies.

    Args:
        lines: long ones are wrapped.
        below: names and paths, which stand below the frame, whole: they are for copying.
    """
    from rich.box import ROUNDED
    from rich.console import Console
    from rich.panel import Panel
    from rich.text import Text

    console = Console(width=110, color_system=None, highlight=False)
    with console.capture() as captured:
        console.print(Panel(Text("\n".join(lines)), box=ROUNDED, expand=False))
    width = max(map(len, below))
    return captured.get() + "\n".join(f"{name:<{width}}  {path}" for name, path in below.items())


def one_line(text: str, limit: int = 500) -> str:
    """A text on one line, cut after so many letters."""
    line = printable(" ".join(text.split()))
    return line if len(line) <= limit else line[: limit - 1] + "…"
