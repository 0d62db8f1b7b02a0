"""What every keyword library is handed, and how it gets at it."""

from __future__ import annotations

from robot.api.deco import library

from gatepass.gateway import transport
from support.check_context import CheckContext
from support.gui_work import GuiWork
from support.run_context import RunContext
from support.trial_runner import TrialRunner


class Context:
    """One execution of the suites.

    Attributes:
        run: what lives for all of it.
        check: what belongs to the check that runs now.
        gui: the gateway's web page, in a browser of the run's.
    """

    def __init__(self) -> None:
        self.run = RunContext()
        self.gui = GuiWork(self.run)
        self.check = CheckContext(self.run)

    def begin_check(self, chapter: str = "", name: str = "", place: str = "") -> None:
        """Nothing seen before belongs to this check."""
        transport.current.check_begins(f"{chapter}.{name}" if name else "")
        self.check = CheckContext(self.run, chapter, name, place)


@library(scope="GLOBAL", doc_format="ROBOT")
class KeywordLibrary:
    """A part of the library Gatepass: keywords about one subject.

    Args:
        context: shared by all parts; one of its own where a part stands alone (libdoc).
    """

    def __init__(self, context: Context | None = None) -> None:
        """Suites take it in as a part of the library ``Gatepass``."""
        self._context = context or Context()

    @property
    def run(self) -> RunContext:
        """What lives for the run: inputs, gateway, endpoints, workspace."""
        return self._context.run

    @property
    def check(self) -> CheckContext:
        """What belongs to the check that runs now."""
        return self._context.check

    @property
    def gui(self) -> GuiWork:
        """The gateway's web page in this run."""
        return self._context.gui

    @property
    def runner(self) -> TrialRunner:
        """What runs trials of iperf3 in this check."""
        return TrialRunner(self.check)
