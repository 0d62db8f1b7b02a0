"""How many sessions there may be at the same time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class SessionTable:
    """The table of sessions; all but the limit are faults, in force while there is one.

    Attributes:
        limit: sessions that it holds at most; 0 for any number.
        room: sessions that it still had room for when the limit came; None without one.
        opens: whether what no policy permits passes.
        ends: whether the sessions in it end.
        stays: whether a limit outlives its end.
    """

    limit: int = 0
    room: int | None = None
    opens: bool = False
    ends: bool = False
    stays: bool = False


class Room:
    """What room there is, asked for once, when a limit comes.

    The kernel's own limit is the whole machine's, so new sessions are counted from there on.

    Args:
        count: tells how many sessions there are.
    """

    def __init__(self, count: Callable[[], int]) -> None:
        self._count = count
        self._limit, self._room = 0, None

    def of(self, table: SessionTable) -> SessionTable:
        """The table with its room."""
        limit = table.limit or (self._limit if table.stays else 0)
        if limit != self._limit:
            self._room = max(0, limit - self._count()) if limit else None
            self._limit = limit
        return replace(table, limit=limit, room=self._room)


def compile_table(config: Mapping[str, Sequence[Mapping]]) -> SessionTable:
    """The table of a configuration."""
    limits = next(iter(config.get("system/resource-limits", ())), {})
    return SessionTable(int(limits.get("session") or 0))
