"""What published tests measured by the same method: shown beside a result, never a threshold."""

from __future__ import annotations

from fnmatch import fnmatchcase

from gatepass.results.record import Measurement


def reference(published: dict, measurement: Measurement) -> dict | None:
    """The published figure for a measurement; None where there is none.

    Args:
        published: as a run has written it down (`Published.model_dump`); may be empty.
        measurement: of that run.
    """
    for one in published.get("references") or []:
        same = (one["promise"], one["unit"]) == (measurement.promise, measurement.unit)
        if same and fnmatchcase(measurement.conditions, one["conditions"]):
            return one
    return None
