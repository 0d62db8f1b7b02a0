"""A table that a device gives in pieces, read whole.

FortiOS ends the answer about a table with ``matched_count`` (rows that there are for the question),
``limit_reached`` (whether it stopped before the last of them) and ``next_idx``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gatepass.gateway.answers import MOST_ROWS, Malformed

_MOST_PAGES = 1000
"""Of one table; a device that stops by itself gives some hundred rows at a time."""


def whole(first: dict, more: Callable[[int], dict], call: str) -> dict:
    """An answer with the rows that the device left for later.

    Args:
        first: the answer without a start.
        more: asks for the rows from an index on.
        call: as a sentence names it: ``GET cmdb/firewall/policy``.

    Raises:
        Malformed: not all of them come.
    """
    page, rows = first, first.get("results")
    if not isinstance(rows, list):
        return first
    for _ in range(_MOST_PAGES):
        if not _is_cut(page, len(rows)) or len(rows) > MOST_ROWS:
            return {**first, "results": rows}
        page = more(max(len(rows), _number(page, "next_idx")))
        came = page.get("results")
        if not came and len(rows) == _number(first, "matched_count"):
            return {**first, "results": rows}
        if not isinstance(came, list) or not came or came == rows[: len(came)]:
            break
        rows = rows + came
    there = _number(first, "matched_count") or _number(first, "size")
    if there > len(rows):
        raise Malformed(
            f"the gateway answers {call} with {len(rows):,} of {there:,} rows and does not give "
            "the others, so the answer is not taken for the whole."
        )
    raise Malformed(
        f"the gateway answers {call} with {len(rows):,} rows, which are not all, and does not "
        "give the others, so the answer is not taken for the whole."
    )


def _is_cut(page: Mapping[str, object], have: int) -> bool:
    """Whether rows are missing, after a page with which there are so many."""
    return page.get("limit_reached") is True or _number(page, "matched_count") > have


def _number(page: Mapping[str, object], name: str) -> int:
    found = page.get(name)
    return found if isinstance(found, int) else 0
