"""``trials.csv``: each trial of each measurement of a run, and each that no figure is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gatepass.base.csv_table import csv_table

NAME = "trials.csv"
JUDGED, ASIDE, OTHER = "judged", "set aside", "other"
"""What became of a trial: a figure is made of it; the rig could have caused its figure; or it is a
control on the path without the gateway, or of a check that came to no figure."""
_OF_TRIAL = ("files", "began", "lasted_s", "to", "set_aside")
COLUMNS = (
    *("run", "order", "gateway", "version", "profile", "chapter", "check"),
    *("promise", "conditions", "trial", "value", "unit", "layer", "threshold", "relation"),
    *("verdict", "use", *_OF_TRIAL),
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
        of_check = {**run, "chapter": check["chapter"], "check": check["name"]}
        noted = {trial["number"]: trial for trial in check["trials"] if trial["number"]}
        told: set[int] = set()
        for measurement in check["measurements"]:
            numbers = dict(enumerate(measurement["trial_numbers"], start=1))
            told.update(numbers.values())
            for row in _measured(measurement):
                own = noted.get(numbers.get(row["trial"]), {})
                yield {**of_check, **row, "use": JUDGED, **_of_trial(own)}
        certain = told or not check["measurements"]
        for number, trial in noted.items():
            if number not in told and (certain or trial["set_aside"]):
                yield {**of_check, **_other(trial)}


def _measured(measurement: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    about = {
        **{key: measurement[key] for key in ("promise", "conditions", "unit", "layer")},
        "threshold": measurement["threshold"],
        "relation": "" if measurement["threshold"] is None else measurement["relation"],
        "verdict": measurement["verdict"],
    }
    for number, value in enumerate(measurement["trials"], start=1):
        yield {**about, "trial": number, "value": value}


def _other(trial: Mapping[str, Any]) -> dict[str, Any]:
    use = ASIDE if trial["set_aside"] else OTHER
    return {"value": trial["mbps"], "unit": "Mbit/s", "use": use, **_of_trial(trial)}


def _of_trial(trial: Mapping[str, Any]) -> dict[str, Any]:
    return {key: trial.get(key) for key in _OF_TRIAL}


def write(document: dict[str, Any], folder: Path) -> Path:
    """Write ``trials.csv`` into a folder; an older one is replaced.

    Raises:
        OSError: it cannot be written.
    """
    target = folder / NAME
    table = csv_table(COLUMNS, ([row.get(name) for name in COLUMNS] for row in rows(document)))
    target.write_text(table, encoding="utf-8", errors="replace", newline="")
    return target
