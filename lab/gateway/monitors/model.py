"""What a monitor is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lab.gateway.call import Call
from lab.gateway.errors import CmdbError, malformed
from lab.gateway.versions import Release

if TYPE_CHECKING:
    from lab.gateway.device import Device


@dataclass(frozen=True)
class Failed:
    """Results of a call that did part of its work.

    Attributes:
        results: what it has to tell.
        error: why it counts as failed.
    """

    results: Any
    error: CmdbError


@dataclass(frozen=True)
class File:
    """A file in the place of an envelope.

    Attributes:
        text: its content.
    """

    text: str


ANYONE = ""
"""The group of what every caller may read."""

Handler = Callable[["Device", Call], Awaitable[Any]]


@dataclass(frozen=True)
class Monitor:
    """One monitor: a handler a method, answering results, a `File` or `Failed`.

    Attributes:
        group: of an access profile, or a part of one, or several: GET needs to read, POST to write.
        get: serves GET.
        post: serves POST.
        since: first release that has it.
        until: last release that has it.
    """

    group: str
    get: Handler | None = None
    post: Handler | None = None
    since: Release | None = None
    until: Release | None = None

    def in_release(self, release: Release) -> bool:
        """Whether a release has this monitor."""
        return (self.since is None or release >= self.since) and (
            self.until is None or release <= self.until
        )


def whole(value: Any, name: str, low: int, high: int) -> int:
    """A number among the parameters of a call.

    Raises:
        CmdbError: it is missing or no number between `low` and `high`.
    """
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        number = low - 1
    if isinstance(value, bool) or not low <= number <= high:
        raise malformed(f"The parameter '{name}' must be a number, {low} to {high}.")
    return number


def needed(value: Any, name: str) -> str:
    """A text among the parameters of a call.

    Raises:
        CmdbError: it is missing.
    """
    if not isinstance(value, str) or not value:
        raise malformed(f"The parameter '{name}' is missing.")
    return value
