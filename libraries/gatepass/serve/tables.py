"""The tables of the pages as CSV, for a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gatepass.base.csv_table import csv_table
from gatepass.results.facts import group
from gatepass.results.record import FAIL, NOT_APPLICABLE, NOT_PROVEN, PASS
from gatepass.serve.comparison import Comparison, Figure, Pair
from gatepass.serve.folder import Run

_COUNTED = (PASS, FAIL, NOT_PROVEN, NOT_APPLICABLE)
_OF_RUN = ("run", "began", "state", "profile", "order", "customer", "tier", "gateway", "version")
_OF_PAIR = ("figure", "unit", "layer", "relation", "threshold")
_SIDES = ("first", "second")


def runs(found: Iterable[Run]) -> str:
    """A row a run, in their order."""
    return _csv((*_OF_RUN, *_COUNTED, "reasons"), map(_run, found))


def comparison(found: Comparison) -> str:
    """A row a figure: of both runs value, half width and verdict, and the step between them."""
    sides = (f"{side} {what}" for side in _SIDES for what in ("value", "half width", "verdict"))
    return _csv((*_OF_PAIR, *sides, "step", "changed"), map(_pair, found.pairs))


def _run(run: Run) -> dict[str, object]:
    gateway, profile = group(run.document, "gateway"), group(run.document, "profile")
    counts = group(run.document, "counts")
    return {
        "run": run.name,
        "began": run.started,
        "state": run.state,
        "profile": profile.get("name"),
        "order": run.order,
        "customer": run.customer,
        "tier": run.tier,
        "gateway": run.gateway,
        "version": gateway.get("version"),
        **{verdict: counts.get(verdict) for verdict in _COUNTED},
        "reasons": "\n".join(reason.text for reason in run.reasons),
    }


def _pair(pair: Pair) -> dict[str, object]:
    held = pair.held
    return {
        "figure": pair.name,
        "unit": pair.unit,
        "layer": pair.layer,
        "relation": held.relation if held else None,
        "threshold": held.threshold if held else None,
        **_figure("first", pair.one),
        **_figure("second", pair.other),
        "step": pair.step,
        "changed": "yes" if pair.differs else "no",
    }


def _figure(side: str, figure: Figure | None) -> dict[str, object]:
    if figure is None:
        return {}
    point = figure.point
    return {
        f"{side} value": point.value,
        f"{side} half width": point.half_width,
        f"{side} verdict": figure.verdict,
    }


def _csv(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    return csv_table(columns, ([row.get(name, "") for name in columns] for row in rows), "\r\n")
