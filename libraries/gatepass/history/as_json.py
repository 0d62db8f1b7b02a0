"""The record as ``./run.sh history --json`` tells it; docs/history.md documents the keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from gatepass.history.changes import Change
from gatepass.history.fleet import AcrossGateways
from gatepass.history.gateway import GatewayHistory, Since, Upgrade, mean
from gatepass.history.series import Point, RecordedRun, Trend


def gateway(one: GatewayHistory) -> dict[str, Any]:
    """A gateway over time."""
    return {
        "gateway": one.serial,
        "runs": [asdict(run) for run in one.runs],
        "figures": [
            {**_named(series), "points": [_point(point) for point in series.points]}
            for series in one.series
        ],
        "changes": [_since(since) for since in one.since],
        "disturbed": [_since(since) for since in one.disturbed],
        "checks": [asdict(check) | {"unstable": check.unstable} for check in one.checks],
        "upgrade": None if one.upgrade is None else _upgrade(one.upgrade),
    }


def fleet(
    tier: str, version: str, last: dict[str, RecordedRun], figures: Sequence[AcrossGateways]
) -> dict:
    """Gateways of one tier and version beside each other."""
    return {
        "tier": tier,
        "version": version,
        "gateways": {
            serial: {"run": run.run, "started": run.started, "verdict": run.verdict}
            for serial, run in last.items()
        },
        "figures": [
            {
                **_named(row),
                "median": row.median,
                "latest": {serial: _point(point) for serial, point in row.latest.items()},
                "odd": list(row.odd),
            }
            for row in figures
        ],
    }


def _named(one: Trend | AcrossGateways) -> dict[str, str]:
    return {key: str(getattr(one, key)) for key in ("promise", "conditions", "unit", "layer")}


def _point(point: Point) -> dict[str, Any]:
    return {
        "run": point.run.run,
        "value": point.value,
        "half_width": point.half_width,
        "trials": list(point.trials),
        "threshold": point.threshold,
        "relation": point.relation,
    }


def _since(since: Since) -> dict[str, Any]:
    return {
        "since": since.run.run,
        "before": since.before.run,
        "differences": list(since.differences),
        "figures": [_change(change) for change in since.changes],
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        **_named(change.series),
        "before": change.value_before,
        "after": change.value_after,
        "percent": change.percent,
        "runs_before": [point.run.run for point in change.before],
        "runs_after": [point.run.run for point in change.after],
    }


def _upgrade(upgrade: Upgrade) -> dict[str, Any]:
    return {
        "before": upgrade.before,
        "after": upgrade.after,
        "since": upgrade.run.run,
        "figures": [
            {
                **_named(row.series),
                "before": mean(row.before),
                "after": mean(row.after),
                "larger_than_spread": row.larger_than_spread,
            }
            for row in upgrade.figures
        ],
    }
