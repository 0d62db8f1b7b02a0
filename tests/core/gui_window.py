"""A window of no browser: a page as a state, and what a person would see of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from gatepass.gui.window import Cookie


class PaperWindow:
    """Shows what a test says that it shows.

    Args:
        shown: what is in sight: selectors, or beginnings of them.
    """

    def __init__(self, *shown: str) -> None:
        self.shown = set(shown)
        self.done: list[tuple[str, ...]] = []
        self.cookies: Sequence[Cookie] = ()
        self.errors: Sequence[str] = ()
        self.told: dict[str, object] = {}

    def begin_anew(self) -> None:
        self.done.append(("anew",))

    def go(self, url: str) -> None:
        self.done.append(("go", url))

    def is_shown(self, selector: str, within_s: float) -> bool:
        return any(selector.startswith(one) for one in self.shown)

    def is_gone(self, selector: str, within_s: float) -> bool:
        return not self.is_shown(selector, within_s)

    def click(self, selector: str) -> None:
        self.done.append(("click", selector))

    def fill(self, selector: str, text: str) -> None:
        self.done.append(("fill", selector, text))

    def fill_secret(self, selector: str, secret: str) -> None:
        self.done.append(("fill_secret", selector))

    def press(self, selector: str, key: str) -> None:
        self.done.append(("press", selector, key))

    def run(self, script: str, selector: str = "") -> object:
        found = (told for part, told in self.told.items() if re.search(part, script))
        return next(found, None)

    def picture(self, to: Path) -> None:
        to.write_bytes(b"")
