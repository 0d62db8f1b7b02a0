"""Takes turns with the other runs of a fleet: alone for what measures, side by side for the rest.

A check that measures is not to see the traffic of another gateway that shares a machine or a link
with its own. Where that cannot be had, or did not last, its figure is not proven.
"""

from __future__ import annotations

import signal
from contextlib import suppress
from datetime import datetime
from types import FrameType

from robot.utils import escape

from gatepass.run import turns
from gatepass.run.lock_server import ServerLost

MEASURING = {"throughput", "loss", "downloads", "load"}
"""Tags of the checks whose figures other traffic would disturb."""
WAITING = "keylife"
"""Tag of the check that lets its tunnel's keys run out, with next to no traffic and no turn."""
_STOOD_STILL = "this run stood still for so long that its turn went to another one"


class Turns:
    """A listener for Robot's own ``--listener``, in a run that is part of a fleet."""

    ROBOT_LISTENER_API_VERSION = 3
    # before the listener that settles the verdict, whose clock starts when the turn has come
    ROBOT_LISTENER_PRIORITY = 10

    def __init__(self) -> None:
        self._turns = turns.current
        self._measuring = False

    def start_suite(self, data: object, result: object) -> None:
        """Hear of a signal that stops the run, also while it waits."""
        if result.parent is None:
            for number in (signal.SIGINT, signal.SIGTERM):
                self._hear(number)

    def start_keyword(self, data: object, result: object) -> None:
        """Preparing a chapter and ending it needs a turn as any check that only talks."""
        if _of_a_suite(data):
            self._talk()

    def end_keyword(self, data: object, result: object) -> None:
        """The turn of a chapter's preparation or end is over."""
        if _of_a_suite(data):
            self._give_back()

    def start_test(self, data: object, result: object) -> None:
        """Wait for the check's turn; without one, what measures is not done."""
        decided = _prepared_in_vain(result.parent)
        self._measuring = bool(MEASURING & set(result.tags)) and not decided
        if self._measuring:
            self._measure(data)
        elif WAITING not in result.tags and not decided:
            self._talk()
        result.start_time = datetime.now()  # as without a fleet: waiting is no part of the check

    def end_test(self, data: object, result: object) -> None:
        """Give the turn back; a figure whose turn did not last is not proven."""
        trouble = self._give_back()
        if self._measuring and trouble and result.status in ("PASS", "FAIL"):
            result.status, result.message = "SKIP", _not_alone(trouble)

    def _measure(self, data: object) -> None:
        try:
            self._turns.take(measuring=True)
        except ServerLost as lost:
            data.setup.config(name="BuiltIn.Skip", args=[escape(_not_alone(lost))])

    def _talk(self) -> None:
        # Nobody measures where no turns can be had, so there is nobody to disturb.
        with suppress(ServerLost):
            self._turns.take(measuring=False)

    def _give_back(self) -> str:
        """Why the turn was not this run's to the end; empty where it was."""
        try:
            return "" if self._turns.give_back() else _STOOD_STILL
        except ServerLost as lost:
            return str(lost)

    def _hear(self, number: int) -> None:
        before = signal.getsignal(number)

        def heard(came: int, frame: FrameType | None) -> None:
            self._turns.stopping.set()
            if callable(before):
                before(came, frame)

        signal.signal(number, heard)


def _of_a_suite(keyword: object) -> bool:
    return keyword.type in ("SETUP", "TEARDOWN") and hasattr(keyword.parent, "suites")


def _prepared_in_vain(suite: object) -> bool:
    """Whether a chapter's preparation has decided on its checks: not ordered, or not to be had."""
    while suite is not None:
        if suite.setup and suite.setup.status in ("SKIP", "FAIL"):
            return True
        suite = suite.parent
    return False


def _not_alone(why: object) -> str:
    return (
        f"Not proven: {why}, so traffic of other gateways cannot be ruled out. Run the check "
        "again."
    )
