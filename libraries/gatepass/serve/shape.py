"""The shape of a ``results.json`` from wherever it comes: what has another one is no result.

Only what all runs are shown by has to be as docs/results.schema.json has it; a run of before tells
no causes.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, FiniteFloat

from gatepass.report.results_json import FORMAT
from gatepass.results.record import APPROVED, NOT_PROVEN, REJECTED

_Text = str | None


class _Shape(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore")


class _Named(_Shape):
    name: _Text = None


class _Run(_Shape):
    id: _Text = None
    started: _Text = None
    duration_s: FiniteFloat | int | None = None


class _Order(_Shape):
    order: _Text = None
    customer: _Text = None
    tier: _Text = None


class _Gateway(_Shape):
    serial: _Text = None
    version: _Text = None


class _SpoiledCheck(_Shape):
    page: _Text = None


class _Cause(_Shape):
    text: str
    likely: str
    verdict: str
    kind: str
    name: str
    checks: list[_SpoiledCheck]


class ResultsShape(_Shape):
    """What all runs are shown by."""

    format: Literal[FORMAT]  # type: ignore[valid-type]
    verdict: Literal[APPROVED, REJECTED, NOT_PROVEN]  # type: ignore[valid-type]
    run: _Run | None = None
    order: _Order | None = None
    gateway: _Gateway | None = None
    profile: _Named | None = None
    testbed: _Named | None = None
    counts: dict[str, int] | None = None
    reasons: list[str] | None = None
    causes: list[_Cause] | None = None
    checks: list[dict[str, Any]] = []
