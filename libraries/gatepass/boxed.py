"""The box in which a run or a fleet says how it ended."""

from __future__ import annotations

from collections.abc import Sequence


def boxed(lines: Sequence[str]) -> str:
    """Lines within a frame; long ones are wrapped."""
    from rich.box import ROUNDED
    from rich.console import Console
    from rich.panel import Panel
    from rich.text import Text

    console = Console(width=110, color_system=None, highlight=False)
    with console.capture() as captured:
        console.print(Panel(Text("\n".join(lines)), box=ROUNDED, expand=False))
    return captured.get()


def one_line(text: str, limit: int = 500) -> str:
    """A text on one line, cut after so many letters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
