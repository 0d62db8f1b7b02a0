"""The columns of Robot's report for a check: what was measured, what was seen, by its records."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence

from gatepass.report import timeline
from gatepass.report.robot_text import quoted
from gatepass.report.sparkline import in_words, sparkline
from gatepass.results import record
from gatepass.results.record import Cause, Evidence, Measurement

_NAMES = ("Measured", "Required", "Trials", "Likely cause", "Evidence")
FOR_COMPARISON = "for comparison"
"""What stands where a figure is held against nothing, beside others that are."""
_WHOLE = ("tenant_whole", "tenant_slowest")
"""Of provisioning: all steps of a tenant together."""


def columns(noted: Iterable[object]) -> dict[str, str]:
    """The columns by name; those that would be empty are left out.

    Args:
        noted: the records of the check, in their order.
    """
    every = list(noted)
    measurements = [one for one in every if isinstance(one, Measurement) and not _is_step(one)]
    evidence = [one for one in every if isinstance(one, Evidence)]
    causes = [one for one in every if isinstance(one, Cause)]
    texts: dict[str, Iterable[str]] = {
        "Measured": [record.measured(measurement) for measurement in measurements],
        "Required": _aligned([record.required(measurement) for measurement in measurements]),
        "Likely cause": [cause.name for cause in causes[:1]],
        "Evidence": dict.fromkeys(f"{'✓' if one.holds else '✗'} {one.claim}" for one in evidence),
    }
    shown = {name: map(quoted, of) for name, of in texts.items()}
    shown["Trials"] = map(_picture, _drawn(measurements))
    joined = {name: "; ".join(filter(None, shown[name])) for name in _NAMES}
    return {name: text for name, text in joined.items() if text}


def _is_step(one: Measurement) -> bool:
    """Whether a figure is one of the many steps of which the report has the whole."""
    return one.promise == "provisioning" and one.conditions.name not in _WHOLE


def _drawn(measurements: Sequence[Measurement]) -> Sequence[Measurement]:
    """All that were seen over time; else the last, which the verdict hangs on."""
    return [one for one in measurements if timeline.timeline(one)] or measurements[-1:]


def _picture(measurement: Measurement) -> str:
    """The trials, or what was seen over time, as an image in Robot's markup; empty without any."""
    told = timeline.in_words(measurement)
    if not (svg := timeline.timeline(measurement)):
        svg, told = sparkline(measurement), in_words(measurement)
    if not svg:
        return ""
    content = base64.b64encode(svg.encode()).decode()
    return f"[data:image/svg+xml;base64,{content}|{quoted(told)}]"


def _aligned(texts: Sequence[str]) -> Sequence[str]:
    """A requirement for each figure, or none at all where no figure has one."""
    return [text or FOR_COMPARISON for text in texts] if any(texts) else []
