"""What is asked of a browser; who drives one is another matter (`support.browser_window`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class Cookie:
    """One that a page has set.

    Attributes:
        name, value: of it.
        http_only: whether scripts cannot read it.
        secure: whether it goes over HTTPS alone.
        same_site: Strict, Lax or None; empty where the page named none.
    """

    name: str
    value: str
    http_only: bool
    secure: bool
    same_site: str = ""


class Window(Protocol):
    """A browser's window.

    Selectors are Playwright's: ``id=login_button``, ``text="a name"``, ``role=button[name=/ok/i]``.

    Each of them raises NotProven where the browser itself fails.
    """

    def begin_anew(self) -> None:
        """Forget everything: cookies, pages, errors."""

    def go(self, url: str) -> None:
        """Begin to load a page; return as soon as it is there, its scripts may be at work.

        Raises:
            AssertionError: it comes with a certificate that the browser does not take.
        """

    def is_shown(self, selector: str, within_s: float) -> bool:
        """Whether the first element of a selector comes into sight in time."""

    def is_gone(self, selector: str, within_s: float) -> bool:
        """Whether it goes out of sight in time."""

    def click(self, selector: str) -> None:
        """Click it."""

    def fill(self, selector: str, text: str) -> None:
        """Write a text into a field, in place of what stands there."""

    def fill_secret(self, selector: str, secret: str) -> None:
        """The same with what may stand in no log."""

    def press(self, selector: str, key: str) -> None:
        """Press a key in it."""

    def run(self, script: str, selector: str = "") -> object:
        """What a function of JavaScript returns, called with the selector's element if any."""

    @property
    def cookies(self) -> Sequence[Cookie]:
        """All that the page has set."""

    @property
    def errors(self) -> Sequence[str]:
        """What scripts threw and nobody caught, since `begin_anew`."""

    def picture(self, to: Path) -> None:
        """Write what is in sight as PNG, with fields of passwords covered."""
