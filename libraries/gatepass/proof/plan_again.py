"""Whether the plan of a run, and its number of figures, are what suites and order make."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gatepass.base.errors import InputError
from gatepass.base.paths import SUITES
from gatepass.inputs import load_catalogue, load_order
from gatepass.inputs.studies import STUDIES
from gatepass.proof import kept_inputs
from gatepass.proof.folder import INPUTS
from gatepass.results.outcome import Outcome
from gatepass.results.planned import planned
from gatepass.scenarios.planned_figures import figures_at_most
from gatepass.verdict.judgement import FIGURES

_MOST = 3
"""Checks that are named."""


def contradictions(outcome: Outcome, folder: Path) -> Iterator[str]:
    """What the plan has otherwise than suites and order, each in a sentence.

    Args:
        outcome: of a run that this copy of Gatepass made, so that its suites are those of the run.
        folder: of the run.
    """
    kept = folder / INPUTS
    try:
        order = load_order(kept / kept_inputs.ORDER, load_catalogue(kept / kept_inputs.CATALOGUE))
    except InputError:
        return  # that it cannot be read is told of the inputs
    told = [(str(chapter), str(name)) for chapter, name in outcome.run.get("plan", [])]
    made = planned(SUITES, order.studies)
    if left_out := [one for one in made if one not in told]:
        yield (
            f"the run's plan leaves out {len(left_out)} checks that the suites hold for this "
            f"order: {_named(left_out)}."
        )
    if added := [one for one in told if one not in made]:
        yield f"the run's plan has {len(added)} checks that no suite holds: {_named(added)}."
    figures = figures_at_most(SUITES, order)
    if outcome.run.get(FIGURES) != figures:
        yield (
            f"the record has {outcome.run.get(FIGURES, 'no number of')} figures that may fail by "
            f"chance, by which the level of a fail is chosen; suites and order have {figures}."
        )
    every = planned(SUITES, STUDIES)
    ran = [(check.chapter, check.name) for check in outcome.checks]
    if strange := [one for one in ran if one not in every]:
        yield f"{len(strange)} checks are recorded that no suite holds: {_named(strange)}."


def _named(checks: list[tuple[str, str]]) -> str:
    more = ", …" if len(checks) > _MOST else ""
    return "; ".join(f"{name} ({chapter})" for chapter, name in checks[:_MOST]) + more
