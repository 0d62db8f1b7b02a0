"""How many figures of an order may fail by chance: by the tags of the checks that it calls for."""

from __future__ import annotations

from pathlib import Path

from gatepass.gui.policy_list import STEPS
from gatepass.inputs.order import Order
from gatepass.results.planned import whole

MEASURED = "throughput"
"""Tag of the checks that send a whole set of trials."""
DELAYED = "latency"
"""Tag of the checks of how long packets take; those of one load share their trials."""
OF_CLASSES = "objectives"
"""Tag of the checks of classes of service, which share what is sent."""
LISTED = "list"
"""Tag of the checks of work on a list in the gateway's web page."""
_FIGURES = {
    MEASURED: 1,
    "ceiling": 2,  # that it is reached, and that it is not passed
    "downloads": 1,
    DELAYED: 1,
    LISTED: len(STEPS),
    "study": 2,
}
"""Of a check with such a tag, those that are estimates."""
_OF_A_CLASS = 2 * 4
"""Estimates of a class, both ways: of loss, of disorder, of loss beside an overload, and of
availability."""


def figures_at_most(suites: Path, order: Order) -> int:
    """How many figures of an order may fail by chance, at most: known before the first trial.

    Counts, longest times and what was seen once are held as they stand, and have no such error.

    Args:
        suites: the folder of the suites.
        order: whose studies are among them.
    """
    tags = [set(test.tags) for test in whole(suites, order.studies).all_tests]
    count = sum(max(map(_FIGURES.get, own & _FIGURES.keys()), default=0) for own in tags)
    if any(OF_CLASSES in own for own in tags):
        count += len(order.classes) * _OF_A_CLASS
    return max(1, count)
