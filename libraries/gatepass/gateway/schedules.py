"""Whether the time of a policy still comes.

FortiOS knows recurring schedules (days and hours), one-time schedules (from, until) and groups of
both; `always` and `none` are recurring ones of a new device.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

Row = Mapping[str, Any]
ALWAYS = ("always", "")
"""What a policy names that is in force at any time."""
RECURRING, ONETIME = "firewall.schedule/recurring", "firewall.schedule/onetime"
GROUP = "firewall.schedule/group"
SCHEDULES = (RECURRING, ONETIME, GROUP)
_SURELY_PAST = timedelta(days=1)
"""The gateway's time zone is not known; none is that far from UTC."""


def lapsed(rows: Callable[[str], Sequence[Row]], now: datetime) -> dict[str, bool]:
    """For each schedule whether its time is over, or never comes.

    Args:
        rows: of a table, by its path; none for a table that a model lacks.
        now: with its time zone.
    """
    over = {str(row.get("name")): _never_comes(row) for row in rows(RECURRING)}
    over |= {str(row.get("name")): _has_ended(row, now) for row in rows(ONETIME)}
    for row in rows(GROUP):
        members = [str(one.get("name")) for one in row.get("member") or ()]
        over[str(row.get("name"))] = bool(members) and all(
            over.get(name, False) for name in members
        )
    return over


def _never_comes(row: Row) -> bool:
    return str(row.get("day", "")).split() == ["none"]


def _has_ended(row: Row, now: datetime) -> bool:
    seconds = str(row.get("end-utc") or "")
    if seconds.isdigit() and int(seconds):
        return datetime.fromtimestamp(int(seconds), UTC) < now
    try:
        end = datetime.strptime(str(row.get("end")), "%H:%M %Y/%m/%d").replace(tzinfo=UTC)
    except ValueError:
        return False
    return end + _SURELY_PAST < now
