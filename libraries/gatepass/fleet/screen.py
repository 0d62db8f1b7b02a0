"""How far a fleet is: one screen on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Protocol, Self

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from gatepass.base.printable import printable
from gatepass.fleet.state import OrderProgress

_COUNTED = ("pass", "fail", "not proven", "not applicable")
_SYMBOLS = {"pass": "✓", "fail": "✗", "not proven": "?", "not applicable": "–"}
_STYLES = {
    **{"pass": "green", "fail": "red", "not proven": "yellow", "not applicable": "dim"},
    **{"approved": "green", "rejected": "bold red"},
}


class Screen(Protocol):
    """Where the progress of a fleet is shown."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...
    def show(self, orders: Sequence[OrderProgress]) -> None:
        """How far the orders are now."""
        ...

    def say(self, sentence: str) -> None:
        """Something that concerns all of them."""
        ...


def screen() -> Screen:
    """For whatever this process writes to."""
    console = Console(file=getattr(sys.stdout, "whole", None), highlight=False)
    return _Table(console) if console.is_terminal else _Lines()


class _Table:
    """One line an order, drawn anew in its place."""

    def __init__(self, console: Console) -> None:
        self._live = Live(console=console, auto_refresh=False)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def say(self, sentence: str) -> None:
        self._live.console.print(printable(sentence), markup=False)

    def show(self, orders: Sequence[OrderProgress]) -> None:
        self._live.update(table(orders), refresh=True)


def table(orders: Sequence[OrderProgress]) -> Table:
    """All orders: chapter, verdicts so far, who waits for whom, time left."""
    drawn = Table(box=None, pad_edge=False, header_style="bold", expand=True)
    names, tiers = zip(*((one.entry.name, one.entry.tier) for one in orders), strict=True)
    drawn.add_column("Order", min_width=max(map(len, names)), no_wrap=True)
    drawn.add_column("Tier", min_width=max(map(len, tiers)), no_wrap=True)
    drawn.add_column("At", ratio=1, no_wrap=True)  # what is cut off where there is no room
    for verdict in _COUNTED:
        drawn.add_column(_SYMBOLS[verdict], justify="right", min_width=2, no_wrap=True)
    for title in ("Checks", "Left"):
        drawn.add_column(title, justify="right", min_width=6, no_wrap=True)
    for one in orders:
        counts = [
            Text(str(one.verdicts[verdict] or ""), style=_STYLES[verdict]) for verdict in _COUNTED
        ]
        checks = f"{one.done}/{one.checks}" if one.checks else ""
        drawn.add_row(one.entry.name, one.entry.tier, _at(one), *counts, checks, _left(one))
    return drawn


def _at(one: OrderProgress) -> Text:
    if one.over:
        verdict = one.verdict or "not proven"
        shown = verdict if one.verdict else f"{verdict}, it ended before its time"
        return Text(shown, style=_STYLES[verdict])
    if not one.begun:
        return Text("is yet to begin", style="dim")
    if one.waits:
        return Text(f"{one.chapter or 'Beginning'}; waits for {one.waits}", style="yellow")
    return Text(one.chapter or "Beginning")


def _left(one: OrderProgress) -> str:
    left = one.left_s
    if left is None:
        return ""
    return f"{left:.0f} s" if left < 90 else f"{left / 60:.0f} min"


class _Lines:
    """A line for each thing that happens: for a pipeline's log."""

    def __init__(self) -> None:
        self._seen: dict[str, tuple] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def say(self, sentence: str) -> None:
        print(sentence, flush=True)

    def show(self, orders: Sequence[OrderProgress]) -> None:
        width = max(len(one.entry.name) for one in orders)
        for one in orders:
            now = (one.begun, one.chapter, one.over)
            if one.begun and self._seen.get(one.entry.name) != now:
                self._seen[one.entry.name] = now
                counts = " ".join(
                    f"{_SYMBOLS[verdict]}{one.verdicts[verdict]}"
                    for verdict in _COUNTED
                    if one.verdicts[verdict]
                )
                print(f"{one.entry.name:<{width}}  {_at(one).plain:<60} {counts}".rstrip())
        print(end="", flush=True)
