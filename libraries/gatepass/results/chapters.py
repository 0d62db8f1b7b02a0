"""Which chapter of the suites a check belongs to."""

from __future__ import annotations

from typing import Any


def chapter_of(check: Any) -> Any:
    """The suite that stands for a check's chapter.

    A chapter is a file, or a folder whose files are its parts, directly below the whole.

    Args:
        check: a test case of Robot's running or result model.
    """
    return uppermost(check.parent)


def uppermost(suite: Any) -> Any:
    """The suite itself, or the one above it that stands directly below the whole."""
    while suite.parent is not None and suite.parent.parent is not None:
        suite = suite.parent
    return suite
