"""Why an order of a fleet has no results: how far its run came, as its folder tells."""

from __future__ import annotations

from pathlib import Path

from gatepass.base.result_folders import OUTPUT
from gatepass.gateway.journal import NAME as JOURNAL
from gatepass.gateway.journal import left_changed
from gatepass.results.record import FAIL, PASS
from gatepass.run.how_far import how_far
from gatepass.run.progress import NAME as PROGRESS

WORKER = "worker.txt"
"""A sentence on how the worker ended, where whoever watched it has left one."""
LONGEST = 400
"""Letters of that sentence."""


def unfinished(folder: Path) -> str:
    """Why there are no results, how far it came, and what to do, in sentences.

    Args:
        folder: of the order's run; need not be there.
    """
    known = _said(folder / WORKER)
    if not folder.is_dir():
        return f"It did not run. {_again(folder)}"
    parts = [known or _state(folder), _came_to(folder), _left(folder)]
    return " ".join(part for part in parts if part)


def _state(folder: Path) -> str:
    if (folder / OUTPUT).exists():
        return "Its worker was killed or crashed: the results are cut off."
    if (folder / PROGRESS).exists():
        return "Its worker was killed or crashed before it left results."
    return "It did not begin."


def _came_to(folder: Path) -> str:
    """Chapter and verdicts so far; empty where it came to none."""
    far = how_far(folder)
    if not far.chapter and not far.ended:
        return ""
    where = f"chapter “{far.chapter}”" if far.chapter else "its first check"
    passed, failed = far.verdicts[PASS], far.verdicts[FAIL]
    return f"It had come to {where}, with {passed} passed and {failed} failed."


def _left(folder: Path) -> str:
    """What to do about its gateway; empty where nothing is left on that."""
    if not (folder / JOURNAL).exists():
        return _again(folder)
    if not left_changed(folder):
        return f"Nothing of it is left on its gateway. {_again(folder)}"
    return (
        "Its gateway may be changed: ./run.sh restore puts it back, and so does its next run. "
        f"{_again(folder)}"
    )


def _again(folder: Path) -> str:
    return f"Run it with ./run.sh --resume {folder.parent.parent.resolve().name}."


def _said(path: Path) -> str:
    return " ".join(_text(path).split())[:LONGEST]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
