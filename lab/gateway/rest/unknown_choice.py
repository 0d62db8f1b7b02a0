"""The fault `choice-unknown`: a device whose release lacks one choice of one attribute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lab.gateway.errors import bad_value
from lab.gateway.faults import Faults

_FAULT = "choice-unknown"


def without_choice(faults: Faults, path: str, schema: dict[str, Any]) -> dict[str, Any]:
    """A table's declaration as such a device tells it."""
    if _FAULT not in faults or path != faults.parameter(_FAULT, "table"):
        return schema
    declared: Any = schema
    for step in faults.parameter(_FAULT, "attribute").split("/"):
        declared = declared.get("children", {}).get(step, {})
    if "options" in declared:  # of this answer alone: it is made anew for each
        choice = faults.parameter(_FAULT, "choice")
        declared["options"] = [one for one in declared["options"] if one["name"] != choice]
    return schema


def must_be_known(faults: Faults, path: str, body: Mapping[str, Any]) -> None:
    """Check that a row does not name that choice.

    Raises:
        CmdbError: it does.
    """
    if _FAULT not in faults or path != faults.parameter(_FAULT, "table"):
        return
    way, choice = (faults.parameter(_FAULT, name) for name in ("attribute", "choice"))
    if choice in _values(body, way.split("/")):
        raise bad_value(way, choice, "another")


def _values(row: Any, steps: list[str]) -> Iterator[str]:
    """The words of an attribute, in each row inside."""
    for one in row if isinstance(row, list) else [row]:
        if not steps:
            yield from str(one).split()
        elif isinstance(one, Mapping) and steps[0] in one:
            yield from _values(one[steps[0]], steps[1:])
