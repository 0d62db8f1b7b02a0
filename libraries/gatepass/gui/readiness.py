"""Whether the web page can be looked at: a browser here, and an administrator who is let in."""

from __future__ import annotations

from gatepass.base import chromium
from gatepass.base.errors import NotProven
from gatepass.base.finding import Finding, found_by
from gatepass.gui.session import Gui
from gatepass.inputs.scope import Scope

CHAPTER = "management_gui"
NOT_LET_IN = (
    "Check name and password (gateway.gui in the testbed file), and that the administrator may "
    "come from this machine (trusthost)."
)
_POLICIES = "/api/v2/cmdb/firewall/policy?count=1"


def look(scope: Scope) -> list[Finding]:
    """Look for both, where the testbed names an administrator; nothing is changed.

    Args:
        scope: what is to be tested, with the gateway's release.

    Raises:
        InputError: the password is missing.
    """
    gui = scope.testbed.gateway.gui
    if gui is None or CHAPTER not in scope.chapters:
        return []
    password = gui.password.read()
    wrong = found_by(
        lambda: _must_be_let_in(scope, gui.administrator, password), "gateway", [CHAPTER]
    )
    fine = Finding("gateway", f"{gui.administrator} gets into its web page and may read policies")
    return [_browser(), *(wrong or [fine])]


def _browser() -> Finding:
    found = chromium.look()
    if found.path:
        return Finding("here", f"Chromium is {found.path}")
    remedy = f"Install it ({chromium.INSTALL})."
    if found.complaint:
        return Finding("here", f"Chromium does not start: {found.complaint}", remedy, (CHAPTER,))
    return Finding("here", "there is no Chromium", remedy, (CHAPTER,))


def _must_be_let_in(scope: Scope, name: str, password: str) -> None:
    page = Gui.of(scope.testbed.gateway)
    cookies = page.log_in(name, password, scope.release)
    if not cookies:
        raise NotProven(f"{name} is not let into the gateway's web page. {NOT_LET_IN}")
    try:
        status = page.get(_POLICIES, cookies).status_code
    finally:
        page.end(cookies)
    if status != 200:
        raise NotProven(
            f"{name} may not read policies (HTTP {status}). Give the administrator's profile the "
            "right to read them (fwgrp)."
        )
