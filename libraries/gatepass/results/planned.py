"""Which checks the suites hold for an order: Robot's parser knows best.

One of the few modules here that import Robot.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from robot.api import TestSuite

from gatepass.inputs.studies import left_out
from gatepass.results.chapters import chapter_of


def planned(suites: Path, studies: Sequence[str] = ()) -> list[tuple[str, str]]:
    """All checks as (chapter, check), in their order.

    Args:
        suites: the folder of the suites.
        studies: that the order names; the checks of others are no part of it.
    """
    root = whole(suites, studies)
    return [(chapter_of(test).name, test.name) for test in root.all_tests]


def whole(suites: Path, studies: Sequence[str]) -> TestSuite:
    """The suites with all checks for an order; see `planned`."""
    root = TestSuite.from_file_system(suites)
    root.filter(excluded_tags=left_out(studies))
    return root
