"""The gateway's web page: what is made of what it shows, and of how long that took."""

from __future__ import annotations

import pytest
from gui_window import PaperWindow

from gatepass.base.errors import NotProven
from gatepass.gui import control, served, visit
from gatepass.gui.exposure import is_gui
from gatepass.gui.policy_list import STEPS, Names, NotDone, PolicyList, row
from gatepass.gui.times import BrowsersMachine, Worked, beside, compared, growth, median_of
from gatepass.gui.window import Cookie
from gatepass.verdict.judgement import FAIL, Rule, decide

URL = "https://192.0.2.1"
FORM = (visit.USERNAME, visit.PASSWORD, visit.LOGIN)
NAMES = Names("gp-1-p", "gp-1-p7", "customer-web", "gp-1-p6")


def cookie(name: str, http_only: bool = True, secure: bool = True) -> Cookie:
    return Cookie(name, "value", http_only, secure, "Lax")


class TestLogIn:
    """Who is let in, by what the page shows."""

    def test_who_is_let_in_sees_the_form_no_more(self) -> None:
        window = PaperWindow(*FORM)
        window.click = lambda selector: window.shown.clear()  # type: ignore[method-assign]
        assert visit.log_in(window, URL, "viewer", "right")
        assert ("fill", visit.USERNAME, "viewer") in window.done
        assert "right" not in str(window.done)

    def test_who_is_not_is_told(self) -> None:
        window = PaperWindow(*FORM, visit.REFUSED)
        assert not visit.log_in(window, URL, "viewer", "wrong")

    def test_a_page_that_says_nothing_proves_nothing(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(visit, "PATIENCE_S", 0.01)
        with pytest.raises(NotProven, match="neither accepts nor refuses"):
            visit.log_in(PaperWindow(*FORM), URL, "viewer", "wrong")

    @pytest.mark.parametrize("missing", FORM)
    def test_another_page_is_none_to_log_in(self, missing: str) -> None:
        window = PaperWindow(*(one for one in FORM if one != missing))
        with pytest.raises(NotProven, match=rf"no {missing.replace('id=', '#')}"):
            visit.open_log_in(window, URL)

    def test_what_a_new_device_asks_is_put_aside(self) -> None:
        window = PaperWindow(visit.ASIDE)

        def click(selector: str) -> None:
            assert selector == visit.ASIDE
            window.shown = {"text=rows"}

        window.click = click  # type: ignore[method-assign]
        visit.put_aside(window, f"{URL}/list", "text=rows")
        assert window.done == [("go", f"{URL}/list")]

    def test_a_list_that_never_comes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(visit, "PATIENCE_S", 0.01)
        with pytest.raises(NotProven, match="right to read policies"):
            visit.put_aside(PaperWindow(), f"{URL}/list", "text=rows")


class TestNames:
    """Which policies are looked for."""

    def test_first_and_last_of_the_list_and_one_of_the_runs_own(self) -> None:
        listed = ["gp-1-p7", "gp-1-p8", "gp-1-p6", "", "customer-web"]
        assert Names.among(listed, "gp-1-p") == Names(
            "gp-1-p", "gp-1-p7", "customer-web", "gp-1-p6"
        )

    def test_a_table_without_the_runs_policies(self) -> None:
        with pytest.raises(NotProven, match="none of the run's policies"):
            Names.among(["customer-web"], "gp-1-p")

    def test_a_name_is_quoted(self) -> None:
        assert row('a "b"') == 'text="a \\"b\\"" >> nth=0'


class TestList:
    """What is waited for, and what is told where it does not come."""

    def listed(self, *shown: str, still: bool = True, value: bool = True) -> PolicyList:
        window = PaperWindow(*shown)
        values = iter([True, False] if value else [])
        window.told = {"MutationObserver": [5.0, still], "gatepassScrolls;": False}

        def run(script: str, selector: str = "") -> object:
            if "querySelectorAll" in script:
                return next(values, False)
            return PaperWindow.run(window, script, selector)

        window.run = run  # type: ignore[method-assign]
        return PolicyList(window, URL, NAMES, 0.02)

    SHOWN = ("text=/", row(NAMES.sought), row(NAMES.last), "role=button")

    def test_first_row_missing(self) -> None:
        with pytest.raises(NotDone, match="none of the policies is in sight"):
            self.listed().worked_with()

    def test_a_page_that_never_rests(self) -> None:
        with pytest.raises(NotDone, match="does not stay still"):
            self.listed(*self.SHOWN, still=False).worked_with()

    def test_a_search_without_a_finding(self) -> None:
        with pytest.raises(NotDone, match="the REST API lists, does not"):
            self.listed("text=/").worked_with()

    def test_a_search_that_finds_everything(self) -> None:
        with pytest.raises(NotDone, match="goes on showing others"):
            self.listed(*self.SHOWN, row(NAMES.first)).worked_with()

    def test_a_last_row_that_is_never_reached(self) -> None:
        pages = self.listed("text=/", row(NAMES.first))
        with pytest.raises(NotDone, match="cannot be scrolled to"):
            pages._scroll()

    def test_an_editor_of_another_policy(self) -> None:
        with pytest.raises(NotDone, match="does not show its name"):
            self.listed(*self.SHOWN, value=False)._edit()

    def test_an_editor_that_shows_and_closes(self) -> None:
        assert self.listed(*self.SHOWN)._edit() < 1


RULE = Rule(3, 12, 0.95, figures=132)


class TestTimes:
    """Medians, and whose they are."""

    def worked(self, seconds: float, control_ms: float = control.REFERENCE_MS) -> Worked:
        return Worked(1000, {step: [seconds] * 6 for step in STEPS}, [0.1] * 6, [control_ms] * 6)

    @pytest.mark.parametrize(
        ("seconds", "threshold", "undecided"),
        [
            ([0.2] * 6, 0.4, False),
            ([0.2] * 5 + [1.0], 0.4, True),
            ([0.2] * 5 + [1.0], None, False),
            ([0.5] * 6, 0.4, True),  # a fail waits for the last look
            ([0.5] * 5 + [0.3], 0.4, True),
        ],
    )
    def test_one_page_that_came_late_leaves_six_open(
        self, seconds: list[float], threshold: float | None, undecided: bool
    ) -> None:
        one = Worked(1, {step: seconds for step in STEPS}, [0.1] * 6, [112.0] * 6)
        assert one.is_open(RULE, threshold) == undecided

    def test_and_not_twelve(self) -> None:
        seconds = [0.2] * 11 + [1.0]
        one = Worked(1, {step: seconds for step in STEPS}, [0.1] * 12, [112.0] * 12, looks=2)
        assert not one.is_open(RULE, 0.4)
        seconds[0] = 1.0
        assert one.is_open(RULE, 0.4)

    def test_of_eighteen_a_list_that_is_too_slow_fails(self) -> None:
        one = Worked(1, {step: [0.5] * 18 for step in STEPS}, [0.1] * 18, [112.0] * 18, looks=3)
        (held, *_) = one.measured(RULE, 0.4).values()
        assert decide(held, 0.4, "at most") == FAIL and held.fail_error == RULE.fail_error

    def test_a_repeat_keeps_control_and_rest_where_the_page_fails(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(control, "took_ms", lambda window: 112.0)
        one, asked = Worked(1), []
        pages = PolicyList(PaperWindow(), URL, NAMES, 0.01)
        with pytest.raises(NotDone):
            one.once_more(PaperWindow(), pages, lambda: asked.append(1))
        assert (one.control_ms, len(one.rest_s), asked) == ([112.0], 1, [1])
        assert not any(one.seconds.values())

    def test_of_six_the_extremes_bound_the_median(self) -> None:
        found = median_of([1.0, 1.1, 1.2, 1.3, 1.4, 9.0], 0.025)
        assert (found.mean, found.upper) == (1.25, 9.0)

    def test_of_five_nothing_bounds_it(self) -> None:
        assert median_of([1.0] * 5, 0.025).half_width is None

    def test_a_quick_browser_is_no_excuse(self) -> None:
        one = self.worked(3.3)
        held = one.measured(RULE, 3.0)[STEPS[0]]
        assert BrowsersMachine(one).limits(held) == ""

    @pytest.mark.parametrize("times", [1.2, 5.0])
    def test_what_a_slow_browser_could_cause_is_no_fault(self, times: float) -> None:
        one = self.worked(2.9 * times, control.REFERENCE_MS * times)
        held = one.measured(RULE, 3.0)[STEPS[0]]
        assert "The browser's machine alone" in BrowsersMachine(one).limits(held)

    def test_what_it_could_not_cause_is_one(self) -> None:
        one = self.worked(30.0, control.REFERENCE_MS * 5)
        held = one.measured(RULE, 3.0)[STEPS[0]]
        assert BrowsersMachine(one).limits(held) == ""

    def test_a_slow_device_is_told_from_a_slow_page(self) -> None:
        one = self.worked(4.0)
        assert "the page itself takes the time" in compared(one, STEPS[0])
        one.rest_s = [3.0] * 6
        assert "the device itself is slow to return it" in compared(one, STEPS[0])
        told = "and the REST API returned the same list in 3\u202f000 ms."
        assert beside(one).endswith(told)

    def test_the_figures_at_each_number(self) -> None:
        few, many = self.worked(0.2), self.worked(6.0)
        told = growth({1000: many, 1: few}, STEPS[0])
        assert "with 1 policy 0.20 s, with 1,000 policies 6.00 s. Hokkanen 2016" in told

    def test_a_control_that_never_ends(self) -> None:
        with pytest.raises(NotProven, match="a slow gateway cannot be distinguished"):
            control.took_ms(PaperWindow())


class TestServed:
    """Headers and cookies."""

    @pytest.mark.parametrize(
        ("headers", "holds"),
        [
            ({"Content-Security-Policy": "default-src 'self'; frame-ancestors 'self'"}, True),
            ({"Content-Security-Policy": "frame-ancestors 'none';"}, True),
            ({"Content-Security-Policy": "frame-ancestors *", "X-Frame-Options": "DENY"}, False),
            ({"Content-Security-Policy": "default-src 'self'"}, False),
            ({"X-Frame-Options": "SAMEORIGIN"}, True),
            ({"X-Frame-Options": "ALLOW-FROM https://example.org"}, False),
            ({}, False),
        ],
    )
    def test_framing(self, headers: dict[str, str], holds: bool) -> None:
        assert served.framing(headers).holds is holds

    @pytest.mark.parametrize(
        ("told", "holds"), [("max-age=63072000", True), ("max-age=0", False), ("", False)]
    )
    def test_only_https(self, told: str, holds: bool) -> None:
        assert served.only_https({"Strict-Transport-Security": told}).holds is holds

    def test_a_session_is_kept_from_scripts_and_the_token_is_not(self) -> None:
        cookies = [cookie("APSCOOKIE_1"), cookie("ccsrftoken_443", http_only=False)]
        assert served.out_of_reach(cookies).holds

    @pytest.mark.parametrize(
        "bare",
        [
            cookie("APSCOOKIE_1", http_only=False),
            cookie("APSCOOKIE_1", secure=False),
            cookie("ccsrftoken_443", secure=False),
        ],
    )
    def test_a_bare_cookie(self, bare: Cookie) -> None:
        found = served.out_of_reach([cookie("session_key_443"), bare])
        assert not found.holds and bare.name in found.told

    def test_without_a_cookie_nothing_is_kept(self) -> None:
        assert not served.out_of_reach([]).holds


@pytest.mark.parametrize(
    ("page", "known"),
    [
        ('<input id="secretkey"><button id="login_button">', True),
        ('<script>location="/ng/"</script><form action="/logincheck">', True),
        ('<input name="credential"><a href="/remote/login">', False),
        ("<h1>Welcome to nginx</h1>", False),
    ],
)
def test_the_page_is_known_by_its_words(page: str, known: bool) -> None:
    assert is_gui(page) is known
