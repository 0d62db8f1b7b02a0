"""What keywords write into Robot's log and result, as text: words of others are no markup there."""

from __future__ import annotations

from robot.api import logger
from robot.libraries.BuiltIn import BuiltIn

from gatepass.report import robot_text


def warn(text: str) -> None:
    """A warning, which the log repeats above everything else.

    Args:
        text: in whole sentences.
    """
    logger.warn(robot_text.message(text))


def set_check_message(text: str) -> None:
    """What a reader of the report is told of the check that runs now, also where it passes.

    Args:
        text: in whole sentences.
    """
    BuiltIn().set_test_message(robot_text.message(text))


def add_run_metadata(name: str, text: str, place: str = "") -> None:
    """A line above all checks of Robot's report and log.

    Args:
        name: that it begins with.
        text: what it says.
        place: of the file that the text links to, relative to the report; none unless given.
    """
    told = robot_text.link(place, text) if place else robot_text.quoted(text)
    BuiltIn().set_suite_metadata(name, told, top=True)
