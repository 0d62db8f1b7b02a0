"""What the record knew of a gateway and its tier when a run began, for the run's own record.

It is kept there because the certificate is a function of ``output.xml`` alone: made again years
later it shows the runs that were known then.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from statistics import median
from typing import Any

from gatepass.base.phrase import Phrase
from gatepass.history import store
from gatepass.history.series import RecordedRun, Trend, runs, series

MOST = 12
"""Runs of the gateway, the latest."""
MOST_GATEWAYS = 50
"""Of the tier, those tested last."""

_Key = tuple[str, Phrase, str, str]


def earlier(record: Path, serial: str, tier: str) -> list[dict[str, Any]]:
    """The figures of earlier runs that are held against a promise.

    Args:
        record: the SQLite file; need not be there.
        serial: of the gateway.
        tier: that it is tested as.

    Returns:
        An entry a figure: ``promise``, ``conditions``, ``unit``, ``layer``; ``values`` of this
        gateway's last runs as this tier in order of time; ``median`` of the last figures of all
        gateways of the tier and how many ``gateways`` these are.

    Raises:
        HistoryTrouble: the record cannot be used.
    """
    if not record.exists():
        return []
    with store.opened(record) as connection:
        of_tier = [run for run in runs(connection) if run.tier == tier and run.serial]
        last = {run.serial: run for run in of_tier}
        own = [run for run in of_tier if run.serial == serial][-MOST:]
        latest = sorted(last.values(), key=lambda run: run.started)[-MOST_GATEWAYS:]
        mine = _by_key(connection, own)
        theirs: dict[_Key, list[float]] = {}
        for run in latest:
            for key, trend in _by_key(connection, [run]).items():
                theirs.setdefault(key, []).append(trend.points[-1].value)
    return [_entry(key, mine.get(key), theirs.get(key, [])) for key in mine | theirs]


def _by_key(connection: sqlite3.Connection, chosen: list[RecordedRun]) -> Mapping[_Key, Trend]:
    found = series(connection, chosen) if chosen else []
    return {
        (one.identity, one.conditions, one.unit, one.layer): one
        for one in found
        if not one.baseline
    }


def _entry(key: _Key, own: Trend | None, theirs: list[float]) -> dict[str, Any]:
    promise, conditions, unit, layer = key
    return {
        "promise": promise,
        "conditions": conditions.as_json(),
        "unit": unit,
        "layer": layer,
        "values": [point.value for point in own.points] if own else [],
        "median": median(theirs) if theirs else None,
        "gateways": len(theirs),
    }
