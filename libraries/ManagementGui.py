"""The gateway's web page: who is let in, for how long, and whether it can be worked with."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping

from robot.api import logger

from gatepass.base.errors import NotApplicable, NotProven
from gatepass.base.phrase import say
from gatepass.gui import served
from gatepass.gui.exposure import USUAL, is_gui, seen_from
from gatepass.gui.policy_list import STEPS
from gatepass.gui.served import Served
from gatepass.gui.session import OpenSession
from gatepass.gui.times import BrowsersMachine, beside, compared, growth
from gatepass.gui.visit import cookies_of, open_log_in
from gatepass.scenarios.leaks.ways import INTERFACES, addresses_of
from gatepass.verdict import judgement
from support.guard import keyword
from support.keyword_library import KeywordLibrary
from support.robot_log import set_check_message
from support.steps import Steps

_GLOBAL = "system/global"
_IDLE_MARGIN_S, _LONGEST_WAIT_S = 5.0, 75.0
"""A session is looked at so long after its time-out, and waited for so long at most."""


class Visits(Steps):
    """What a check has seen of the page.

    Attributes:
        headers: that the page to log in came with.
        cookies: of a session, by name.
        let_in: whether a wrong password was taken.
        policies: how many of the run's were worked with.
        before: all policies as they were then.
        idle: a session that nobody used.
    """

    headers: Mapping[str, str]
    cookies: Mapping[str, str]
    let_in: bool
    policies: int
    before: list[dict]
    idle: OpenSession


class ManagementGui(KeywordLibrary):
    """Keywords about the gateway's web page, looked at as an administrator who may only read."""

    # -- how it is served --------------------------------------------------------------------

    @keyword("The Log-In Page Is Opened")
    def the_log_in_page_is_opened(self) -> None:
        """In Chromium, which takes the pinned certificate's key and no other it does not know.

        Raises:
            AssertionError: the certificate is another.
            NotProven: no browser can be started, or there is no such page.
            NotApplicable: the testbed names nobody who may look (gateway.gui).
        """
        self.gui.must_be_named()
        open_log_in(self.gui.window, self.gui.page.url)
        self._seen.headers = self.gui.page.get("/login").headers

    @keyword()
    def it_should_have_come_with_the_pinned_certificate(self) -> None:
        """It chains to the testbed's ca_file and names the host; Chromium was shown its key.

        Raises:
            AssertionError: it is another.
        """
        certificate, wrong = self.gui.certificate()
        pinned = self.run.testbed.gateway.ca_file.name
        fine = (
            f"It chains to {pinned} and names the host; Chromium showed the page, and takes no key "
            f"that it does not know but that of SHA-256 {served.pin_of(certificate)}."
            if certificate
            else ""
        )
        self.check.evidence(say("certificate"), wrong or fine, not wrong)

    @keyword()
    def its_headers_should_keep_it_out_of_frames_and_of_clear_text(self) -> None:
        """They forbid frames on other sites, and send browsers to HTTPS alone.

        Raises:
            AssertionError: they do not.
        """
        headers = self._seen.headers
        self._hold("gui_framing", served.framing(headers))
        self._hold("gui_only_https", served.only_https(headers))

    # -- who is let in -----------------------------------------------------------------------

    @keyword()
    def somebody_tries_a_wrong_password(self) -> None:
        """Once, so that nobody is locked out; the administrator's name is the right one.

        Raises:
            NotProven: one wrong password would lock this machine out.
        """
        settings = self._settings
        if int(settings.get("admin-lockout-threshold", 3)) < 2:
            raise NotProven(
                "the gateway locks an address out after one wrong password, and the run's own "
                "calls with it (admin-lockout-threshold). Allow two for the test."
            )
        self._seen.let_in = self.gui.tried(secrets.token_urlsafe(12))
        self._seen.cookies = cookies_of(self.gui.window)

    @keyword()
    def they_should_not_have_been_let_in(self) -> None:
        """What cookies the page has set are worth no session, whatever it says.

        After how many wrong passwords an address is locked out is told. It is not tried: the run's
        own calls come from the same address.

        Raises:
            AssertionError: they were.
        """
        settings, seen = self._settings, self._seen
        is_open = self.gui.page.is_open(seen.cookies)
        told = "lets them in" if seen.let_in else "refuses the log-in"
        session = "a" if is_open else "no"
        self.check.evidence(
            say("gui_wrong_password"),
            f"With a wrong password the page {told}, and there is {session} session. It is set to "
            f"lock an address out for {settings.get('admin-lockout-duration', '?')} s after "
            f"{settings.get('admin-lockout-threshold', '?')} of them within a minute.",
            not is_open,
        )

    @keyword()
    def the_administrator_logs_in(self) -> None:
        """With name and password of the testbed.

        Raises:
            NotProven: they are not let in.
        """
        self._seen.cookies = self.gui.log_in()

    @keyword("The Session's Cookie Should Be Out Of Reach")
    def the_sessions_cookie_should_be_out_of_reach(self) -> None:
        """It goes over HTTPS alone, and scripts cannot read it.

        Raises:
            AssertionError: it does not, or they can.
        """
        found = served.out_of_reach(self.gui.window.cookies)
        self._hold("gui_cookies", found)

    @keyword()
    def the_administrator_logs_out(self) -> None:
        """By the call that the page's button makes; the session was worth something before.

        Raises:
            NotProven: it was not, or the gateway takes no such call.
        """
        if not self.gui.page.is_open(self._seen.cookies):
            raise NotProven("the session's cookies are no longer valid although nobody logged out.")
        self.gui.page.end(self._seen.cookies)

    @keyword()
    def the_session_should_have_ended(self) -> None:
        """Its cookies, kept by somebody else, are worth nothing any more.

        Raises:
            AssertionError: they still are.
        """
        is_open = self.gui.page.is_open(self._seen.cookies)
        self.check.evidence(
            say("gui_logged_out"),
            f"After the log-out a call with the session's cookies is {'' if is_open else 'not '}"
            "served.",
            not is_open,
        )

    @keyword()
    def nobody_has_used_a_session_since_the_run_began(self) -> None:
        """For longer than the gateway's time-out; what is left of a minute is waited for.

        Raises:
            NotApplicable: the run is over before the time-out is.
            NotProven: there was no such session.
        """
        work = self.gui
        work.must_be_named()
        if work.idle is None:
            raise NotProven(f"no session could be left open: {work.idle_failed}")
        self._seen.idle = work.idle
        timeout_s = 60 * int(self._settings["admintimeout"])
        left_s = timeout_s + _IDLE_MARGIN_S - (time.monotonic() - work.idle.begun)
        if left_s > _LONGEST_WAIT_S:
            raise NotApplicable(say("gui_not_idle", minutes=timeout_s // 60))
        time.sleep(max(0.0, left_s))

    @keyword()
    def it_should_have_ended_by_itself(self) -> None:
        """A call with its cookies is not served.

        Raises:
            AssertionError: it is.
        """
        idle = self._seen.idle
        idle_s, is_open = time.monotonic() - idle.begun, idle.gui.is_open(idle.cookies)
        self.check.evidence(
            say("gui_idle"),
            f"Minutes of its time-out (admintimeout): {self._settings['admintimeout']}. A session "
            f"that had not been used for {idle_s:.0f} s {'is open' if is_open else 'ended'}.",
            not is_open,
        )

    # -- the list of policies ----------------------------------------------------------------

    @keyword()
    def an_administrator_works_on_the_list(self) -> None:
        """Opens it, searches a policy, scrolls to the last, opens its editor and cancels it.

        As often as the profile says (`gui_repeats`), and again where that leaves a promised wait
        undecided. Beside it, each time: how long the REST API
        takes to tell the same list, and how long a page of Gatepass's own takes the browser.

        Raises:
            AssertionError: the page does not do one of these at all.
            NotProven: it does not, and the browser's machine was too slow to tell.
        """
        work, seen = self.gui, self._seen
        work.must_be_named()
        seen.before = work.policies()
        seen.policies = work.work_on_list()
        self._show(f"policies-{seen.policies}")

    @keyword()
    def each_step_should_have_been_done_in_time(self) -> None:
        """The median of each, within what the order names (`gui: within_s`); else it is told.

        Raises:
            AssertionError: one took longer.
            NotProven: one did, and the browser's machine could be the reason.
        """
        work, rule = self.gui, self.run.rule
        worked = work.worked[self._seen.policies]
        measured = worked.measured(rule, self.run.order.gui.within_s)
        for step in STEPS:
            self.check.note("measurement", measured[step])
        for step in STEPS:
            if measured[step].threshold is not None:
                judgement.conclude(
                    measured[step],
                    BrowsersMachine(worked),
                    lambda step=step: f"{compared(worked, step)} {growth(work.worked, step)}",
                )
        set_check_message(beside(worked))

    @keyword()
    def nothing_should_have_been_saved(self) -> None:
        """Every policy is as it was, as the REST API tells it.

        Raises:
            AssertionError: one is not.
        """
        before = {row["policyid"]: row for row in self._seen.before}
        after = {row["policyid"]: row for row in self.gui.policies()}
        changed = sorted(
            key for key in before.keys() | after.keys() if before.get(key) != after.get(key)
        )
        told = f"policy {changed[0]} is not as it was" if changed else "all are as they were"
        self.check.evidence(
            say("gui_nothing_saved"), f"Of {len(before):,} policies {told}.", not changed
        )

    @keyword()
    def the_administrator_looks_at_the_list(self) -> None:
        """Loads it, in a window of its own, and waits until it stays still.

        Raises:
            NotProven: it shows no policies.
        """
        self.gui.log_in()
        self.gui.look_at_list()

    @keyword()
    def no_script_of_the_page_should_have_failed(self) -> None:
        """Nothing was thrown that nobody caught, since the administrator logged in.

        Raises:
            AssertionError: something was.
        """
        errors = self.gui.window.errors
        told = f"{len(errors)}: {errors[0]}" if errors else "none"
        self.check.evidence(
            say("gui_scripts"), f"Uncaught errors, according to Chromium: {told}.", not errors
        )

    # -- where it answers --------------------------------------------------------------------

    @keyword("The Customer's Hosts Should Not Find The Page")
    def the_customers_hosts_should_not_find_the_page(self) -> None:
        """From the client, at the gateway's addresses: the ports that it is set to, and six usual.

        Over IPv4, and over IPv6 where the testbed has it.

        Raises:
            AssertionError: they find it.
            NotProven: the page is not known by its words even where it is.
        """
        gateway, work = self.run.gateway, self.gui
        if not is_gui(work.page.get("/login").text):
            raise NotProven(
                "the gateway's own log-in page is not recognised by its words, so it would not "
                "be found elsewhere either."
            )
        settings, testbed = self._settings, self.run.testbed
        ports = {*USUAL, *(int(settings[key]) for key in ("admin-port", "admin-sport"))}
        rows = (
            gateway.row(INTERFACES, name) or {}
            for name in (testbed.gateway.client_port, testbed.gateway.server_port)
        )
        versions = (4, 6) if testbed.endpoints.client.address6 else (4,)
        addresses = [one for row in rows for key in versions for one in addresses_of(row)[key]]
        if not addresses:
            raise NotProven("the gateway reports no addresses of its ports (system/interface).")
        tried = seen_from(self.run.client, addresses, ports)
        found = [str(one) for one in tried if one.is_gui]
        answered = [str(one) for one in tried if one.spoken and not one.is_gui]
        beside = f" Something else answers at {', '.join(answered)}." if answered else ""
        self.check.evidence(
            say("gui_exposed"),
            f"From the client {len(tried)} ports of {' and '.join(addresses)} were tried "
            f"({', '.join(map(str, sorted(ports)))}). The page answers at "
            f"{', '.join(found) or 'none of them'}.{beside}",
            not found,
        )

    # -- its beginning and its end -------------------------------------------------------------

    @keyword()
    def the_browser_is_closed(self) -> None:
        """With its processes, its profile and its sessions."""
        self.gui.close()

    # -- helpers -----------------------------------------------------------------------------

    @property
    def _seen(self) -> Visits:
        return self.check.left(Visits)

    @property
    def _settings(self) -> dict:
        return self.run.gateway.single(_GLOBAL)

    def _hold(self, claim: str, found: Served) -> None:
        told = f"{found.told[0].upper()}{found.told[1:]}."
        self.check.evidence(say(claim), told, found.holds)

    def _show(self, name: str) -> None:
        """The picture in the log; `report.html` and `log.html` lie beside its folder."""
        logger.info(f'<img src="gui/{name}.png" width="960" alt="What Chromium showed">', html=True)
