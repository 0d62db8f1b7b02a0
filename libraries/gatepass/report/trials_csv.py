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


def rows(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The rows of a run.

    Args:
        document: the document of the run (see `gatepass.report.results_json`).
    """
    run = {
        "run": document["run"]["id"],
        "order": document["order"].get("order"),
        "gateway": document["gateway"].get("serial"),
        "version": document["gateway"].get("version"),
        "profile": document["profile"].get("name"),
    }
    for check in document["checks"]:
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


def write(document: dict[str, Any], folder: Path) -> Path:
    """Write ``trials.csv`` into a folder; an older one is replaced.

    Raises:
        OSError: it cannot be written.
    """
    target = folder / NAME
    with target.open("w", encoding="utf-8", errors="replace", newline="") as stream:
        table = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows(document))
    return target
