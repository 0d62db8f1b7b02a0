"""``trials.csv``: each trial of each measurement of a run, a row each."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NAME = "trials.csv"
COLUMNS = (
    *("run", "order", "gateway", "version", "profile", "chapter", "check"),
    *("promise", "conditions", "trial", "value", "unit", "layer", "threshold", "relation"),
)


def rows(told: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of a run.

    Args:
        told: the document of the run (see `gatepass.results.results_json`).
    """
    run = {
        "run": told["run"]["id"],
        "order": told["order"].get("order"),
        "gateway": told["gateway"].get("serial"),
        "version": told["gateway"].get("version"),
        "profile": told["profile"].get("name"),
    }
    for check in told["checks"]:
        for measurement in check["measurements"]:
            about = {
                **run,
                "chapter": check["chapter"],
                "check": check["name"],
                **{key: measurement[key] for key in ("promise", "conditions", "unit", "layer")},
                "threshold": measurement["threshold"],
                "relation": "" if measurement["threshold"] is None else measurement["relation"],
            }
            for number, value in enumerate(measurement["trials"], start=1):
                yield {**about, "trial": number, "value": value}


def write(told: dict[str, Any], folder: Path) -> Path:
    """Write ``trials.csv`` into a folder; an older one is replaced.

    Raises:
        OSError: it cannot be written.
    """
    target = folder / NAME
    with target.open("w", encoding="utf-8", errors="replace", newline="") as stream:
        table = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows(told))
    return target
