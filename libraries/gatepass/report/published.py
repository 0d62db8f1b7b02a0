"""What published tests measured by the same method: shown beside a result, never a threshold."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase

from gatepass.base.phrase import Phrase
from gatepass.results import schema1
from gatepass.results.record import Measurement


def reference(published: dict, measurement: Measurement) -> dict | None:
    """The published figure for a measurement; None where there is none.

    Args:
        published: as a run has written it down (`Published.model_dump`); may be empty.
        measurement: of that run.
    """
    for one in published.get("references") or []:
        promise = schema1.promise(one["promise"])
        same = (promise, one["unit"]) == (measurement.promise, measurement.unit)
        if same and _under(one["conditions"], measurement.conditions):
            return one
    return None


def _under(wanted: Mapping | str, conditions: Phrase) -> bool:
    """Whether conditions have these named values, whatever else they have."""
    if isinstance(wanted, str):  # of a run before phrases
        return fnmatchcase(str(conditions), wanted)
    if wanted.get("say", conditions.name) != conditions.name:
        return False
    return all(_is(value, conditions.part(key)) for key, value in wanted.items() if key != "say")


def _is(wanted: object, part: object) -> bool:
    if isinstance(wanted, Mapping):
        return isinstance(part, Phrase) and _under(wanted, part)
    return (part.name if isinstance(part, Phrase) else part) == wanted
