"""The gateway's web page in a run: one browser, one log-in, and what work on its list took."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import say
from gatepass.gateway import transport
from gatepass.gateway.certificate import certificate_of
from gatepass.gateway.rules import POLICY
from gatepass.gui import control
from gatepass.gui.policy_list import Names, NotDone, PolicyList
from gatepass.gui.readiness import NOT_LET_IN
from gatepass.gui.served import pin_of
from gatepass.gui.session import Gui, OpenSession
from gatepass.gui.times import LOOKS, WITHOUT_PROMISE_S, BrowsersMachine, Worked, growth
from gatepass.gui.visit import cookies_of, log_in, put_aside
from gatepass.gui.window import Window
from gatepass.inputs.testbed import TestbedGui
from support.browser_window import BrowserWindow, Warden
from support.run_context import RunContext

PICTURES = "gui"
"""The folder of what was in sight, below the run's."""
LIMIT_S, TIMES_PROMISE = 12.0, 4
"""A step is waited for so long, or for so many times what is promised where that is longer."""


class GuiWork:
    """What checks of the web page share.

    Attributes:
        worked: what work on the list took, by the number of the run's policies in it.
        idle: a session that nobody uses; None where none could be begun.

    Args:
        run: with gateway and testbed.
    """

    def __init__(self, run: RunContext) -> None:
        self._run = run
        self._warden: Warden | None = None
        self._window: BrowserWindow | None = None
        self._failed: NotProven | None = None
        self.worked: dict[int, Worked] = {}
        self.idle: OpenSession | None = None
        self.idle_failed = ""

    @property
    def who(self) -> TestbedGui:
        """The administrator.

        Raises:
            NotApplicable: the testbed names none.
        """
        gui = self._run.testbed.gateway.gui
        if gui is None:
            raise NotApplicable(say("no_gui"))
        return gui

    def must_be_named(self) -> None:
        """Raise where the testbed names no administrator; see `who`."""
        _ = self.who

    @property
    def page(self) -> Gui:
        """Where the page is."""
        if transport.current.replayed:
            raise NotProven("a replay has no web page, and this check needs it.")
        return Gui.of(self._run.testbed.gateway)

    @property
    def release(self) -> tuple[int, ...]:
        """Of FortiOS."""
        return self._run.scope.release

    def leave_open(self) -> None:
        """Begin a session for nobody to use; what goes wrong is told to the check that asks."""
        if not self._run.has("identity"):  # preflight tells why
            self.idle_failed = "the gateway could not be reached when the run began."
            return
        try:
            page, password = self.page, self.who.password.read()
            cookies = page.log_in(self.who.administrator, password, self.release)
        except (NotProven, NotApplicable) as error:
            self.idle_failed = str(error.reason)
            return
        if not cookies:
            self.idle_failed = f"{self.who.administrator} is not let in. {NOT_LET_IN}"
            return
        self.warden.keep(page, cookies)
        self.idle = OpenSession(page, cookies, time.monotonic())

    @property
    def warden(self) -> Warden:
        """What ends browser and sessions with the run."""
        if self._warden is None:
            self._warden = Warden()
        return self._warden

    @property
    def window(self) -> Window:
        """The browser's; it is started at first use, and where that fails no second time."""
        if self._failed:
            raise self._failed
        if self._window is None:
            certificate, wrong = self.certificate()
            if wrong:
                raise AssertionError(wrong)
            try:
                self._window = BrowserWindow(self.warden, pin_of(certificate))
            except NotProven as absent:
                self._failed = absent
                raise
            self._run.screen = self.keep_picture
        return self._window

    def certificate(self) -> tuple[bytes, str]:
        """That of the page's server, and what is wrong with it; see `certificate_of`.

        Raises:
            NotProven: none is shown, or there is no gateway.
        """
        _ = self.page  # which a replay has none of
        return certificate_of(self._run.testbed.gateway)

    def logged_in(self) -> Window:
        """The window, logged in as the administrator: once, as long as the session lasts.

        Raises:
            NotProven: they are not let in.
        """
        if not self.page.is_open(cookies_of(self.window)):
            self.log_in()
        return self.window

    def log_in(self) -> Mapping[str, str]:
        """Log in, whoever is in; the session's cookies.

        Raises:
            NotProven: the page does not let them in.
        """
        if not self.tried(self.who.password.read()):
            raise NotProven(f"{self.who.administrator} is not let in. {NOT_LET_IN}")
        return cookies_of(self.window)

    def tried(self, password: str) -> bool:
        """Whether the page lets the administrator in with a password; whoever was in is out.

        Raises:
            NotProven: the page says neither.
        """
        who, page, window = self.who, self.page, self.window
        let_in = log_in(window, page.url, who.administrator, password)
        self.warden.keep(page, cookies_of(window))
        return let_in

    def work_on_list(self) -> int:
        """Work on the list with the rule set in it, as often as the profile says.

        Where that leaves a step undecided, as often again.

        Returns:
            How many policies the rule set has; a picture is kept by that name. Others stand in the
            list as well: the customer's, and what other chapters have made.

        Raises:
            AssertionError: the page does not do a step at all, while the browser does its own.
            NotProven: it does not, and the browser was slow itself.
        """
        window, (pages, names) = self.logged_in(), self._pages()
        count = self._run.rules.size
        worked = self.worked[count] = Worked(count)
        put_aside(window, pages.url, names.any_row)
        for worked.looks in range(1, LOOKS + 1):
            for _ in range(self._run.profile.gui_repeats):
                try:
                    worked.once_more(window, pages, self.policies)
                except NotDone as missing:
                    worked.control_ms.append(control.took_ms(window))
                    raise self._in_words(missing, worked) from missing
            if not worked.is_open(self._run.rule, self._run.order.gui.within_s):
                break
        window.go(pages.url)
        window.is_shown(names.any_row, self._limit_s)
        self.keep_picture(f"policies-{count}")
        return count

    def look_at_list(self) -> None:
        """Load the list, and wait until it stays still.

        Raises:
            NotProven: it shows none of the run's policies.
        """
        window, (pages, names) = self.logged_in(), self._pages()
        put_aside(window, pages.url, names.any_row)
        try:
            pages.settled()
        except NotDone as never:
            raise NotProven(f"{never}.") from never

    def _pages(self) -> tuple[PolicyList, Names]:
        """The list, and names of policies in it."""
        listed = [str(row.get("name", "")) for row in self.policies()]
        names = Names.among(listed, self._run.rules.named("p"))
        return PolicyList(self.window, self.page.url, names, self._limit_s), names

    def _in_words(self, missing: NotDone, worked: Worked) -> Exception:
        """The gateway's fault, or the browser's own."""
        told = f"{missing}."
        within_s = self._run.order.gui.within_s or WITHOUT_PROMISE_S
        if BrowsersMachine(worked).explains(missing.limit_s, within_s):
            return NotProven(
                f"{told} The browser was {worked.slowdown:.1f} times slower than it should be: run "
                "again when its machine is quiet."
            )
        return AssertionError(
            f"{told[0].upper()}{told[1:]} {growth(self.worked, missing.step)}".strip()
        )

    @property
    def _limit_s(self) -> float:
        return max(LIMIT_S, TIMES_PROMISE * (self._run.order.gui.within_s or 0))

    def policies(self) -> list[dict]:
        """All that the REST API tells of policies."""
        return self._run.gateway.rows(POLICY)

    def keep_picture(self, name: str) -> Path:
        """Keep what is in sight."""
        to = self._run.folder / PICTURES / f"{name}.png"
        self.window.picture(to)
        return to

    def close(self) -> None:
        """End browser and sessions."""
        self._run.screen = None
        if self._window is not None:
            self._window.close()
        if self._warden is not None:
            self._warden.end()
        self._window = self._warden = None
